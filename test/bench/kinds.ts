// What a load consists of: requests of one kind, with what their answers must hold.
import { randomBytes } from 'node:crypto'
import type { Answer } from './connection.ts'

/** A UUID that each request replaces by a reference of its own. */
export const REFERENCE = 'facade00'.repeat(4)

/** Requests of one kind, sent in turn. */
export type Kind = {
  name: string
  requests: string[]
  /** What a body must hold, and how often. It must also hold the reference, if `echoes`. */
  holds: string
  times: number
  echoes: boolean
}

const HEX = Buffer.from('0123456789abcdef')
/** Writes random hexadecimal digits; 128 random bits a reference, cheaply (xorshift128). */
function referenceWriter(): (into: Buffer, at: number) => void {
  const state = new Uint32Array(4)
  new Uint8Array(state.buffer).set(randomBytes(16))
  return (into, at) => {
    for (let i = 0; i < REFERENCE.length; i += 8) {
      let t = Number(state[3])
      t ^= t << 11
      t ^= t >>> 8
      state.copyWithin(1, 0, 3)
      state[0] = t ^ Number(state[1]) ^ (Number(state[1]) >>> 19)
      let digits = Number(state[0])
      for (let digit = 0; digit < 8; digit++) {
        into[at + i + digit] = Number(HEX[digits & 15])
        digits >>>= 4
      }
    }
  }
}

/** A request that was written, and what is needed to check its answer. */
export type Written = { length: number; reference: string }

export type Requests = {
  /** The length of the longest request, in bytes. */
  longest: number
  /** Writes the next request, with a new reference. */
  writeNext: (into: Buffer) => Written
}

/** The requests of a kind, in turn. */
export function requestsOf({ requests }: Kind): Requests {
  const prepared = requests.map(text => {
    const bytes = Buffer.from(text, 'latin1')
    return { bytes, referenceAt: bytes.indexOf(REFERENCE) }
  })
  const writeReference = referenceWriter()
  let sent = 0
  return {
    longest: Math.max(...prepared.map(({ bytes }) => bytes.length)),
    writeNext: into => {
      const { bytes, referenceAt } = prepared[sent++ % prepared.length] as (typeof prepared)[number]
      bytes.copy(into)
      if (referenceAt < 0) return { length: bytes.length, reference: '' }
      writeReference(into, referenceAt)
      const reference = into.toString('latin1', referenceAt, referenceAt + REFERENCE.length)
      return { length: bytes.length, reference }
    }
  }
}

/**
 * Checks an answer; of most, only the status is known.
 * @throws if it is not the answer to this request
 */
export function checkAnswer({ status, body }: Answer, kind: Kind, { reference }: Written): void {
  const { name, holds, times, echoes } = kind
  if (status !== 200) throw new Error(`${name}: status ${status}`)
  if (body === undefined) return
  const found = body.split(holds).length - 1
  if (found !== times) {
    throw new Error(`${name}: ${JSON.stringify(holds)} is in the body ${found} times instead of ${times}`)
  }
  if (echoes && !body.includes(reference)) throw new Error(`${name}: the body lacks the reference that was sent`)
}
