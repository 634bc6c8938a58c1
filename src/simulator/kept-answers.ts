// Keeps the last answers that a web view was to show, so that the phone's frame can show them: few, small together, and
// not for long.
import { randomBytes } from 'node:crypto'
import type { Answer } from '../platform/send-request.ts'

export type KeptAnswers = {
  /** @returns the id under which it is found, which nobody can guess */
  keep: (answer: Answer) => string
  find: (id: string) => Answer | undefined
}

const MOST = 50
const MOST_BYTES = 64 * 1024 * 1024
const LIFETIME = 10 * 60 * 1000

export function keepAnswers(clock: () => Date): KeptAnswers {
  const kept = new Map<string, { answer: Answer; until: number }>()
  const isTooMuch = () => {
    let bytes = 0
    for (const { answer } of kept.values()) bytes += answer.body.length
    return kept.size > MOST || bytes > MOST_BYTES
  }
  /** The oldest stand first. */
  function forget(): void {
    const now = clock().getTime()
    for (const [id, { until }] of kept) if (until <= now || isTooMuch()) kept.delete(id)
  }
  return {
    keep: answer => {
      const id = randomBytes(16).toString('base64url')
      kept.set(id, { answer, until: clock().getTime() + LIFETIME })
      forget()
      return id
    },
    find: id => {
      forget()
      return kept.get(id)?.answer
    }
  }
}
