// Requests right at a limit: the last that is accepted. Random ones hardly ever meet it.
import { requestOf } from './any-case.ts'
import { chooser } from './choices.ts'
import { draftOf } from './draft.ts'
import type { FuzzCase } from './fuzz-case.ts'

/** Chunks of one byte that a body may have (DECISIONS). */
const MAX_TINY_CHUNKS = 1000

/** Filler that changes no cart. */
const FILLER = { '1': ' ', '2A': '&' }

const items = [{ sku: 'MUG', quantity: 2 }]

/** A cart for each option with a body, padded to a thousand bytes, each in a chunk of its own. */
export function edgeCases(): FuzzCase[] {
  return (['1', '2A'] as const).map(option => {
    const cart = { reference: crypto.randomUUID().replaceAll('-', ''), currency: 'GBP', items }
    const { target, headers = [], body = '' } = requestOf(option, draftOf(cart), false, chooser([]))
    const fields = ['Host: a', ...headers, 'Transfer-Encoding: chunked'].map(line => `${line}\r\n`).join('')
    const chunks = [...body.padEnd(MAX_TINY_CHUNKS, FILLER[option])].map(byte => `1\r\n${byte}\r\n`).join('')
    const send = [`POST ${target} HTTP/1.1\r\n${fields}\r\n${chunks}0\r\n\r\n`]
    const what = 'as many chunks of one byte as are accepted'
    return { option, kind: 'valid', what, send, answers: [{ status: 200, lines: items }] }
  })
}
