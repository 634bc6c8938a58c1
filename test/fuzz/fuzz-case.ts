// What is sent to a server and what has to come back, as plain data: a failure can be kept in `kept.json` as it is.
import type { LinkName, OptionName } from './draft.ts'

/** One character per byte, or such a text and how often it is repeated. */
export type Part = string | [text: string, times: number]

export type Line = { sku: string; quantity: number }

/** What one answer must be; what is absent may be anything. */
export type Expected = {
  status?: number
  /** `pointer code` of each mistake, sorted; the code of the problem, if it lists none. */
  mistakes?: string[]
  /** What the page shows if the cart is taken. */
  lines?: Line[]
}

export type Kind = 'valid' | 'nearly valid' | 'mutated' | 'page' | 'raw bytes' | 'flood'

export type FuzzCase = {
  option: OptionName | LinkName | 'ucp'
  kind: Kind
  /** For people. */
  what: string
  send: Part[]
  /** In how many pieces it is written to the socket. */
  pieces?: number
  /** What comes back, one for each request; without it, as many answers as the server makes of these bytes. */
  answers?: Expected[]
  /** Whether it is written on after an answer, until the server closes the connection. */
  goesOn?: true
  /** Whether nothing follows the head of the answer: its request was a HEAD. */
  isHead?: true
}

/** Stands for the token of a checkout that is opened right before; as long as one, so that lengths stay right. */
export const TOKEN = 't'.repeat(32)
/** Stands for the digest in its order form. */
export const DIGEST = 'd'.repeat(40)

const written = new WeakMap<FuzzCase, Buffer>()

/** Remembered, so that a case can be written before it is measured. */
export function bytesOf(fuzzCase: FuzzCase): Buffer {
  const known = written.get(fuzzCase)
  if (known) return known
  const parts = fuzzCase.send.map(part => (typeof part === 'string' ? Buffer.from(part, 'latin1') : repeated(part)))
  const bytes = Buffer.concat(parts)
  written.set(fuzzCase, bytes)
  return bytes
}

function repeated([text, times]: [string, number]): Buffer {
  return Buffer.alloc(text.length * times, text, 'latin1')
}

export function sizeOf(send: Part[]): number {
  return send.reduce((sum, part) => sum + (typeof part === 'string' ? part.length : part[0].length * part[1]), 0)
}
