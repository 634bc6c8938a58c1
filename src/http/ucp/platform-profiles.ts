// The profiles of platforms, fetched when they are needed. Anybody may name any address: what that can cost is bounded.
import { LRUCache } from 'lru-cache'
import { Problem } from '../../errors.ts'
import { readJsonText } from '../../integrations/destination/shop-json.ts'
import type { Fetch } from '../../integrations/outgoing/http-client.ts'
import { PublicAgent } from '../../integrations/outgoing/public-agent.ts'
import { malformedProfile, type PlatformProfile, readPlatformProfile } from '../../ucp/platform-profile.ts'
import { overloaded } from '../every-request.ts'

/** Of one profile. UCP asks for 128 KiB at least; real ones have some 5. */
const LIMITS = { maxBytes: 128 * 1024, maxValues: 8192 }
/** In milliseconds, with the look-up of its name. */
const TIMEOUT = 5000

/** What fails if a host does not exist, or is in a private network: which of them is not told. */
const NOWHERE = ['ENOTFOUND', 'ENODATA', 'ERR_NOT_PUBLIC']

/** At a time. */
const MAX_FETCHES = 50

/** All that are kept: how many, and how much text they were. */
const MAX_KEPT = 1000
const MAX_KEPT_BYTES = 8 * 1024 * 1024

/** How long a profile is kept, in seconds, whatever its server says; a failure is, for the shortest time. */
const MIN_AGE = 60
const MAX_AGE = 24 * 60 * 60

/** How much of an address the log has, in characters. */
const LOGGED_URL = 200

/** When it was fetched, and until when it is kept, as performance.now() has it. */
type Kept = { at: number; until: number; size: number } & ({ profile: PlatformProfile } | { problem: Problem })

export type PlatformProfiles = {
  /** @throws Problem a protocol error of UCP */
  get(url: string): Promise<PlatformProfile>
  /** The profile once more, after its server is asked again if that was not just done: a key may be new. */
  refresh(url: string): Promise<PlatformProfile>
}

export function platformProfiles(fetch: Fetch): PlatformProfiles {
  const agent = new PublicAgent()
  let fetches = 0

  /** @throws Problem */
  async function fetchProfile(url: string): Promise<{ profile: PlatformProfile; size: number; age: number }> {
    const signal = AbortSignal.timeout(TIMEOUT)
    try {
      const response = await fetch(url, { headers: { accept: 'application/json' }, signal, agent })
      if (response.status !== 200) {
        response.body?.cancel().catch(() => {})
        throw unreachable(`its server answers ${response.status}`)
      }
      const text = await readJsonText(response, LIMITS, malformedProfile)
      const [, maxAge = 0] = /\bmax-age="?(\d{1,9})/i.exec(response.headers.get('cache-control') ?? '') ?? []
      const age = Math.min(Math.max(Number(maxAge), MIN_AGE), MAX_AGE)
      return { profile: readPlatformProfile(text), size: text.length, age }
    } catch (error) {
      if (error instanceof Problem) throw error
      if (signal.aborted) throw unreachable(`its server takes more than ${TIMEOUT / 1000} seconds`)
      const code = String((error as { cause?: { code?: string } }).cause?.code)
      if (NOWHERE.includes(code)) {
        const detail = 'The host of your profile does not exist, or is not public.'
        throw new Problem('invalid-profile-url', { detail })
      }
      throw unreachable(`its server does not answer (${code})`)
    }
  }

  const kept = new LRUCache<string, Kept>({
    max: MAX_KEPT,
    maxSize: MAX_KEPT_BYTES,
    sizeCalculation: ({ size }) => size,
    // One that is forgotten before it has arrived is still wanted.
    ignoreFetchAbort: true,
    ttlResolution: 0,
    fetchMethod: async (url, before, { options }) => {
      if (fetches >= MAX_FETCHES) throw overloaded('profiles of platforms to fetch')
      fetches++
      const fetched = await fetchProfile(url).catch((problem: Problem) => ({ problem, size: url.length, age: MIN_AGE }))
      fetches--
      const at = performance.now()
      // A server that fails takes nothing back.
      const isKept = 'problem' in fetched && before && 'profile' in before && before.until > at
      const result = isKept ? { ...before, at } : { ...fetched, at, until: at + fetched.age * 1000 }
      options.ttl = result.until - at
      return result
    }
  })

  async function get(url: string, forceRefresh = false): Promise<PlatformProfile> {
    const found = (await kept.fetch(url, { forceRefresh })) as Kept
    if ('profile' in found) return found.profile
    const { code, message: detail } = found.problem
    throw new Problem(code, { detail, reason: `${url.slice(0, LOGGED_URL)}: ${detail}` })
  }

  return {
    get: url => get(url),
    refresh: url => get(url, performance.now() - (kept.peek(url)?.at ?? 0) > MIN_AGE * 1000)
  }
}

function unreachable(why: string): Problem {
  return new Problem('profile-unreachable', { detail: `Your profile cannot be fetched: ${why}.` })
}
