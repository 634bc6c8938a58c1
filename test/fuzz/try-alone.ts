// Sends one case while nothing else is sent, and measures how long it holds the event loop of the server.
import { largestBags } from './floods.ts'
import { bytesOf, type FuzzCase } from './fuzz-case.ts'
import { type Client, tryCase, WrongAnswer } from './try-case.ts'
import type { Turns } from './turn-meter.ts'

/** Runs something. @returns the turns of the server's event loop meanwhile */
export type MeasureTurns = (run: () => Promise<unknown>) => Promise<Turns>

/** Whether a request is accepted; `cut` if it gets no answer. One that goes on after its answer is judged by all its turns. */
export type Outcome = 'accepted' | 'refused' | 'cut' | 'goes on'

/**
 * How many times as long as the largest honest bag a request may hold the loop; test/README.md has the figures behind
 * these. Before a connection is cut, Node has parsed all that it read from it.
 */
const LIMITS: Record<Outcome, number> = { accepted: 5, refused: 4, cut: 7, 'goes on': 20 }
/** What the largest bag counts as at least, in milliseconds: on a fast machine, other things would count more than it. */
const FASTEST = 4
/** A turn may also collect the garbage of others: the best attempt counts. */
const ATTEMPTS = 8
const ROUNDS = 3

/**
 * Measures the largest honest bags first.
 * @param unrepeated the share of a limit up to which one attempt is enough
 */
export async function openTryAlone(client: Client, measure: MeasureTurns, unrepeated = 0) {
  // The first ones are slow, as nothing is compiled yet.
  for (let round = 0; round < ROUNDS; round++) await measureBags(client, measure)
  const turns: number[] = []
  for (let round = 0; round < ROUNDS; round++) turns.push(...(await measureBags(client, measure)))
  const bag = Math.max(FASTEST, median(turns))
  const shares = Object.entries(LIMITS).map(([outcome, limit]) => [outcome, limit * unrepeated])
  const longest: Record<Outcome, number> = Object.fromEntries(shares)
  return {
    /** The turn of the largest honest bag, in milliseconds: the measure of the machine. */
    bag,
    /** The longest turn of each outcome so far, in largest bags; or the unrepeated share, if none took longer. */
    longest,
    /** @throws WrongAnswer also if the loop is held too long */
    tryOne: async (client: Client, fuzzCase: FuzzCase): Promise<void> => {
      bytesOf(fuzzCase)
      let best = Infinity
      const bags: number[] = []
      for (let attempt = 1; ; attempt++) {
        let outcome = 'cut' as Outcome
        const { longest: turn, total } = await measure(async () => {
          outcome = outcomeOf(await tryCase(client, fuzzCase), fuzzCase)
        })
        best = Math.min(best, fuzzCase.goesOn ? total : turn)
        // The machine may have become slower since the start.
        const bagNow = Math.max(bag, median(bags))
        const times = best / bagNow
        if (times <= longest[outcome]) return
        if (attempt < ATTEMPTS) bags.push(...(await measureBags(client, measure)))
        else if (times <= LIMITS[outcome]) longest[outcome] = times
        else {
          const was = outcome === 'goes on' ? 'written on after its answer' : outcome
          const [took, limit] = [best, LIMITS[outcome] * bagNow].map(ms => ms.toFixed(0))
          const figures = `${took} ms; ${limit} ms are allowed, the largest bag takes ${bagNow.toFixed(1)} ms`
          throw new WrongAnswer(`the loop was held too long by a request that was ${was}\n${figures}`)
        }
      }
    }
  }
}

/** The turn for the largest bag of each option, in milliseconds. */
async function measureBags(client: Client, measure: MeasureTurns): Promise<number[]> {
  const turns: number[] = []
  for (const bag of largestBags(crypto.randomUUID().replaceAll('-', ''))) {
    turns.push((await measure(() => tryCase(client, bag))).longest)
  }
  return turns
}

/** The lower one of two; 0 of none. */
function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[(values.length - 1) >> 1] ?? 0
}

function outcomeOf(statuses: number[], { goesOn }: FuzzCase): Outcome {
  if (goesOn) return 'goes on'
  if (statuses.length === 0) return 'cut'
  return statuses.some(status => status < 400) ? 'accepted' : 'refused'
}
