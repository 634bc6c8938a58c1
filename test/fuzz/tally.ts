// Counts what was sent and what came back.
import type { OptionName } from './draft.ts'
import type { Kind } from './fuzz-case.ts'

export type Tally = {
  sent: (option: OptionName, kind: Kind, requests: number) => void
  answered: (status: number) => void
  /** The lines of a page were compared with those of the cart that was sent. */
  compared: () => void
  totals: () => {
    requests: number
    pages: number
    /** By kind and option. */
    kinds: Record<string, Record<string, number>>
    statuses: Record<string, number>
  }
}

export function openTally(): Tally {
  let all = 0
  let pages = 0
  const kinds: Record<string, Record<string, number>> = {}
  const statuses: Record<string, number> = {}
  return {
    sent: (option, kind, requests) => {
      all += requests
      kinds[kind] ??= {}
      kinds[kind][option] = (kinds[kind][option] ?? 0) + requests
    },
    answered: status => {
      statuses[status] = (statuses[status] ?? 0) + 1
    },
    compared: () => {
      pages += 1
    },
    totals: () => ({ requests: all, pages, kinds, statuses })
  }
}
