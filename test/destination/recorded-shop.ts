// The double of a real shop: an HTTP server that answers exactly what the shop was recorded to, and only to the requests
// that it was recorded with. `npm run test:shops -- --write` makes the recordings.
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { Test } from 'tap'
import type { Destination, Handover } from '../../src/destination/destination.ts'
import { CartRefused, ShopFailed } from '../../src/destination/destination.ts'
import { ROOT } from '../node-process.ts'
import { type Call, type Recording, type Recordings, recordingsFile } from '../shops/record.ts'

export function readRecordings(name: string): Recordings {
  return JSON.parse(readFileSync(join(ROOT, recordingsFile(name)), 'utf8'))
}

export type RecordedShop = {
  /** What the adapter makes of the answers, as `outcome` of a recording. */
  open: (destination: Destination, signal?: AbortSignal) => Promise<Recording['outcome']>
  /** The requests that were in no recording. */
  unknown: Call['request'][]
}

/** Starts the double of the shop in one recording; it stops when the test ends. */
export async function openRecordedShop(
  t: Test,
  { settings, cart, calls }: Recording,
  origin: string
): Promise<RecordedShop> {
  const left = [...calls]
  const unknown: Call['request'][] = []
  const server = createServer(async (request, response) => {
    const body = (await request.toArray()).join('')
    const asks = ({ request: recorded }: Call) =>
      recorded.method === request.method &&
      recorded.path === request.url &&
      (recorded.body ?? '') === body &&
      isDeepStrictEqual({ ...request.headers, ...recorded.headers }, request.headers)
    const at = left.findIndex(asks)
    const [call] = at < 0 ? [] : left.splice(at, 1)
    if (!call) {
      unknown.push({ method: String(request.method), path: String(request.url), headers: {}, body })
      response.writeHead(500).end()
      return
    }
    for (const [name, value] of call.response.headers) response.appendHeader(name, value)
    response.writeHead(call.response.status).end(call.response.body)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  const own = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    unknown,
    open: (destination, signal = AbortSignal.timeout(60_000)) =>
      destination
        .connect(JSON.parse(JSON.stringify(settings).replaceAll(origin, own)), { fetch, clock: () => new Date() })
        .open(cart, 'key-of-a-recording', signal)
        .then(outcomeOf, errorOutcome)
  }
}

const outcomeOf = (handover: Handover) => ({ handover })

function errorOutcome(error: unknown): Recording['outcome'] {
  if (error instanceof CartRefused) return { refused: error.mistakes }
  if (error instanceof ShopFailed) return { failed: error.message }
  throw error
}

/** Tests that an adapter still asks its shop for the same, and makes the same of the answers. */
export async function testRecordings(t: Test, destination: Destination): Promise<void> {
  const { recordings, origin } = readRecordings(destination.name)
  for (const recording of recordings) {
    await t.test(recording.name, async t => {
      const { open, unknown } = await openRecordedShop(t, recording, origin)
      t.strictSame(await open(destination), recording.outcome)
      t.strictSame(unknown, [], 'the adapter asks for nothing else')
    })
  }
}
