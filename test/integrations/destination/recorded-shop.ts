// The double of a real shop: an HTTP server that answers exactly what the shop was recorded to, and only to the requests
// that it was recorded with. `npm run test:shops -- --write` makes the recordings.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { Test } from 'tap'
import type { Destination } from '../../../src/integrations/destination/destination.ts'
import { httpFetch } from '../../../src/integrations/outgoing/http-client.ts'
import { type OpenServer, openServer } from '../../listen.ts'
import { ROOT } from '../../node-process.ts'
import { type Call, openRecorded, type Recording, type Recordings, recordingsFile } from '../../shops/record.ts'

/** The shop may have had several names. */
const portOf = (origin: string) => `:${new URL(origin).port}`

type Outcome = Recording['outcome']
type Edit = (answer: Call['response']) => void

/** The recordings of a destination's shop, and what the adapter makes of them today. */
export function readRecordings(destination: Destination) {
  const file = join(ROOT, recordingsFile(destination.name))
  const { recordings, origin }: Recordings = JSON.parse(readFileSync(file, 'utf8'))
  const recordingOf = (name: string) => structuredClone(recordings.find(one => one.name === name)) as Recording

  /** What the adapter makes of a recording, and the requests that were in none. */
  async function replay(
    t: Test,
    { settings, cart, calls }: Recording
  ): Promise<{ outcome: Outcome; unknown: string[] }> {
    const left = [...calls]
    const unknown: string[] = []
    const toHere = (text: string) => text.replaceAll(portOf(origin), portOf(server.origin))
    const server: OpenServer = await openServer(t, async (request, response) => {
      const { method, url, headers } = request
      const body = (await request.toArray()).join('')
      const at = left.findIndex(
        ({ request: recorded }) =>
          recorded.method === method &&
          recorded.path === url &&
          (recorded.body ?? '') === body &&
          isDeepStrictEqual({ ...headers, ...recorded.headers }, headers)
      )
      const [call] = at < 0 ? [] : left.splice(at, 1)
      if (!call) {
        unknown.push(`${method} ${url} ${body}`)
        return response.writeHead(500).end()
      }
      for (const [name, value] of call.response.headers) response.appendHeader(name, toHere(value))
      return response.writeHead(call.response.status).end(call.response.body)
    })
    const outcome = await openRecorded(destination, JSON.parse(toHere(JSON.stringify(settings))), cart, httpFetch)
    return { outcome: JSON.parse(JSON.stringify(outcome).replaceAll(portOf(server.origin), portOf(origin))), unknown }
  }

  return {
    recordings,
    origin,
    recordingOf,
    outcomeOf: (name: string) => recordingOf(name).outcome,
    replay,
    /** What the adapter makes of a recording of which one answer is another. */
    async outcomeWith(t: Test, name: string, call: number, edit: Edit): Promise<Outcome> {
      const recording = recordingOf(name)
      edit(recording.calls[call]?.response as Call['response'])
      return (await replay(t, recording)).outcome
    },
    /** Tests that the adapter still asks its shop for the same, and makes the same of the answers. */
    async testAll(t: Test): Promise<void> {
      for (const recording of recordings) {
        t.strictSame(await replay(t, recording), { outcome: recording.outcome, unknown: [] }, recording.name)
      }
    }
  }
}

/** The same answer with another body. */
export const withBody =
  (body: unknown): Edit =>
  answer => {
    answer.body = JSON.stringify(body)
  }

/** The same answer with a change to its body. */
export const changeBody =
  // biome-ignore lint/suspicious/noExplicitAny: recorded JSON of any shop
    (change: (body: any) => void): Edit =>
    answer => {
      const body = JSON.parse(answer.body)
      change(body)
      answer.body = JSON.stringify(body)
    }

/** The same answer with another status. */
export const withStatus =
  (status: number): Edit =>
  answer => {
    answer.status = status
  }
