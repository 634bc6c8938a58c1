// The buyer that a link brought with a bag: in the form of the page to which that link leads, and nowhere else.
import t, { type Test } from 'tap'
import type { Buyer, Cart } from '../../src/cart/cart.ts'
import { openCheckout } from '../../src/checkout/open-checkout.ts'
import { withBuyer } from '../../src/pages/given-buyer.ts'
import { permalink } from '../../src/transfer/permalink/permalink.ts'
import { anyContext } from '../any-context.ts'
import { build, merchantFile, uuid } from '../build.ts'
import { openOwnShop, SHOP_SECRET, shopFile } from '../integrations/destination/own-shop.ts'
import { formOf } from './shopper.ts'

const ADDRESS = { name: 'Ada King-Noel', address1: '12 Quay Street', city: 'Whitby', postcode: 'YO21 1AA' }
const BUYER = { email: 'ada@example.com', phone: '+44 20 7946 0000', country: 'GB', address: ADDRESS }
const NOTE = 'Already filled in for you. Please check it.'

const CART: Cart = { reference: uuid(1), currency: 'GBP', items: [{ sku: 'MUG', quantity: 2 }] }
const LINK = permalink.request({ ...CART, buyer: BUYER, attribution: { utm_source: 'app' } }, '/shop/cart').url

async function openShop(t: Test, changes = {}) {
  const file = merchantFile('2B', { countries: ['DE', 'GB', 'US'], locales: ['de-DE'], ...changes })
  const { app, store, merchants, catalogues, clock, changeOffer } = await build(t, { merchants: [file] })
  const [merchant, catalogue] = [merchants[0] as (typeof merchants)[0], catalogues[0] as (typeof catalogues)[0]]
  const transfer = (came: Partial<Cart>) => {
    const cart = { ...CART, ...came }
    return openCheckout({ ...anyContext({ merchant, store, catalogue, clock }), way: merchant.ways[0] }, cart)
  }
  return {
    app,
    store,
    transfer,
    changeOffer,
    /** Opens a checkout for a bag with this buyer. @returns its address by the token alone, and the one with the key */
    open: async (buyer: Buyer) => {
      const { checkout } = await transfer({ buyer })
      const bare = `/shop/checkout/${checkout.token}`
      return { token: checkout.token, bare, own: withBuyer(bare, checkout.cart.buyer) }
    },
    get: async (url: string) => (await app.inject(url)).body,
    post: (url: string, fields: Record<string, string>) => {
      const headers = { 'content-type': 'application/x-www-form-urlencoded' }
      return app.inject({ method: 'POST', url, headers, payload: `${new URLSearchParams(fields)}` })
    }
  }
}

/** What the form of a page would send; states are chosen from a list. */
function fieldsOf(page: string): Record<string, string> {
  const chosen = Array.from(page.matchAll(/<select id=(\w+).*?<\/select>/gs), ([list, name = '']) => {
    const [, code, text = ''] = /<option(?: value=(\S+))? selected>([^<]*)/.exec(list) ?? []
    return [name, code ?? text] as const
  })
  return { ...formOf(page)?.fields, ...Object.fromEntries(chosen) }
}

t.test('the form has what the link says, marked, for its country, and a reload has it again', async t => {
  const { open, get } = await openShop(t)
  const { own } = await open(BUYER)
  for (const page of [await get(own), await get(own)]) {
    const { email, phone, country } = BUYER
    t.match(fieldsOf(page), { email, phone, country, shown: country, ...ADDRESS })
    t.match(page, NOTE)
  }
})

t.test('a country alone is preselected, which nobody has to check', async t => {
  const noteFor = async (buyer: Buyer) => {
    const { open, get } = await openShop(t)
    const page = await get((await open({ country: 'DE', ...buyer })).own)
    t.equal(fieldsOf(page).country, 'DE')
    return page.includes(NOTE)
  }
  t.notOk(await noteFor({}))
  t.notOk(await noteFor({ address: { state: 'Ohio' } }), 'the country has no such field')
  t.ok(await noteFor({ phone: BUYER.phone }))
  t.ok(await noteFor({ address: { postcode: '26133' } }))
})

t.test('nothing of the buyer is on a page that the token, a repeat or another key leads to', async t => {
  const { app, open, get, transfer } = await openShop(t)
  const { token, bare, own } = await open(BUYER)
  const repeat = await transfer({ buyer: { email: 'other@example.com' } })
  t.equal(repeat.isRepeat, true)
  t.equal(repeat.checkout.token, token, 'a repeat is a repeat')
  const payload = `token=${token}`
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const pages = [
    await get(bare),
    await get(`${bare}?buyer=`),
    await get(`${bare}?buyer=undefined`),
    await get(`${bare}?buyer=${'0'.repeat(32)}`),
    (await app.inject({ method: 'POST', url: '/shop/checkout', headers, payload })).body
  ]
  for (const page of pages) {
    t.notMatch(page, /ada@|Ada King|Quay|7946|YO21|other@/)
    t.notMatch(page, NOTE)
    t.match(fieldsOf(page), { country: 'DE' })
  }
  t.match(await get(own), NOTE, 'and the link still leads to it')
})

t.test("a merchant's own shop has no use for it, and it is not kept", async t => {
  const shop = await openOwnShop(t)
  const { app, store } = await build(t, { merchants: [shopFile('permalink', shop.url)], variables: { SHOP_SECRET } })
  const { statusCode, headers } = await app.inject(LINK)
  t.equal(statusCode, 303)
  t.notMatch(headers.location, 'buyer=')
  t.notHas((await store.newestCheckout('shop', CART.reference))?.cart, { buyer: {} })
})

t.test('a link leads to the address with the key, a repeat of it to the one without', async t => {
  const { app } = await build(t, { merchants: [merchantFile('permalink')] })
  const [first, again] = [await app.inject(LINK), await app.inject(LINK)].map(({ headers }) => String(headers.location))
  t.match(first, /^http:\/\/127\.0\.0\.1:3000\/shop\/checkout\/[a-zA-Z0-9]{32}\?buyer=[a-zA-Z0-9]{32}&utm_source=app$/)
  t.equal(again, first?.replace(/buyer=\w+&/, ''))
  const pages = await Promise.all([first, again].map(async address => (await app.inject(String(address))).body))
  t.strictSame(
    pages.map(page => page.includes(NOTE)),
    [true, false]
  )
})

t.test('a HEAD changes nothing, and no key opens a page without a buyer', async t => {
  const { app, open, get, transfer } = await openShop(t)
  const { own } = await open(BUYER)
  t.equal((await app.inject({ method: 'HEAD', url: own })).statusCode, 200)
  t.match(await get(own), NOTE)
  const { checkout } = await transfer({ reference: uuid(2) })
  t.notMatch(await get(`/shop/checkout/${checkout.token}?buyer=`), NOTE)
})

t.test('another language keeps what is typed, and the mark', async t => {
  const { open, get, post, changeOffer } = await openShop(t)
  const { own } = await open(BUYER)
  const { action = '' } = formOf(await get(own)) ?? {}
  const german = await post(action, { ...fieldsOf(await get(own)), email: 'changed@example.com', lang: 'de' })
  t.equal(german.statusCode, 200)
  t.match(german.body, 'Bereits für Sie ausgefüllt.')
  t.match(fieldsOf(german.body), { ...ADDRESS, email: 'changed@example.com' }, 'the shopper may change it')
  changeOffer('MUG', { availability: 'out_of_stock' })
  const soldOut = await get(own)
  t.notMatch(soldOut, /ada@|Quay/, 'without a form there is nothing to be typed again')
  t.match(soldOut, `<a href="${own}&amp;lang=de"`)
})

t.test('it is ordered as it stands, and then the cart has it no more', async t => {
  const { store, open, get, post } = await openShop(t)
  const { token, own } = await open(BUYER)
  const page = await get(own)
  const placed = await post(formOf(page)?.action ?? '', fieldsOf(page))
  t.match(placed.headers.location, /\/complete\?order=/)
  t.notMatch(placed.headers.location, 'buyer')
  t.strictSame((await store.findOrder('shop', token))?.customer, BUYER)
  t.notHas((await store.findCheckout('shop', token))?.cart, { buyer: {} })
})

const odd: [name: string, buyer: Buyer, expected: Record<string, string>, mistakes: string[]][] = [
  ['nothing', {}, { email: '', country: 'DE' }, ['email', 'name', 'address1', 'postcode', 'city']],
  [
    'a country that is not delivered to',
    { ...BUYER, country: 'FR', address: { ...ADDRESS, state: 'Bretagne' } },
    { country: 'DE', name: ADDRESS.name, state: 'Bretagne', shown: 'DE' },
    []
  ],
  [
    'a state that the country does not have',
    { ...BUYER, country: 'US', address: { ...ADDRESS, state: 'Yorkshire' } },
    { state: 'Yorkshire' },
    []
  ],
  ['an email that is none', { ...BUYER, email: '<ada>' }, { email: '<ada>' }, ['email']],
  [
    'a name that is too long',
    { ...BUYER, address: { ...ADDRESS, name: 'x'.repeat(201) } },
    { name: 'x'.repeat(201) },
    ['name']
  ],
  [
    'names of other fields',
    { ...BUYER, address: { ...ADDRESS, digest: 'x', look: '1', lang: 'de', email: 'b@c', delivery: 'x' } },
    { email: 'ada@example.com' },
    []
  ]
]

for (const [name, buyer, expected, mistakes] of odd) {
  t.test(`never a reason to refuse: ${name}`, async t => {
    const { open, get, post } = await openShop(t)
    const { own } = await open(buyer)
    const page = await get(own)
    t.equal(page.includes(NOTE), name !== 'nothing')
    const fields = fieldsOf(page)
    for (const [field, value] of Object.entries(expected)) t.equal(fields[field] ?? '', value, field)
    for (const field of ['look', 'lang', 'delivery']) t.notOk(field in fields, field)
    const { body } = await post(formOf(page)?.action ?? '', fields)
    for (const field of mistakes) t.match(body, `id=${field}-wrong`)
  })
}
