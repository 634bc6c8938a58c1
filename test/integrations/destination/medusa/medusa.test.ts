import t, { type Test } from 'tap'
import { medusa } from '../../../../src/integrations/destination/medusa/medusa.ts'
import type { DestinationRoute } from '../../../../src/integrations/destination/shop-page.ts'
import { reported } from '../../../reported.ts'
import { changeBody, readRecordings, withBody, withStatus } from '../recorded-shop.ts'

const shop = readRecordings(medusa)
const { recordingOf, outcomeOf } = shop

/** What the adapter makes of the recording of three lines of which one answer is another. */
const outcomeWith = (t: Test, call: number, edit: Parameters<typeof shop.outcomeWith>[3]) =>
  shop.outcomeWith(t, 'one SKU on two lines', call, edit)

t.test('what the real Medusa answered', shop.testAll)

t.test("Medusa's cart holds the lines as they were sent, in the region of the currency", async t => {
  const cases: [name: string, currency: string, lines: [sku: string, quantity: number][]][] = [
    ['another currency', 'USD', [['SHIRT-S', 1]]],
    [
      'one SKU on two lines',
      'EUR',
      [
        ['SHIRT-S', 1],
        ['SHIRT-M', 2],
        ['SHIRT-S', 3]
      ]
    ],
    ['a SKU with a comma and other signs', 'EUR', [['A+b & c/ü#1,2', 1]]],
    [
      'items of which there are always enough',
      'EUR',
      [
        ['SHIRT-BACK', 3],
        ['SHIRT-FREE', 9999]
      ]
    ]
  ]
  for (const [name, currency, sent] of cases) {
    const lines = sent.map(([sku, quantity]) => ({ sku, quantity }))
    t.match(outcomeOf(name), { handover: { currency, lines } }, name)
  }
})

t.test('reference and key become metadata of the cart, which Medusa copies to its order', async t => {
  const { calls, cart } = recordingOf('one SKU on two lines')
  const metadata = { cart_transfer_reference: cart.reference, cart_transfer_key: 'key-of-a-recording' }
  t.match(JSON.parse(calls[1]?.request.body ?? ''), { metadata })
})

t.test('Medusa applies codes one by one, and the order has the attribution', async t => {
  const { cart, calls } = recordingOf('codes and attribution')
  const [, made, ...promoted] = calls.map(({ request }) => JSON.parse(request.body ?? '{}'))
  t.match(made, { metadata: { cart_transfer_attribution: cart.attribution } })
  t.strictSame(
    promoted,
    ['NO-SUCH', 'SUMMER10', 'OLD'].map(code => ({ promo_codes: [code] }))
  )
  const unknown = '/store/carts/{cart}/promotions answered 400: The promotion code NO-SUCH is invalid'
  const leftOut = 'Medusa does not apply it to this cart'
  const refusedCodes = [
    { code: 'NO-SUCH', detail: unknown },
    { code: 'OLD', detail: leftOut }
  ]
  t.match(outcomeOf('codes and attribution'), { handover: { lines: cart.items, refusedCodes } })
  const failing = await shop.outcomeWith(t, 'codes and attribution', 3, withStatus(500))
  t.match(failing, {
    handover: { lines: cart.items, refusedCodes: [{}, { code: 'SUMMER10', detail: 'it answered 500' }] }
  })
  const promotions = [{ code: 'SUMMER10' }, { code: 'OLD' }]
  const gift = changeBody(({ cart }) =>
    Object.assign(cart, { promotions, items: [{ variant_sku: 'GIFT', quantity: 1 }] })
  )
  const changed = await shop.outcomeWith(t, 'codes and attribution', 4, gift)
  t.match(changed, { handover: { lines: [{ sku: 'GIFT', quantity: 1 }], refusedCodes: [{ code: 'NO-SUCH' }] } })
})

t.test('the page gets the cart by the cookie of the starter storefronts, or in its address', async t => {
  const cookie = { name: '_medusa_cart_id', value: /^cart_\w+$/, isHttpOnly: true, isSecure: false, path: '/' }
  t.match(outcomeOf('one SKU on two lines'), { handover: { url: /\/checkout$/, cookies: [cookie] } })
  const inAddress = outcomeOf('the id in the address')
  t.match(inAddress, { handover: { url: /^https:\/\/page\.example\/app\/(cart_\w+)\?cart=\1$/ } })
  t.notMatch(inAddress, { handover: { cookies: Array } })
})

t.test('each line that Medusa would not sell is refused by name', async t => {
  const ofSku = (line: number, code: string) => ({ line, field: 'sku', code })
  t.match(outcomeOf('a line that is out of stock'), { refused: [ofSku(1, 'out-of-stock')] })
  t.match(outcomeOf('no price in the currency'), { refused: [ofSku(1, 'price-missing')] })
  const tooMany = { field: 'quantity', code: 'quantity-too-large', limit: { units: 2 } }
  // Medusa would sell these, and then lack one.
  t.match(outcomeOf('more than the stock, on two lines'), { refused: [{ line: 2, ...tooMany }] })
  const unknown = [0, 2, 3, 4].map(line => ofSku(line, 'sku-unknown'))
  t.match(outcomeOf('SKUs that are not sold'), { refused: unknown })
})

t.test('wrong settings are told in the words of Medusa', async t => {
  const failed = /^\/store\/product-variants answered 400: A valid publishable key is req/
  t.match(outcomeOf('a key that Medusa does not know'), { failed })
})

/** The same variants with other stock. */
const withStock = (stockOf: Record<string, number | null | undefined>) =>
  changeBody(({ variants }) => {
    for (const variant of variants) variant.inventory_quantity = stockOf[variant.sku]
  })

t.test('a line may have all that is in stock, and no more', async t => {
  t.match(await outcomeWith(t, 0, withStock({ 'SHIRT-S': 4, 'SHIRT-M': 2 })), { handover: {} })
  t.strictSame(await outcomeWith(t, 0, withStock({ 'SHIRT-S': 4, 'SHIRT-M': 1 })), {
    refused: [
      {
        field: 'quantity',
        line: 1,
        code: 'quantity-too-large',
        detail: 'The shop has 1 units of "SHIRT-M".',
        limit: { units: 1 }
      }
    ]
  })
})

t.test('an item of which Medusa does not tell the stock has none', async t => {
  const outcome = await outcomeWith(t, 0, withStock({ 'SHIRT-S': null }))
  t.match(outcome, { refused: [0, 1, 2].map(line => ({ line, code: 'out-of-stock' })) })
})

t.test('what sold out after the stock was asked for is a failure: the next try names it', async t => {
  const message = 'Some variant does not have the required inventory'
  const outcome = await outcomeWith(t, 1, answer => {
    answer.status = 400
    withBody({ code: 'insufficient_inventory', type: 'not_allowed', message })(answer)
  })
  t.strictSame(outcome, { failed: `/store/carts answered 400: ${message}` })
})

t.test('lines of the cart without a SKU, or without units, are told as they are', async t => {
  const items = [
    { variant_sku: null, quantity: 1 },
    { variant_sku: 'SHIRT-S', quantity: 0 }
  ]
  const outcome = await outcomeWith(t, 1, withBody({ cart: { id: 'cart_1', currency_code: 'eur', items } }))
  t.match(outcome, {
    handover: {
      lines: [
        { sku: '', quantity: 1 },
        { sku: 'SHIRT-S', quantity: 0 }
      ]
    }
  })
})

t.test('an answer that is not of a Store API is a failure', async t => {
  for (const body of [{}, { variants: [{ id: 'variant_1' }] }, null]) {
    const failed = '/store/product-variants gave an answer that is not that of Medusa'
    t.strictSame(await outcomeWith(t, 0, withBody(body)), { failed })
  }
  const without = await outcomeWith(t, 0, answer => {
    answer.status = 400
    withBody({ errors: [] })(answer)
  })
  t.match(without, { failed: /not that of Medusa/ }, 'a refusal without a message')
  // The id becomes a cookie.
  const cart = { id: 'cart_1; Domain=example', currency_code: 'eur', items: [] }
  t.strictSame(await outcomeWith(t, 1, withBody({ cart })), {
    failed: '/store/carts gave an answer that is not that of Medusa'
  })
  for (const status of [307, 404, 500]) {
    t.strictSame(await outcomeWith(t, 0, withStatus(status)), {
      failed: `it answered ${status}${status < 400 ? '; redirects are not followed' : ''}`
    })
  }
})

t.test('a currency without a region is refused', async t => {
  const recording = recordingOf('one SKU on two lines')
  const { outcome } = await shop.replay(t, { ...recording, settings: { ...recording.settings, regions: {} } })
  t.match(outcome, { refused: [{ field: 'currency', code: 'currency-not-sold' }] })
})

const check = (settings: Parameters<typeof medusa.check>[0], route: DestinationRoute) =>
  reported(report => medusa.check(settings, route, report))
const EUR = { id: 'reg_1', pageUrl: 'https://shop.example/de/checkout' }
const right = { url: 'https://api.shop.example', publishableKey: 'pk_1', regions: { EUR } }
const route: DestinationRoute = { answer: 'page', origin: 'https://shop.example', path: '', currencies: ['EUR'] }

/** The mistakes with another page. */
function withPage(pageUrl: string, changed: Partial<DestinationRoute> = {}) {
  return check({ ...right, regions: { EUR: { ...EUR, pageUrl } } }, { ...route, ...changed })
}

t.test('right settings have no mistakes', async t => {
  t.strictSame(withPage(EUR.pageUrl), [])
  t.strictSame(withPage('https://shop.example/app/{cart}', { origin: 'https://elsewhere.example' }), [])
})

t.test('the address of Medusa is one that can be called', async t => {
  for (const url of [
    'shop.example',
    'http://shop.example',
    'https://api.shop.example/?a=b',
    'https://shop.example/#'
  ]) {
    const [mistake, ...others] = check({ ...right, url }, route)
    t.match(mistake, { key: ['url'], problem: /give one such as "https:\/\/api\.shop\.example"/ }, url)
    t.strictSame(others, [])
  }
})

t.test('a secret key of Medusa is refused, and not shown', async t => {
  const [mistake] = check({ ...right, publishableKey: 'sk_1' }, route)
  t.match(mistake, { key: ['publishableKey'], problem: /^it is not a publishable API key; give "pk_"/ })
  t.notMatch(mistake?.problem, 'sk_1')
})

t.test('each currency of the merchant has a region, and no other has', async t => {
  const found = check(right, { ...route, currencies: ['EUR', 'USD'] })
  t.match(found, [{ key: ['regions'], problem: /none for USD/ }])
  const others = check(right, { ...route, currencies: [] })
  t.match(others, [{ key: ['regions', 'EUR'], problem: /not in currencies/ }])
  // Whatever is in it: a schema checks no key with a line break.
  const broken = { ...right, regions: { EUR, 'U\nSD': null } } as unknown as typeof right
  t.match(check(broken, route), [{ key: ['regions', 'U\nSD'], problem: /not in currencies/ }])
})

t.test('the address of the checkout is one that an app can open', async t => {
  for (const pageUrl of ['/de/checkout', 'https://shop.example/{id}', `https://shop.example/${'x'.repeat(2030)}`]) {
    t.match(withPage(pageUrl), [{ key: ['regions', 'EUR', 'pageUrl'] }], pageUrl)
  }
})

t.test('a cookie for another host is refused if a redirect would have to carry it', async t => {
  const elsewhere = { origin: 'https://app.example' }
  const problem =
    /_medusa_cart_id for shop\.example.*option 1 can, and an address with "\{cart\}" in it needs no cookie/
  t.match(withPage(EUR.pageUrl, elsewhere), [{ key: ['regions', 'EUR', 'pageUrl'], problem }])
  t.strictSame(withPage(EUR.pageUrl, { ...elsewhere, answer: 'description' }), [])
  // Where this server is reached is known with the first request.
  const { origin, ...withoutOrigin } = route
  t.strictSame(check(right, withoutOrigin), [])
})
