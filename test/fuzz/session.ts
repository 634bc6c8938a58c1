// One run of the fuzzer against a server process: rounds of many requests side by side, and after each round a few
// floods, one at a time.
import type fc from 'fast-check'
import { anyCase, anyValid } from './any-case.ts'
import { feedOf, someSkus } from './draft.ts'
import { anyFlood, edgeCases } from './floods.ts'
import type { FuzzCase } from './fuzz-case.ts'
import type { FuzzedServer } from './fuzzed-server.ts'
import { type Found, hunt, type Kept, shrink, skusOf, type Trace, type TryOne } from './hunt.ts'
import { judgeMemory, type Memory, megabytes, openTally, type Sample, type Tally } from './report.ts'
import { type MeasureTurns, type Outcome, openTryAlone } from './try-alone.ts'
import { type Client, tryCase, WrongAnswer } from './try-case.ts'
import { openWire } from './wire.ts'

/** Requests under way at a time; cases of each lane in a round, and in one of honest requests; floods after a round. */
const SIZES = { lanes: 48, perLane: 60, honestPerLane: 20, floods: 3 }
/** Rounds of honest requests, for comparison; the first compiles. They count towards neither requests nor minutes. */
const WARM_UP_ROUNDS = 1
const HONEST_ROUNDS = 3
/** Different failures after which a run is over. */
const MAX_FOUND = 8
/** How often the server is asked how long it was held, in milliseconds. */
const WINDOW = 50
/** A turn of the loop that serves many requests is suspect from so many times the longest of an honest round. */
const SUSPECT = 3
const MAX_SUSPECTS = 200
const PROGRESS = 10_000

export type FuzzOptions = {
  /** Starts a server with this product feed. */
  start: (feed: string) => Promise<FuzzedServer>
  seed: number
  minutes: number
  requests: number
  kept: Kept[]
  say: (line: string) => void
  sizes?: typeof SIZES
  /** The share of a limit up to which a turn is measured once; by default the longest of each outcome are confirmed. */
  unrepeated?: number
}

/** All of it without the honest requests. */
export type FuzzReport = {
  seed: number
  seconds: number
  totals: ReturnType<Tally['totals']>
  samples: Sample[]
  memory: Memory
  /** In milliseconds of CPU time: the largest bag alone; the longest turn of honest and of fuzzed requests side by side. */
  turns: { bag: number; honest: number; fuzzed: number }
  alone: Record<Outcome, number>
  found: Found[]
  failures: string[]
}

/** A case that was sent side by side with others, and when. */
type Sent = { fuzzCase: FuzzCase; from: number; until: number }

/** Stops after so many minutes or requests, whichever is first, but not before the end of a round. */
export async function runFuzz(options: FuzzOptions): Promise<FuzzReport> {
  const { start, seed, minutes, requests, kept, say, sizes = SIZES, unrepeated } = options
  const skus = [...someSkus(seed), ...skusOf(kept)]
  const feed = feedOf(skus)
  let tally = openTally()
  const found = new Map<string, Found>()
  const failures: string[] = []
  const samples: Sample[] = []
  let server: FuzzedServer = await start(feed)
  let clients = openClients()
  say(`seed ${seed}`)

  const measure: MeasureTurns = async run => {
    await server.turns()
    await run()
    return server.turns()
  }
  function openClients(): Client[] {
    return Array.from({ length: sizes.lanes }, () => ({ port: server.port, tally, wire: openWire(server.port) }))
  }
  async function restart(): Promise<void> {
    for (const { wire } of clients) wire.close()
    await server.stop()
    server = await start(feed)
    clients = openClients()
  }
  /** A case that ends the server fails for that, and the next one has another server. */
  const alone: TryOne = async fuzzCase => {
    if (!server.isRunning()) await restart()
    try {
      await tryAlone.tryOne(clients[0] as Client, fuzzCase)
    } catch (error) {
      await new Promise(resolve => setTimeout(resolve, 50))
      throw server.isRunning() ? error : new WrongAnswer('the server ended')
    }
  }
  function add(one: Found): void {
    // Figures differ from time to time.
    const key = `${one.why.split('\n')[0]} ${one.fuzzCase.kind} ${one.fuzzCase.what.replace(/\d+/g, 'N')}`
    if (found.has(key)) return
    found.set(key, one)
    const when = one.isAlone ? '' : ' (not if it is sent alone)'
    failures.push(`${one.why.split('\n')[0]}${when}: ${one.fuzzCase.kind}, ${one.fuzzCase.what.slice(0, 80)}`)
    say(`FAILED ${failures.at(-1)}`)
  }
  async function addIfFailing(fuzzCase: FuzzCase): Promise<void> {
    await alone(fuzzCase).catch(error => add({ fuzzCase, why: (error as Error).message, isAlone: true }))
  }
  /** One that fails alone may have made the others fail. */
  async function addSmallest(cases: fc.Arbitrary<FuzzCase>, traces: Trace[]): Promise<void> {
    let first: Found | undefined
    for (const trace of traces) {
      const one = await shrink(cases, alone, trace)
      if (one.isAlone) return add(one)
      first ??= one
    }
    if (first) add(first)
  }
  /** Cases of every lane side by side. @returns those that failed, and the longest turn */
  async function round(cases: fc.Arbitrary<FuzzCase>, from: number, count: number) {
    const sent: Sent[] = []
    const windows: { from: number; until: number; turn: number }[] = []
    let isOver = false
    const watch = (async () => {
      await server.turns()
      while (!isOver) {
        const from = performance.now()
        await new Promise(resolve => setTimeout(resolve, WINDOW))
        windows.push({ from, turn: (await server.turns()).longest, until: performance.now() })
      }
    })()
    const tryOne =
      (client: Client): TryOne =>
      async fuzzCase => {
        const from = performance.now()
        await tryCase(client, fuzzCase)
        sent.push({ fuzzCase, from, until: performance.now() })
      }
    const traces = await Promise.all(clients.map((client, i) => hunt(cases, tryOne(client), { seed: from + i, count })))
    isOver = true
    await watch
    const longest = Math.max(0, ...windows.map(({ turn }) => turn))
    if (honest > 0) {
      const suspect = windows.filter(({ turn }) => turn > SUSPECT * honest)
      const isMet = (one: Sent) => suspect.some(({ from, until }) => one.from < until && one.until > from)
      for (const { fuzzCase } of sent.filter(isMet).slice(0, MAX_SUSPECTS)) await addIfFailing(fuzzCase)
    }
    return { traces: traces.filter(trace => trace !== undefined), longest }
  }

  let honest = 0
  const tryAlone = await openTryAlone(clients[0] as Client, measure, unrepeated)
  const { bag } = tryAlone
  const valid = anyValid(skus)
  const honestTurns: number[] = []
  for (let i = 0; i < WARM_UP_ROUNDS + HONEST_ROUNDS; i++) {
    const { traces, longest } = await round(valid, seed - (i + 1) * sizes.lanes, sizes.honestPerLane)
    if (i >= WARM_UP_ROUNDS) honestTurns.push(longest)
    await addSmallest(valid, traces)
  }
  honest = honestTurns.sort((a, b) => a - b)[HONEST_ROUNDS >> 1] as number
  say(`honest requests: the largest bag holds the loop ${bag.toFixed(1)} ms, many side by side ${honest.toFixed(1)} ms`)
  for (const fuzzCase of [...kept.map(({ why, ...fuzzCase }) => fuzzCase), ...edgeCases()]) await addIfFailing(fuzzCase)

  const cases = anyCase(skus)
  const floods = anyFlood(skus)
  // What was sent so far does not count.
  for (const { wire } of clients) wire.close()
  tally = openTally()
  clients = openClients()
  const started = performance.now()
  const progress = () =>
    Math.max((performance.now() - started) / (minutes * 60_000), tally.totals().requests / requests)
  const addSample = () => {
    const bytes = server.memory()
    // Not every system tells.
    if (bytes > 0) samples.push({ progress: progress(), requests: tally.totals().requests, bytes })
  }
  addSample()
  let longest = 0
  let nextLine = performance.now() + PROGRESS
  for (let n = 0; n === 0 || (progress() < 1 && found.size < MAX_FOUND); n++) {
    const from = seed + n * sizes.lanes
    const result = await round(cases, from, sizes.perLane)
    longest = Math.max(longest, result.longest)
    await addSmallest(cases, result.traces)
    const flood = await hunt(floods, alone, { seed: from, count: sizes.floods })
    if (flood) add(await shrink(floods, alone, flood))
    for (const line of server.errors()) failures.push(`the server logged an error: ${line.slice(0, 500)}`)
    addSample()
    if (performance.now() > nextLine) {
      const seconds = (performance.now() - started) / 1000
      const { requests, pages } = tally.totals()
      const rate = Math.round(requests / seconds)
      const memory = megabytes(samples.at(-1)?.bytes)
      say(`${Math.round(seconds)} s: ${requests} requests (${rate}/s), ${pages} pages, ${memory}`)
      nextLine += PROGRESS
    }
  }
  const memory = judgeMemory(samples)
  if (memory.verdict === 'grown') {
    const { half, end } = memory
    failures.push(`memory grew from ${megabytes(half)} at half time to ${megabytes(end)} at the end`)
  }
  for (const { wire } of clients) wire.close()
  await server.stop()
  const seconds = (performance.now() - started) / 1000
  const turns = { bag, honest, fuzzed: longest }
  return {
    ...{ seed, seconds, totals: tally.totals(), samples, memory, turns, alone: tryAlone.longest },
    ...{ found: [...found.values()], failures }
  }
}
