// npm run fuzz at its smallest: what it reports must be what it did. The server is in this process: one of its own takes
// seconds to start.
import type { Test } from 'tap'
import t from 'tap'
import { buildListening } from '../build.ts'
import { feedOf } from './draft.ts'
import { edgeCases } from './floods.ts'
import type { FuzzCase } from './fuzz-case.ts'
import { type FuzzedServer, openShops } from './fuzzed-server.ts'
import { openTally, reportLines } from './report.ts'
import { runFuzz } from './session.ts'
import { openTryAlone } from './try-alone.ts'
import { startTurnMeter } from './turn-meter.ts'
import { openWire } from './wire.ts'

async function start(t: Test, feed: string): Promise<FuzzedServer> {
  const { close, ...shops } = await openShops()
  t.teardown(close)
  const { port } = await buildListening(t, { ...shops, feed, isNow: true })
  const meter = startTurnMeter()
  t.teardown(meter.stop)
  return {
    port,
    turns: async () => meter.read(),
    isRunning: () => true,
    memory: () => process.memoryUsage.rss(),
    errors: () => [],
    stop: async () => {}
  }
}

t.test('the shortest run fuzzes too, and claims nothing that it did not measure', async t => {
  const report = await runFuzz({
    start: feed => start(t, feed),
    seed: 3,
    minutes: Infinity,
    requests: 1,
    kept: [],
    say: () => {},
    sizes: { lanes: 4, perLane: 15, honestPerLane: 2, floods: 1 },
    unrepeated: 0.75
  })
  const { kinds, requests } = report.totals
  t.strictSame(report.failures, [])
  t.strictSame(Object.keys(kinds).sort(), ['flood', 'mutated', 'nearly valid', 'page', 'raw bytes', 'valid'])
  t.ok(requests >= 60, `${requests} requests`)
  t.ok(report.turns.fuzzed > 0, 'the longest turn of fuzzed requests is measured')
  const lines = reportLines(report).join('\n')
  t.notMatch(lines, /NaN|Infinity|undefined/)
  t.match(lines, /^nothing failed; too short a run to tell whether memory grows$/m)
})

t.test('a refused request may hold the loop less long than one that is accepted', async t => {
  const { port } = await start(t, feedOf(['MUG', 'ソ-☕']))
  const client = { port, tally: openTally(), wire: openWire(port) }
  t.teardown(client.wire.close)
  /** How many largest bags each attempt takes; a bag takes 10 ms, and is not sent. */
  let attempts: number[] = []
  let calls = 0
  const { tryOne } = await openTryAlone(client, async run => {
    // Two bags follow each attempt.
    const isBag = attempts.length === 0 || calls++ % 3 > 0
    const longest = isBag ? 10 : 10 * (attempts.shift() as number)
    if (!isBag) await run()
    return { longest, total: longest }
  })
  const heldFor = (fuzzCase: FuzzCase, bags: number[]) => {
    attempts = [...bags]
    calls = 0
    return tryOne(client, fuzzCase)
  }
  const head = 'POST /one/cart HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n'
  const refused: FuzzCase = {
    ...{ option: '1', kind: 'flood', what: 'no cart' },
    ...{ send: [`${head}Content-Length: 2\r\n\r\n{}`], answers: [{ status: 400 }] }
  }
  const [edge] = edgeCases() as [FuzzCase]
  const accepted: FuzzCase = { ...edge, kind: 'flood' }
  const times = (bags: number) => Array(8).fill(bags)
  await t.rejects(heldFor(refused, times(4.5)), {
    message: /^the loop was held too long by a request that was refused/
  })
  await t.resolves(heldFor(refused, [...times(4.5).slice(1), 3.9]), 'the best of eight attempts counts')
  await t.resolves(heldFor(accepted, times(4.5)))
})
