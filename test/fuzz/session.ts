// One run of the fuzzer against a server process: rounds of many requests side by side, and after each round a few
// floods, one at a time.
import type fc from 'fast-check'
import { feedOf, someSkus } from './any-cart.ts'
import { anyCase, anyValid } from './any-case.ts'
import { WrongAnswer } from './check-answer.ts'
import { anyFlood } from './floods.ts'
import type { FuzzCase } from './fuzz-case.ts'
import { type FuzzedServer, startFuzzed } from './fuzzed-server.ts'
import { type Found, hunt, shrink, type Trace, type TryOne } from './hunt.ts'
import { type Kept, skusOf } from './kept.ts'
import { findGrowth, type Sample } from './memory-growth.ts'
import { openTally, type Tally } from './tally.ts'
import { type MeasureTurns, measureHonest, tryAlone } from './try-alone.ts'
import { type Client, tryCase } from './try-case.ts'
import { openWire } from './wire.ts'

/** Requests under way at a time. */
const LANES = 48
/** Cases of each lane in a round, and floods after it. */
const PER_LANE = 60
const FLOODS = 3
/** Rounds of honest requests, for comparison; the first of them compile. */
const WARM_UP_ROUNDS = 2
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
  folder: string
  seed: number
  minutes: number
  requests: number
  kept: Kept[]
  say: (line: string) => void
}

export type FuzzReport = {
  seed: number
  seconds: number
  totals: ReturnType<Tally['totals']>
  memory: Sample[]
  /** In milliseconds of CPU time: the largest bag alone; the longest turn of honest and of fuzzed requests side by side. */
  turns: { bag: number; honest: number; fuzzed: number }
  found: Found[]
  failures: string[]
}

/** A case that was sent side by side with others, and when. */
type Sent = { fuzzCase: FuzzCase; from: number; until: number }

export async function runFuzz({ folder, seed, minutes, requests, kept, say }: FuzzOptions): Promise<FuzzReport> {
  const skus = [...someSkus(seed), ...skusOf(kept)]
  const feed = feedOf(skus)
  const tally = openTally()
  const found = new Map<string, Found>()
  const failures: string[] = []
  const memory: Sample[] = []
  let server: FuzzedServer = await startFuzzed(folder, feed)
  let clients = openClients(server.port, tally)
  let bag = 0
  say(`seed ${seed}`)

  const measure: MeasureTurns = async run => {
    await server.longestTurn()
    await run()
    return server.longestTurn()
  }
  async function restart(): Promise<void> {
    for (const { wire } of clients) wire.close()
    await server.stop()
    server = await startFuzzed(folder, feed)
    clients = openClients(server.port, tally)
  }
  /** A case that ends the server fails for that, and the next one has another server. */
  const alone: TryOne = async fuzzCase => {
    if (!server.isRunning()) await restart()
    try {
      await tryAlone(clients[0] as Client, fuzzCase, measure, bag)
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
  /** One that fails alone may have made the others fail. */
  async function addSmallest(cases: fc.Arbitrary<FuzzCase>, traces: Trace[]): Promise<void> {
    const others: Found[] = []
    for (const trace of traces) {
      const one = await shrink(cases, alone, trace)
      if (one.isAlone) return add(one)
      others.push(one)
    }
    for (const one of others.slice(0, 1)) add(one)
  }
  /** Cases of every lane side by side. @returns those that failed, and the longest turn */
  async function round(cases: fc.Arbitrary<FuzzCase>, from: number): Promise<{ traces: Trace[]; longest: number }> {
    const sent: Sent[] = []
    const windows: { from: number; until: number; turn: number }[] = []
    let isOver = false
    const watch = (async () => {
      await server.longestTurn()
      while (!isOver) {
        const from = performance.now()
        await new Promise(resolve => setTimeout(resolve, WINDOW))
        windows.push({ from, turn: await server.longestTurn(), until: performance.now() })
      }
    })()
    const tryOne =
      (client: Client): TryOne =>
      async fuzzCase => {
        const from = performance.now()
        await tryCase(client, fuzzCase)
        sent.push({ fuzzCase, from, until: performance.now() })
      }
    const traces = await Promise.all(
      clients.map((client, i) => hunt(cases, tryOne(client), { seed: from + i, count: PER_LANE }))
    )
    isOver = true
    await watch
    const longest = Math.max(0, ...windows.map(({ turn }) => turn))
    if (honest > 0) {
      const suspect = windows.filter(({ turn }) => turn > SUSPECT * honest)
      const isMet = (one: Sent) => suspect.some(({ from, until }) => one.from < until && one.until > from)
      for (const { fuzzCase } of sent.filter(isMet).slice(0, MAX_SUSPECTS)) {
        await alone(fuzzCase).catch(error => add({ fuzzCase, why: (error as Error).message, isAlone: true }))
      }
    }
    return { traces: traces.filter(trace => trace !== undefined), longest }
  }

  const started = performance.now()
  const progress = () =>
    Math.max((performance.now() - started) / (minutes * 60_000), tally.totals().requests / requests)
  const addSample = () => {
    memory.push({ progress: progress(), requests: tally.totals().requests, bytes: server.memory() })
  }
  let honest = 0
  let longest = 0
  bag = await measureHonest(clients[0] as Client, measure)
  const valid = anyValid(skus)
  const honestTurns: number[] = []
  for (let i = 0; i < WARM_UP_ROUNDS + HONEST_ROUNDS; i++) {
    const { traces, longest } = await round(valid, seed - (i + 1) * LANES)
    if (i >= WARM_UP_ROUNDS) honestTurns.push(longest)
    addSample()
    await addSmallest(valid, traces)
  }
  honest = honestTurns.sort((a, b) => a - b)[HONEST_ROUNDS >> 1] as number
  say(`honest requests: the largest bag holds the loop ${bag.toFixed(1)} ms, many side by side ${honest.toFixed(1)} ms`)
  for (const { why, ...fuzzCase } of kept) {
    await alone(fuzzCase).catch(error => add({ fuzzCase, why: (error as Error).message, isAlone: true }))
  }

  const cases = anyCase(skus)
  const floods = anyFlood(skus)
  let nextLine = performance.now() + PROGRESS
  for (let n = 0; progress() < 1 && found.size < MAX_FOUND; n++) {
    const from = seed + n * LANES
    const result = await round(cases, from)
    longest = Math.max(longest, result.longest)
    await addSmallest(cases, result.traces)
    const flood = await hunt(floods, alone, { seed: from, count: FLOODS })
    if (flood) add(await shrink(floods, alone, flood))
    for (const line of server.errors()) failures.push(`the server logged an error: ${line.slice(0, 500)}`)
    addSample()
    if (performance.now() > nextLine) {
      const seconds = (performance.now() - started) / 1000
      const { requests, pages } = tally.totals()
      const rate = Math.round(requests / seconds)
      say(
        `${Math.round(seconds)} s: ${requests} requests (${rate}/s), ${pages} pages, ${megabytes(server.memory())} MB`
      )
      nextLine += PROGRESS
    }
  }
  const growth = findGrowth(memory)
  if (growth !== undefined) failures.push(growth)
  for (const { wire } of clients) wire.close()
  await server.stop()
  const seconds = (performance.now() - started) / 1000
  const turns = { bag, honest, fuzzed: longest }
  return { seed, seconds, totals: tally.totals(), memory, turns, found: [...found.values()], failures }
}

const megabytes = (bytes: number) => Math.round(bytes / 1e6)

function openClients(port: number, tally: Tally): Client[] {
  return Array.from({ length: LANES }, () => ({ port, tally, wire: openWire(port) }))
}
