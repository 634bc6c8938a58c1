// Any acceptable cart, by every option and in every legal writing, is stored as it was sent, and its page shows the same
// SKUs and quantities in the same order.
import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import t from 'tap'
import type { Cart } from '../../src/cart/cart.ts'
import { transferOptions } from '../../src/transfer/index.ts'
import type { TransferOption } from '../../src/transfer/option.ts'
import { buildListening } from '../build.ts'
import { expectedOf, requestOf } from './any-case.ts'
import {
  anyCart,
  anyNumbers,
  type Choose,
  chooser,
  draftOf,
  feedOf,
  type LinkName,
  type OptionName,
  someSkus
} from './draft.ts'
import { merchantFiles } from './fuzzed-server.ts'
import { openTally } from './report.ts'
import { tryCase } from './try-case.ts'
import { openWire } from './wire.ts'
import { ORIGIN, type Request, shopOf, writeRequest } from './write-request.ts'

const seed = Number(process.env.FUZZ_SEED ?? Math.floor(Math.random() * 2 ** 31))

const RUNS = 20

/** A way to write a cart as a request: how a platform does it, or any other that is legal. */
type Writer = {
  option: OptionName | LinkName
  isIndexFree: boolean
  /** With which the cart is taken. */
  status: number
  /** Undefined if the option has no way to write the cart. */
  write: (cart: Cart, choose: Choose) => Request | undefined
}

function byPlatform({ name, answer, request, variants = {} }: TransferOption): Writer[] {
  const option = name as Writer['option']
  return Object.entries({ plain: request, ...variants }).map(([variant, write]) => ({
    option,
    isIndexFree: variant === 'index-free',
    status: answer === 'redirect' ? 303 : 200,
    write: cart => {
      if (name === 'meta' && cart.items.some(({ sku }) => /[,:]/.test(sku))) return undefined
      const { method, url, headers, body } = write(cart, `${ORIGIN}${shopOf(option).path}/cart`)
      return {
        method,
        target: url.slice(ORIGIN.length),
        headers: headers.map(({ name, value }) => `${name}: ${value}`),
        ...(body !== undefined && { body: Buffer.from(body).toString('latin1') })
      }
    }
  }))
}

const byAnyone = (option: OptionName, isIndexFree = false): Writer => ({
  option,
  isIndexFree,
  status: 200,
  write: (cart, choose) => requestOf(option, draftOf(cart), isIndexFree, choose)
})

const writers: Writer[] = [
  ...transferOptions.filter(({ answer }) => answer !== 'protocol').flatMap(byPlatform),
  ...[byAnyone('1'), byAnyone('2A'), byAnyone('2A', true), byAnyone('2B')]
]

/** Only option 2A sends what the app claims as prices. Index-free ones pair up with the items, or are left out. */
function storedAs({ items, ...rest }: Cart, option: Writer['option'], isIndexFree: boolean): Cart {
  const arePaired = !isIndexFree || items.every(({ price }) => price !== undefined)
  return {
    ...rest,
    items: items.map(({ sku, quantity, price }) =>
      option === '2A' && price !== undefined && arePaired
        ? { sku, quantity, price: price.slice(0, 128) }
        : { sku, quantity }
    )
  }
}

t.test(`any cart arrives as it was sent, FUZZ_SEED=${seed}`, async t => {
  const skus = someSkus(seed)
  const { port, store } = await buildListening(t, { merchants: merchantFiles, feed: feedOf(skus) })
  const tally = openTally()
  const client = { port, tally, wire: openWire(port) }
  t.teardown(() => client.wire.close())

  const arrives = fc.asyncProperty(anyCart(skus), anyNumbers, async (anyCart, numbers) => {
    for (const { option, isIndexFree, status: taken, write } of writers) {
      const cart = { ...anyCart, reference: randomUUID().replaceAll('-', '') }
      const request = write(cart, chooser(numbers))
      if (!request) continue
      const lines = cart.items.map(({ sku, quantity }) => ({ sku, quantity }))
      const accepted = { status: taken, lines }
      const answers = [taken === 303 ? accepted : expectedOf(request, accepted)]
      const send = [writeRequest(request, chooser(numbers))]
      const [status] = await tryCase(client, { option, kind: 'valid', what: 'a cart', send, answers })
      const stored = await store.newestCheckout(shopOf(option).path.slice(1), cart.reference)
      const expected = status === taken ? storedAs(cart, option, isIndexFree) : undefined
      if (!isDeepStrictEqual(stored?.cart, expected)) throw new Error(`stored ${JSON.stringify(stored?.cart)}`)
    }
  })
  await t.resolves(fc.assert(arrives, { seed, numRuns: RUNS }))
  const { pages } = tally.totals()
  // Two writers need a URL, which is too short for some carts; one cannot write some.
  t.ok(pages > RUNS * (writers.length - 3), `${pages} pages were compared`)
})
