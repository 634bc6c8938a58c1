// Every cell of the table of states in DECISIONS.md, for every option: what a checkout's page shows, what placing it
// does, and what happens to the same cart and to another cart under its reference.
import type { LightMyRequestResponse } from 'fastify'
import t, { type Test } from 'tap'
import type { Item } from '../../src/cart/cart.ts'
import { uuid } from '../build.ts'
import { textOf } from './read-page.ts'
import { ADA, BAG, type Form, formOf, openShop, PERSONAL, type Shop, stable } from './shopper.ts'

const OPTIONS = ['1', '2A', '2B']
const DAY = 24 * 60 * 60 * 1000
const NEWER: Item[] = [{ sku: 'BASKET', quantity: 1 }]
const OTHER: Item[] = [{ sku: 'THROW', quantity: 3 }]

/** A checkout whose page and form were loaded before anything happened to it. */
type Begun = Omit<Shop, 'send'> & {
  reference: string
  token: string
  form0: Form
  first: LightMyRequestResponse
  /** Sends a cart under the reference. */
  send: (items?: Item[]) => Promise<LightMyRequestResponse>
  /** The orders placed since. */
  orders: () => Record<string, unknown>[]
}

type State = {
  reach: (begun: Begun) => Promise<unknown>
  page: { status: number; says: RegExp; hasForm: boolean }
  /** A status and text, or the confirmation. */
  placing: { status: number; says: RegExp } | 'the confirmation'
  sameCart: 'the same token' | 'a new checkout' | 'its page'
  otherCart: 'a new checkout' | 'refused'
}

const place = ({ submit, form0 }: Begun) => submit(form0)
const sellOut = async ({ change }: Begun) => change('MUG', { availability: 'out_of_stock' })
const supersede = ({ send }: Begun) => send(NEWER)
const expire = async ({ tick }: Begun) => tick(DAY)

const placed: Omit<State, 'reach'> = {
  page: {
    status: 409,
    says: /^You’ve already placed this order .* View order [2-9A-Z]{4}-[2-9A-Z]{4} /,
    hasForm: false
  },
  placing: 'the confirmation',
  sameCart: 'its page',
  otherCart: 'refused'
}
const superseded: Omit<State, 'reach'> = {
  page: { status: 200, says: /^Your bag has changed .* Go back to the app/, hasForm: false },
  placing: { status: 409, says: /^Your bag has changed .* Go back to the app/ },
  sameCart: 'a new checkout',
  otherCart: 'a new checkout'
}
const ENTERED =
  /You’ll need to enter your details again .* Email somebody@else.example Full name Somebody Else Company Engine .* Phone number \+44 /
const unsellable =
  /^(Error: Checkout )?Checkout .* isn’t available right now .* mug Qty 2 This item is out of stock .* clock Qty 1 £120/

const states: Record<string, State> = {
  open: {
    reach: async () => {},
    page: { status: 200, says: /^Checkout .* Total £145\.00 /, hasForm: true },
    placing: 'the confirmation',
    sameCart: 'the same token',
    otherCart: 'a new checkout'
  },
  'open, a moment before it expires': {
    reach: async ({ tick }) => tick(DAY - 1),
    page: { status: 200, says: /^Checkout /, hasForm: true },
    placing: 'the confirmation',
    sameCart: 'the same token',
    otherCart: 'a new checkout'
  },
  'open, a line no longer sellable': {
    reach: sellOut,
    page: { status: 200, says: unsellable, hasForm: false },
    placing: { status: 409, says: unsellable },
    sameCart: 'the same token',
    otherCart: 'a new checkout'
  },
  superseded: { reach: supersede, ...superseded },
  'superseded and expired': {
    reach: async begun => [await supersede(begun), await expire(begun)],
    ...superseded
  },
  expired: {
    reach: expire,
    page: { status: 410, says: /^This checkout has expired .* Go back to the app/, hasForm: false },
    placing: { status: 410, says: /^This checkout has expired .* Go back to the app/ },
    sameCart: 'a new checkout',
    otherCart: 'a new checkout'
  },
  placed: { reach: place, ...placed },
  'placed, a line no longer sellable': {
    reach: async begun => [await place(begun), await sellOut(begun)],
    ...placed
  },
  'placed and expired': {
    reach: async begun => [await place(begun), await expire(begun)],
    ...placed
  },
  'placed, and another cart refused since': {
    reach: async begun => [await place(begun), await supersede(begun)],
    ...placed
  }
}

let references = 0

/** Brings a new checkout into a state. The clock only moves forward; the feed is restored after the test. */
async function begin(t: Test, shop: Shop, { reach }: State): Promise<Begun> {
  const reference = uuid(++references)
  t.teardown(() => shop.change('MUG', { availability: 'in_stock' }))
  const send: Begun['send'] = items => shop.send(items, reference)
  const earlier = shop.orders().map(({ number }) => number)
  const orders = () => shop.orders().filter(({ number }) => !earlier.includes(number))
  const first = await send()
  const token = await shop.transfer(BAG, reference)
  const begun = { ...shop, reference, send, orders, token, first, form0: await shop.form(token) }
  await reach(begun)
  return begun
}

const newest = ({ store, merchant, reference }: Begun) => store.newestCheckout(merchant.id, reference)
const confirmationOf = ({ token, orders }: Begun) => `/shop/checkout/${token}/complete?order=${orders()[0]?.number}`
const isPlaced = (name: string) => name.startsWith('placed')

for (const option of OPTIONS) {
  t.test(`option ${option}`, async t => {
    const shop = await openShop(t, option)
    for (const [name, state] of Object.entries(states)) {
      const { page, placing, sameCart, otherCart } = state
      const before = isPlaced(name) ? 1 : 0

      t.test(`${name}: its page is ${page.status}`, async t => {
        const begun = await begin(t, shop, state)
        const response = await begun.page(begun.token)
        t.equal(response.statusCode, page.status)
        t.match(textOf(response.body).replace(/ – The Shop The Shop /, ' '), page.says)
        t.equal(formOf(response.body) !== undefined, page.hasForm, page.hasForm ? 'a form' : 'no button')
        t.equal(response.body.includes('<button'), page.hasForm)
        t.equal(begun.orders().length, before, 'showing the page orders nothing')
        const links = response.body.includes(`href="${confirmationOf(begun)}"`)
        t.equal(links, isPlaced(name), 'a link to the confirmation, if there is one')
        if (links) t.equal((await begun.app.inject(confirmationOf(begun))).statusCode, 200)
      })

      const outcome = placing === 'the confirmation' ? 'leads to the confirmation' : `is ${placing.status}`
      t.test(`${name}: placing ${outcome}`, async t => {
        const begun = await begin(t, shop, state)
        const earlier = begun.orders()
        const others = { ...ADA, email: 'somebody@else.example', name: 'Somebody Else' }
        const typed = isPlaced(name) ? ADA : others
        if (isPlaced(name)) t.equal((await begun.submit(begun.form0, others)).statusCode, 409, 'with other details')
        const response = await begun.submit(begun.form0, typed)
        if (placing === 'the confirmation') {
          t.strictSame([response.statusCode, stable(response.headers.location)], [303, confirmationOf(begun)])
          t.equal(begun.orders().length, 1)
          if (isPlaced(name)) t.strictSame(begun.orders(), earlier, 'the order is unchanged')
          t.equal((await begun.app.inject(String(response.headers.location))).statusCode, 200)
          t.strictSame(
            stable((await begun.submit(begun.form0, typed)).headers.location),
            confirmationOf(begun),
            'the same location again'
          )
          t.equal(begun.orders().length, 1)
        } else {
          t.equal(response.statusCode, placing.status)
          t.match(textOf(response.body).replace(/ – The Shop The Shop /, ' '), placing.says)
          t.notOk(formOf(response.body), 'no form')
          t.match(textOf(response.body), ENTERED, 'what was typed can be copied')
          const page = await begun.page(begun.token)
          t.notMatch(textOf(page.body), 'enter your details again', 'its address alone does not lead to that')
          t.strictSame(begun.orders(), [])
        }
      })

      t.test(`${name}: the same cart again gets ${sameCart}`, async t => {
        const begun = await begin(t, shop, state)
        const earlier = await newest(begun)
        const response = await begun.send()
        const now = await newest(begun)
        t.equal(now?.token === begun.token, sameCart !== 'a new checkout')
        if (sameCart === 'a new checkout') t.strictSame(now?.cart.items, BAG)
        else t.strictSame(now, earlier, 'nothing about it changes')
        const isPage = option !== '1' && sameCart === 'its page'
        t.equal(response.statusCode, isPage ? 409 : 200)
        if (sameCart !== 'a new checkout') {
          if (option === '1') t.equal(response.body, begun.first.body, 'the same description')
          else t.equal(textOf(response.body), textOf((await begun.page(begun.token)).body), 'its current page')
        }
        if (isPage) t.match(response.body, `href="${confirmationOf(begun)}"`)
        t.notOk(
          PERSONAL.some(text => response.body.includes(text)),
          'whoever has reference and bag learns of no person'
        )
        t.equal(begun.orders().length, before)
        t.match(begun.logs.at(-1), {
          msg: 'transfer',
          outcome: sameCart === 'a new checkout' ? 'accepted' : 'repeated'
        })
      })

      t.test(`${name}: another cart under its reference: ${otherCart}`, async t => {
        const begun = await begin(t, shop, state)
        const earlier = await newest(begun)
        const response = await begun.send(OTHER)
        const now = await newest(begun)
        if (otherCart === 'a new checkout') {
          t.equal(response.statusCode, 200)
          t.match(now, { cart: { items: OTHER } })
          t.notOk([begun.token, earlier?.token].includes(now?.token))
          t.match(textOf((await begun.page(begun.token)).body), /^Your bag has changed/, 'this one is now superseded')
          return
        }
        t.strictSame(now, earlier, 'the order keeps its checkout')
        t.equal(response.statusCode, 409)
        if (option === '1') {
          t.match(response.headers['content-type'], 'application/problem+json')
          t.match(response.json(), { status: 409, type: /:reference-ordered$/ })
        } else t.match(textOf(response.body), /^You’ve already ordered this bag /)
        const [order] = begun.orders()
        t.notMatch(response.body, String(order?.number), 'the number is not revealed')
        t.notMatch(response.body, begun.token)
        t.notMatch(response.body, '/complete', 'nor is the link')
        t.notMatch(response.body, 'data-sku')
        t.match(begun.logs.at(-1), { msg: 'transfer', outcome: 'refused', problem: 'reference-ordered', lines: 1 })
      })
    }
  })
}

t.test('placing a superseded checkout with a sold-out line says that the bag has changed', async t => {
  const begun = await begin(t, await openShop(t, '1'), states.superseded as State)
  await sellOut(begun)
  const response = await begun.submit(begun.form0)
  t.equal(response.statusCode, 409)
  t.match(textOf(response.body), /^Your bag has changed/)
})
