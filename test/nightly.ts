/** Whether `npm run test:nightly` runs: it tries everything everywhere, where `npm test` takes turns. */
export const isNightly = process.env.NIGHTLY === '1'

/** What is added nightly. */
export function nightly<T>(more: readonly T[]): readonly T[] {
  return isNightly ? more : []
}

/** Nightly all of them; otherwise the one whose turn it is. */
export function inTurn<T>(all: readonly T[], turn: number): readonly T[] {
  return isNightly ? all : [all[turn % all.length] as T]
}
