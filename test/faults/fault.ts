// A fault: what is done to the server or its database under load, what must hold, and what was counted.
import type { Cleanup } from '../server-process.ts'
import { type Counts, countOf, type Entry } from './bags.ts'
import type { OpenDatabase, StoreName } from './site.ts'

export type Fault = {
  /** By which `--fault` chooses it. */
  name: string
  /** What is done, and what must hold. */
  what: string
  rule: string
  stores: StoreName[]
  /** How often it is done, unless `--rounds` says otherwise. */
  rounds: number
  run: (parts: FaultParts) => Promise<Result>
}

export type FaultParts = {
  cleanup: Cleanup
  openDatabase: OpenDatabase
  rounds: number
  say: (line: string) => void
}

export type Result = Counts & {
  rounds: number
  kept: number
  uncertainKept: number
  /** Everything that broke the rule: none, or the run fails. */
  lost: string[]
  doubled: string[]
  wrong: string[]
  /** How long it took until a bag was taken again, in milliseconds: of each round. */
  back: number[]
  /** Whatever else is worth saying. */
  note?: string
}

export function emptyResult(): Result {
  const none = { taken: 0, placed: 0, unanswered: 0, refused: 0, uncertain: 0, kept: 0, uncertainKept: 0 }
  return { ...none, rounds: 0, lost: [], doubled: [], wrong: [], back: [] }
}

/** Adds what a round counted: before anything was sent again. */
export function addCounts(result: Result, entries: Entry[]): void {
  const { taken, placed, unanswered, refused, uncertain } = countOf({ entries })
  result.taken += taken
  result.placed += placed
  result.unanswered += unanswered
  result.refused += refused
  result.uncertain += uncertain
}

export function isBroken({ lost, doubled, wrong }: Result): boolean {
  return lost.length + doubled.length + wrong.length > 0
}
