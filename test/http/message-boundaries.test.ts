// Where a message ends is never a matter of opinion: a proxy that reads it otherwise could be made to hide a second
// request in the first (request smuggling). Each of these is refused, and what follows it on the connection is not read.
import t, { type Test } from 'tap'
import { buildListening, merchantFile } from '../build.ts'
import { openSocket } from '../raw-http.ts'

const TYPE = 'Content-Type: application/x-www-form-urlencoded\r\n'
const HEAD = `POST /form/cart HTTP/1.1\r\nHost: shop.example\r\n${TYPE}`
const CHUNKED = `${HEAD}Transfer-Encoding: chunked\r\n\r\n`

/** A bag of option 2B, in whose place an attacker would put a request of somebody else. */
const HIDDEN =
  'GET /shop/cart?reference=hidden&currency=GBP&item_0_sku=MUG&item_0_quantity=1 HTTP/1.1\r\nHost: shop.example\r\n\r\n'

const AMBIGUOUS: [what: string, message: string][] = [
  ['Content-Length, then Transfer-Encoding', `${HEAD}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`],
  ['Transfer-Encoding, then Content-Length', `${HEAD}Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n`],
  ['two lengths', `${HEAD}Content-Length: 0\r\nContent-Length: ${HIDDEN.length}\r\n\r\n`],
  ['the same length twice', `${HEAD}Content-Length: 0\r\nContent-Length: 0\r\n\r\n`],
  ['a list of lengths', `${HEAD}Content-Length: 0, 0\r\n\r\n`],
  ['a signed length', `${HEAD}Content-Length: +0\r\n\r\n`],
  ['a negative length', `${HEAD}Content-Length: -1\r\n\r\n`],
  ['a hexadecimal length', `${HEAD}Content-Length: 0x0\r\n\r\n`],
  ['an empty length', `${HEAD}Content-Length:\r\n\r\n`],
  ['a length beyond 64 bits', `${HEAD}Content-Length: 18446744073709551616\r\n\r\n`],
  ['a coding that is not chunked', `${HEAD}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n`],
  ['chunked before another coding', `${HEAD}Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n`],
  ['chunked twice', `${HEAD}Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`],
  ['a space before the colon', `${HEAD}Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n`],
  ['a folded header', `${HEAD}X-A: b\r\n c\r\nContent-Length: 0\r\n\r\n`],
  ['a folded Transfer-Encoding', `${HEAD}Transfer-Encoding:\r\n chunked\r\n\r\n0\r\n\r\n`],
  ['a folded first header', 'POST /form/cart HTTP/1.1\r\n Host: shop.example\r\nContent-Length: 0\r\n\r\n'],
  ['a bare LF after the request line', 'POST /form/cart HTTP/1.1\nHost: shop.example\r\nContent-Length: 0\r\n\r\n'],
  ['a bare LF after a header', `${HEAD}X-A: b\nContent-Length: 0\r\n\r\n`],
  ['a bare LF after the headers', `${HEAD}Content-Length: 0\n\n`],
  ['a bare CR in a header', `${HEAD}X-A: b\rContent-Length: 9\r\nContent-Length: 0\r\n\r\n`],
  ['a NUL in a header', `${HEAD}X-A: b\0c\r\nContent-Length: 0\r\n\r\n`],
  ['a chunk that ends in a bare LF', `${CHUNKED}0\n\n`],
  ['a bare LF after a chunk extension', `${CHUNKED}0;a\n\r\n\r\n`],
  ['a chunk size with a prefix', `${CHUNKED}0x0\r\n\r\n`],
  ['a chunk size with a space', `${CHUNKED}0 \r\n\r\n`],
  ['a negative chunk size', `${CHUNKED}-1\r\n\r\n`],
  ['a chunk size beyond 64 bits', `${CHUNKED}10000000000000000\r\n\r\n`],
  ['a chunk longer than its size', `${CHUNKED}1\r\naX0\r\n\r\n`],
  ['a length after the chunks', `${CHUNKED}0\r\nContent-Length: ${HIDDEN.length}\r\n\r\n`],
  ['a space in the target', 'POST /form/cart x HTTP/1.1\r\nHost: shop.example\r\nContent-Length: 0\r\n\r\n'],
  ['a version that does not exist', 'POST /form/cart HTTP/1.2\r\nHost: shop.example\r\nContent-Length: 0\r\n\r\n'],
  ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n']
]

/** Shops of options 2A and 2B that listen. */
async function listening(t: Test) {
  const { store, port } = await buildListening(t, {
    merchants: [merchantFile('2A', { id: 'form', publicUrl: '/form' }), merchantFile('2B')]
  })
  return {
    /** Sends these bytes. @returns the statuses of all answers, once the server has closed the connection */
    statusesOf: async (message: string): Promise<number[]> => {
      const socket = openSocket(t, port).setEncoding('latin1')
      socket.write(message, 'latin1')
      let text = ''
      for await (const chunk of socket) text += chunk
      return Array.from(text.matchAll(/^HTTP\/1\.1 (\d+)/gm), ([, status]) => Number(status))
    },
    isHiddenStored: async () => (await store.newestCheckout('shop', 'hidden')) !== undefined
  }
}

t.test('a message whose end could be read in two ways is refused, and nothing after it is served', async t => {
  const { statusesOf, isHiddenStored } = await listening(t)
  const answers = await Promise.all(
    AMBIGUOUS.map(async ([what, message]) => [what, await statusesOf(message + HIDDEN)] as const)
  )
  for (const [what, statuses] of answers) t.strictSame(statuses, [400], what)
  t.equal(await isHiddenStored(), false)
})

t.test('the body of a request is never read as a request', async t => {
  const { statusesOf, isHiddenStored } = await listening(t)
  const close = 'Connection: close\r\n'
  const sized = `GET /healthz HTTP/1.1\r\nHost: x\r\n${close}Content-Length: ${HIDDEN.length}\r\n\r\n${HIDDEN}`
  const chunk = `${HIDDEN.length.toString(16)}\r\n${HIDDEN}\r\n0\r\n\r\n`
  const chunked = `GET /healthz HTTP/1.1\r\nHost: x\r\n${close}Transfer-Encoding: chunked\r\n\r\n${chunk}`
  for (const message of [sized, chunked]) t.strictSame(await statusesOf(message), [200])
  t.equal(await isHiddenStored(), false)
  const last = HIDDEN.replace('\r\n\r\n', `\r\n${close}\r\n`)
  t.strictSame(await statusesOf(`${HEAD}Content-Length: 0\r\n\r\n${last}`), [400, 200], 'a second request is served')
  t.equal(await isHiddenStored(), true, 'and would have been seen')
})
