// What was sent, and what the clients know of it: the other half of every comparison with the database.
import { type Bag, bagOf } from './bags.ts'

/**
 * `answered`: taken, or placed. `refused`: with a 503 that says that nothing was taken. `uncertain`: with one that says that
 * nobody knows. `unanswered`: the connection broke. `unsent`: nothing has taken the connection.
 */
export type Outcome = 'answered' | 'refused' | 'uncertain' | 'unanswered' | 'unsent'

export type Entry = Bag & {
  transfer?: Outcome
  /** Of its checkout, if the transfer was answered. */
  token?: string
  order?: Outcome
  /** The path of the confirmation, and the number in it, if the order was answered. */
  confirmation?: string
  number?: string
}

export type Ledger = {
  entries: Entry[]
  /** Answers that are neither right nor a proper refusal. */
  wrong: string[]
  /** How long the slowest answer took, in milliseconds. */
  longest: number
  /** A bag that has never been sent. */
  next: () => Entry
}

/** @param first the number of the first bag */
export function openLedger(first = 1): Ledger {
  const entries: Entry[] = []
  const next = () => {
    const entry: Entry = bagOf(first + entries.length)
    entries.push(entry)
    return entry
  }
  return { entries, wrong: [], longest: 0, next }
}

export type Counts = {
  taken: number
  placed: number
  /** Requests that got no answer after their connection was taken. */
  unanswered: number
  refused: number
  uncertain: number
}

export function countOf({ entries }: Pick<Ledger, 'entries'>): Counts {
  const count = (outcome: Outcome) =>
    entries.reduce((sum, { transfer, order }) => sum + Number(transfer === outcome) + Number(order === outcome), 0)
  return {
    taken: entries.filter(({ transfer }) => transfer === 'answered').length,
    placed: entries.filter(({ order }) => order === 'answered').length,
    unanswered: count('unanswered'),
    refused: count('refused'),
    uncertain: count('uncertain')
  }
}
