// Sends one case while nothing else is sent, and measures how long it holds the event loop of the server.
import { WrongAnswer } from './check-answer.ts'
import { largestBags } from './floods.ts'
import { bytesOf, type FuzzCase } from './fuzz-case.ts'
import { type Client, tryCase } from './try-case.ts'

/** Runs something. @returns the longest turn of the server's event loop meanwhile, in milliseconds of CPU time */
export type MeasureTurns = (run: () => Promise<unknown>) => Promise<number>

/**
 * How much longer than the largest honest bag a request may hold the loop. That bag takes a fifth of the 20 ms that a
 * request may take, and half as much again is for the noise of the measurement.
 */
const LIMIT = 7
/** What the largest bag takes at least, in milliseconds: on a fast machine, other things would count more than it. */
const FASTEST = 6
/** A turn may also collect the garbage of others: what counts is the best of so many. */
const ATTEMPTS = 4
const ROUNDS = 8

/** The longest turn for the largest honest bag, in milliseconds: the measure of the machine. */
export async function measureHonest(client: Client, measure: MeasureTurns): Promise<number> {
  const turns: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    for (const bag of largestBags(crypto.randomUUID().replaceAll('-', ''))) {
      const held = await measure(() => tryCase(client, bag))
      // The first ones are slow, as nothing is compiled yet.
      if (round >= ROUNDS / 2) turns.push(held)
    }
  }
  return Math.max(FASTEST, turns.sort((a, b) => a - b)[turns.length >> 1] as number)
}

/** @throws WrongAnswer also if the loop is held too long */
export async function tryAlone(
  client: Client,
  fuzzCase: FuzzCase,
  measure: MeasureTurns,
  honest: number
): Promise<void> {
  bytesOf(fuzzCase)
  for (let attempt = 1; ; attempt++) {
    let statuses: number[] = []
    const held = await measure(async () => {
      statuses = await tryCase(client, fuzzCase)
    })
    const outcome = statuses.every(status => status === 200) ? 'accepted' : 'refused'
    const limit = LIMIT * honest
    if (held <= limit) return
    if (attempt < ATTEMPTS) continue
    const times = `${held.toFixed(0)} ms; ${limit.toFixed(0)} ms are allowed, the largest bag takes ${honest.toFixed(1)} ms`
    throw new WrongAnswer(`the loop was held too long by a request that is ${outcome}\n${times}`)
  }
}
