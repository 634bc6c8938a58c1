// About 400 requests of every kind, from a seed that is new in each run. `npm run fuzz` sends many more.
import type { Test } from 'tap'
import t from 'tap'
import { buildListening } from '../build.ts'
import { anyCase } from './any-case.ts'
import { feedOf, someSkus } from './draft.ts'
import { afterAnswer, anyFlood, edgeCases } from './floods.ts'
import { openShops } from './fuzzed-server.ts'
import { entryOf, type Found, hunt, readKept, shrink, skusOf, type TryOne } from './hunt.ts'
import { openTally } from './report.ts'
import { openTryAlone } from './try-alone.ts'
import { type Client, tryCase } from './try-case.ts'
import { measureTurns } from './turn-meter.ts'
import { openWire } from './wire.ts'

/** FUZZ_SEED repeats a run. */
const seed = Number(process.env.FUZZ_SEED ?? Math.floor(Math.random() * 2 ** 31))
const LANES = 24
const PER_LANE = 10
const FLOODS = 6
/** Turns up to this share of their limit are measured once. */
const UNREPEATED = 0.75

const kept = readKept()

/** A listening server, and what tries cases on it. */
async function open(t: Test) {
  const skus = [...someSkus(seed), ...skusOf(kept)]
  const { close, ...shops } = await openShops()
  t.teardown(close)
  const { port, logs } = await buildListening(t, { ...shops, feed: feedOf(skus), isNow: true })
  const tally = openTally()
  const clients: Client[] = Array.from({ length: LANES }, () => ({ port, tally, wire: openWire(port) }))
  const [first] = clients as [Client]
  t.teardown(() => {
    for (const { wire } of clients) wire.close()
  })
  const { tryOne } = await openTryAlone(first, measureTurns, UNREPEATED)
  const alone: TryOne = fuzzCase => tryOne(first, fuzzCase)
  return { skus, clients, alone, tally, logs }
}

t.test(`fuzzed requests, FUZZ_SEED=${seed}`, async t => {
  const { skus, clients, alone, tally, logs } = await open(t)
  const ownNames = Object.getOwnPropertyNames(Object.prototype)

  for (const { why, ...fuzzCase } of kept) await t.resolves(alone(fuzzCase), `kept: ${fuzzCase.what}, ${why}`)
  for (const edge of edgeCases()) await t.resolves(alone(edge), `option ${edge.option}: ${edge.what}`)

  for (const one of afterAnswer) await t.resolves(alone(one), one.what)

  const cases = anyCase(skus)
  const traces = await Promise.all(
    clients.map((client, i) => hunt(cases, one => tryCase(client, one), { seed: seed + i, count: PER_LANE }))
  )
  const report = ({ why, isAlone, ...found }: Found) => {
    t.fail(why, { isAlone })
    t.comment(`An entry for kept.json:\n${entryOf({ why, ...found })}`)
  }
  // One bug is found by many.
  for (const trace of traces.filter(trace => trace !== undefined).slice(0, 3)) {
    report(await shrink(cases, alone, trace))
  }
  const { requests, pages } = tally.totals()
  t.ok(requests > LANES * PER_LANE, `${requests} requests are answered as they must be`)
  t.ok(pages > requests / 8, `${pages} pages show exactly what was sent`)

  const floods = anyFlood(skus)
  const flood = await hunt(floods, alone, { seed, count: FLOODS })
  if (flood) report(await shrink(floods, alone, flood))
  else t.pass('no request holds the event loop longer than it may')

  t.strictSame(Object.getOwnPropertyNames(Object.prototype), ownNames, 'the prototype of objects has nothing new')
  const errors = logs.filter(({ level }) => Number(level) >= 50)
  t.strictSame(errors, [], 'the server logs no error')
})
