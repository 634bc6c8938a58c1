// Where a feed comes from: a file, or an address. A copy of an address's last good feed is kept, so that a restart needs no
// network: a line of JSON, then the feed as it was sent. The copy's mtime is when the feed was last known to be current.
import { hash, randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, open, readdir, rename, rm, stat, utimes } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { httpFetch } from '../../integrations/outgoing/http-client.ts'
import { limitBytes } from './feed.ts'
import { type FeedEvents, type FollowedFeed, type FollowFeedOptions, followSource } from './followed-feed.ts'

/** @param interval in milliseconds @throws if the file cannot be read at the start */
export function followFeed(
  file: string,
  events: FeedEvents,
  interval: number,
  options: FollowFeedOptions = {}
): Promise<FollowedFeed> {
  let settled: string | undefined
  let pending: string | undefined
  const find = async () => {
    const found = await fingerprint(file)
    if (found === settled) return 'unchanged'
    const isWhole = settled === undefined || found === pending
    pending = found
    // Until two checks in a row find it the same, it may still be being written.
    if (!isWhole) return undefined
    const settle = () => {
      settled = found
    }
    return { chunks: createReadStream(file), settle }
  }
  return followSource({ isFile: true, find }, events, interval, options)
}

async function fingerprint(file: string): Promise<string> {
  const found = await stat(file)
  if (!found.isFile()) throw new Error('it is not a regular file')
  return `${found.mtimeMs} ${found.size} ${found.ino}`
}

export type FollowUrlOptions = FollowFeedOptions & {
  url: string
  /** User and password, with a colon between them; sent to the origin of `url` only. */
  credentials?: string
  /** How long a check may take until the answer is complete, in milliseconds. */
  timeout: number
  /** Of the feed without its Content-Encoding, and again when it is unpacked. */
  maxBytes: number
  /** The file in which a copy is kept; its folder is created if needed. */
  copy: string
  /** How often the address is asked, in milliseconds; replicas ask at the same moments. */
  interval: number
}

type Validators = { etag?: string; lastModified?: string }

type FetchedFeed = { validators: Validators; body: AsyncIterable<Uint8Array> }

/** The first line of a copy; `address` is a hash, because an address may hold a secret. */
type CopyHeader = { address: string; validators: Validators }

/** How long the first line may be, in bytes. */
const LONGEST_HEADER = 16 * 1024

/** How long after its download a part may still be read, and how wrong clocks may be, in milliseconds. */
const PART_AGE = 10 * 60 * 1000

/** @throws if the address gives no feed, and there is no copy */
export function followFeedUrl(options: FollowUrlOptions, events: Required<FeedEvents>): Promise<FollowedFeed> {
  const { url, copy, interval } = options
  /** Those of the last answer, whether its feed is in use or was refused. */
  let validators: Validators = {}
  const kept = async () => {
    const found = await readCopy(copy, url)
    const settle = (isGood: boolean) => {
      if (isGood && found) validators = found.validators
    }
    return found && { ...found, settle }
  }
  const find = async (now: Date, aborted: AbortSignal) => {
    const timedOut = AbortSignal.timeout(options.timeout)
    const download = async () => {
      const fetched = await fetchFeed(options, validators, timedOut, aborted)
      return fetched && { ...(await writePart(options, fetched)), fetched }
    }
    const found = await download().catch(error => {
      if (error instanceof ConnectionFailed) return download()
      throw error
    })
    if (!found) return 'unchanged'
    const { part, chunks, fetched } = found
    const settle = async (isGood: boolean) => {
      if (isGood) {
        await utimes(part, now, now)
        await rename(part, copy)
      }
      validators = fetched.validators
    }
    return { chunks, settle, discard: () => rm(part, { force: true }) }
  }
  const confirm = (now: Date) =>
    utimes(copy, now, now).catch(() => {
      // Without a copy, the whole feed is asked for the next time.
      validators = {}
    })
  // The same in every replica, and another for each merchant: all feeds at once would take memory and time.
  const phase = hash('sha256', basename(copy), 'buffer').readUInt32BE()
  return followSource({ isFile: false, phase, kept, find, confirm }, events, interval, options)
}

/** @returns undefined if there is no copy of this address */
async function readCopy(copy: string, url: string) {
  try {
    await using handle = await open(copy)
    const { buffer } = await handle.read({ buffer: Buffer.alloc(LONGEST_HEADER), position: 0 })
    const end = buffer.indexOf('\n')
    const { address, validators }: CopyHeader = JSON.parse(buffer.toString('utf8', 0, end))
    if (address !== hash('sha256', url)) return undefined
    return { chunks: readFrom(copy, end + 1), validators, asOf: (await handle.stat()).mtime }
  } catch {
    return undefined
  }
}

/** Writes what may become the copy to a file of its own, `part`. */
async function writePart({ copy, url, timeout }: FollowUrlOptions, { validators, body }: FetchedFeed) {
  await mkdir(dirname(copy), { recursive: true, mode: 0o700 })
  await deleteLeftParts(copy, timeout + PART_AGE)
  const part = `${copy}.${randomUUID()}.part`
  const header: CopyHeader = { address: hash('sha256', url), validators }
  const firstLine = Buffer.from(`${JSON.stringify(header)}\n`)
  try {
    await using handle = await open(part, 'wx', 0o600)
    await handle.writeFile(firstLine)
    await handle.writeFile(body)
  } catch (error) {
    await rm(part, { force: true })
    throw error
  }
  return { part, chunks: readFrom(part, firstLine.length) }
}

async function* readFrom(file: string, start: number): AsyncGenerator<Uint8Array> {
  yield* createReadStream(file, { start })
}

/** Deletes the parts of processes that were killed, once they are too old to be those of others that share the folder. */
async function deleteLeftParts(copy: string, age: number): Promise<void> {
  const [folder, start] = [dirname(copy), `${basename(copy)}.`]
  const parts = (await readdir(folder)).filter(name => name.startsWith(start) && name.endsWith('.part'))
  // One that another process has just deleted is no matter.
  await Promise.allSettled(
    parts.map(async name => {
      const { mtimeMs } = await stat(join(folder, name))
      if (mtimeMs < Date.now() - age) await rm(join(folder, name))
    })
  )
}

const MAX_REDIRECTS = 5

class ConnectionFailed extends Error {}

/**
 * @returns undefined if the feed has not changed since
 * @throws with a reason that holds neither credentials nor a query; from `body`, FeedError if it is too large
 */
async function fetchFeed(
  { url, credentials, timeout, maxBytes }: FollowUrlOptions,
  known: Validators,
  timedOut: AbortSignal,
  aborted: AbortSignal
): Promise<FetchedFeed | undefined> {
  const signal = AbortSignal.any([timedOut, aborted])
  const explain = (error: unknown) => {
    if (timedOut.aborted) return new Error(`not fetched within ${timeout / 1000} s`)
    const { cause } = error as { cause?: { code?: string } }
    return new ConnectionFailed(`the connection failed: ${cause?.code ?? 'unknown'}`)
  }
  const first = new URL(url)
  const request = (target: URL) => {
    const isOwn = credentials !== undefined && target.origin === first.origin
    const headers = {
      'user-agent': 'cart-transfer',
      ...(isOwn && { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` }),
      ...(known.etag !== undefined && { 'if-none-match': known.etag }),
      ...(known.lastModified !== undefined && { 'if-modified-since': known.lastModified })
    }
    return httpFetch(target, { headers, signal }).catch(error => {
      throw explain(error)
    })
  }
  let target = first
  let response = await request(target)
  for (let redirects = 0; [301, 302, 303, 307, 308].includes(response.status); redirects++) {
    await response.body?.cancel()
    if (redirects === MAX_REDIRECTS) throw new Error(`redirected more than ${MAX_REDIRECTS} times`)
    target = redirectTarget(target, response.headers.get('location'))
    response = await request(target)
  }
  const { status, headers, body } = response
  if (status === 200 && body) {
    const [etag, lastModified] = ['etag', 'last-modified'].map(name => headers.get(name))
    const validators = { ...(etag && { etag }), ...(lastModified && { lastModified }) }
    return { validators, body: limitBytes(withReasons(body, explain), maxBytes) }
  }
  await body?.cancel()
  if (status === 304 && Object.keys(known).length > 0) return undefined
  throw new Error(`answered ${status}${status === 401 ? ': set catalogue.credentialsVariable' : ''}`)
}

/** Nobody on the way may see or change what is asked for by https. */
export function redirectTarget(from: URL, location: string | null): URL {
  const target = URL.parse(String(location), from.href)
  const isSafe = target?.protocol === 'https:' || (target?.protocol === 'http:' && from.protocol === 'http:')
  if (!target || !isSafe) throw new Error('redirected to an address without https')
  if (target.username || target.password) throw new Error('redirected to an address with a login')
  return target
}

async function* withReasons(
  body: AsyncIterable<Uint8Array>,
  explain: (error: unknown) => Error
): AsyncGenerator<Uint8Array> {
  try {
    yield* body
  } catch (error) {
    throw explain(error)
  }
}
