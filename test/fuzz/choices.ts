// How a request is written, out of all legal ways: decided by a list of numbers, which shrinks to the plainest writing.
import fc from 'fast-check'

/** Decides between `count` ways; 0 is the plainest. */
export type Choose = (count: number) => number

/** The numbers are used again from the start; without any, everything is plain. */
export function chooser(numbers: number[]): Choose {
  let next = 0
  return count => (numbers.length === 0 ? 0 : Number(numbers[next++ % numbers.length]) % count)
}

export const anyNumbers = fc.array(fc.nat(0xffff), { maxLength: 40, size: 'max' })

export function pick<T>(choose: Choose, list: readonly T[]): T {
  return list[choose(list.length)] as T
}

/** A list in an order of its own. */
export function shuffle<T>(list: T[], choose: Choose): T[] {
  const left = [...list]
  return list.map(() => left.splice(choose(left.length), 1)[0] as T)
}
