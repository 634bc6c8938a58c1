import t, { type Test } from 'tap'
import type { Cart } from '../../../../src/cart/cart.ts'
import { ShopFailed } from '../../../../src/integrations/destination/destination.ts'
import type { DestinationRoute } from '../../../../src/integrations/destination/shop-page.ts'
import { woocommerce } from '../../../../src/integrations/destination/woocommerce/woocommerce.ts'
import { httpFetch } from '../../../../src/integrations/outgoing/http-client.ts'
import { openServer } from '../../../listen.ts'
import { reported } from '../../../reported.ts'
import { changeBody, readRecordings, withBody, withStatus } from '../recorded-shop.ts'

const shop = readRecordings(woocommerce)
const { recordingOf, outcomeOf } = shop

const TWO_LINES = 'one SKU on two lines'
/** The calls of that recording. */
const [PRODUCTS, LINK, PAGE, ITEMS] = [0, 1, 2, 3]

/** What the adapter makes of it if one answer is another. */
const outcomeWith = (t: Test, call: number, edit: Parameters<typeof shop.outcomeWith>[3]) =>
  shop.outcomeWith(t, TWO_LINES, call, edit)

/** The same answer with other headers. */
const withHeaders =
  (headers: Record<string, string>, status?: number): Parameters<typeof shop.outcomeWith>[3] =>
  answer => {
    answer.headers = Object.entries(headers)
    answer.status = status ?? answer.status
  }

const open = (cart: Cart, url: string) =>
  woocommerce.open(cart, {
    settings: { url },
    key: 'key-of-a-test',
    signal: AbortSignal.timeout(60_000),
    fetch: httpFetch,
    clock: () => new Date()
  })

t.test('what the real WooCommerce answered', shop.testAll)

t.test('its cart holds the units of each SKU, found by whatever signs it has', async t => {
  const cases: [name: string, lines: [sku: string, quantity: number][]][] = [
    [
      TWO_LINES,
      [
        ['MUG', 4],
        ['SHIRT-S', 2]
      ]
    ],
    [
      'SKUs with signs that WordPress writes in other ways',
      [
        ['a,b c&d', 1],
        ["ODD/1+2%_(x)'é", 1],
        ['80x40 "A"--B', 1],
        ['12345', 1]
      ]
    ],
    [
      'items of which there are always enough',
      [
        ['BACK', 3],
        ['FREE', 9999],
        ['HIDDEN', 1],
        ['ONCE', 1]
      ]
    ]
  ]
  for (const [name, held] of cases) {
    const lines = held.map(([sku, quantity]) => ({ sku, quantity }))
    t.match(outcomeOf(name), { handover: { currency: 'EUR', lines } }, name)
  }
})

t.test(
  'the shop says where its checkout is, and until when it keeps the cart; the address carries the reference',
  async t => {
    const address = (page: string) =>
      new RegExp(
        `^http://${page}session=[\\w-]+\\.[\\w-]+\\.[\\w-]+&utm_source=cart-transfer&utm_medium=app&utm_content=[0-9a-f]{32}$`
      )
    const expiresAt = /^\d{4}-\d\d-\d\dT[\d:]{8}\.000Z$/
    t.match(outcomeOf(TWO_LINES), { handover: { url: address(String.raw`127\.0\.0\.1:\d+/checkout/\?`), expiresAt } })
    const other = address(String.raw`localhost:\d+/classic-checkout/\?`)
    t.match(outcomeOf('a shop with its checkout under another address'), { handover: { url: other } })
  }
)

t.test(
  'a checkout address with a query keeps it, and a token without an end is good as long as the merchant says',
  async t => {
    const recording = recordingOf(TWO_LINES)
    const [, link, page, items] = recording.calls
    if (!link || !page || !items) return t.fail('the calls are recorded')
    link.response.headers = [['location', `${new URL('/?page_id=7&session=a.b.c', shop.origin)}`]]
    page.request.path = '/?page_id=7&session=a.b.c&embed=true'
    items.request.headers['cart-token'] = 'a.b.c'
    const { outcome } = await shop.replay(t, recording)
    t.match(outcome, { handover: { url: /:\d+\/\?page_id=7&session=a\.b\.c&utm_source=cart-transfer&/ } })
    t.notMatch(outcome, { handover: { expiresAt: String } })
  }
)

t.test('each line that the shop would not sell as it was sent is refused by name', async t => {
  const ofSku = (line: number, code: string) => ({ line, field: 'sku', code })
  const tooMany = (line: number, units: number) => {
    return { line, field: 'quantity', code: 'quantity-too-large', limit: { units } }
  }
  const cases: [name: string, refused: object[]][] = [
    ['SKUs that are not sold', [0, 1, 2, 3, 4].map(line => ofSku(line, 'sku-unknown'))],
    ['SKUs that differ in such signs alone', [ofSku(1, 'sku-unknown')]],
    ['products that cannot be bought by a SKU', [0, 2, 3].map(line => ofSku(line, 'sku-unknown'))],
    [
      'products without a price or without stock',
      [ofSku(0, 'price-missing'), ofSku(1, 'out-of-stock'), ofSku(2, 'out-of-stock')]
    ],
    ['more units than are sold', [tooMany(0, 5), tooMany(1, 1), tooMany(2, 5)]],
    // Of two variations with their stock together, and of one with something to choose, only the cart knows.
    ['what only the cart says', [ofSku(2, 'destination-differs'), ofSku(3, 'destination-differs')]],
    ['a bag of which the shop takes nothing', [ofSku(0, 'destination-differs')]],
    ['another currency', [ofSku(1, 'out-of-stock'), { field: 'currency', code: 'currency-not-sold' }]]
  ]
  for (const [name, refused] of cases) {
    t.match(outcomeOf(name), { refused }, name)
    t.strictSame((outcomeOf(name) as { refused: object[] }).refused.length, refused.length, name)
  }
  t.match(outcomeOf('what only the cart says'), {
    refused: [{ detail: /"SOCKS-M": You cannot add that amount of "SOCKS - M".* \(5 remaining\)/ }, {}]
  })
})

t.test('SKUs are found as a WordPress in another language writes them, too', async t => {
  const recording = recordingOf('SKUs with signs that WordPress writes in other ways')
  const inFrench = { '&#8220;': '&laquo;&nbsp;', '&#8221;': '&nbsp;&raquo;', '&#038;': '&amp;' }
  let changed = 0
  for (const { request, response } of recording.calls) {
    if (!request.path.includes('/products')) continue
    for (const [sign, other] of Object.entries(inFrench)) {
      changed += response.body.split(sign).length - 1
      response.body = response.body.replaceAll(sign, other)
    }
  }
  t.ok(changed >= 3, 'the signs were there')
  t.strictSame((await shop.replay(t, recording)).outcome, recording.outcome)
})

t.test('a SKU that has such a sign itself is another one', async t => {
  /** What a shop lists that has one product, for a bag with another SKU as well. */
  const searchesFor = async (skus: string[], printed: string) => {
    const searches: string[] = []
    const server = await openServer(t, async (request, response) => {
      searches.push(JSON.parse((await request.toArray()).join('')).sku)
      const prices = { price: '100', currency_code: 'EUR' }
      const add_to_cart = { minimum: 1, maximum: 9999, multiple_of: 1 }
      const product = { id: 1, type: 'simple', is_purchasable: true, is_in_stock: true, prices, add_to_cart }
      response.end(JSON.stringify([{ ...product, sku: printed }]))
    })
    const items = skus.map(sku => ({ sku, quantity: 1 }))
    const { mistakes } = await open({ reference: 'r', currency: 'EUR', items }, server.origin).catch(error => error)
    return { searches, unknown: mistakes.map(({ line }: { line: number }) => skus[line]) }
  }
  // As seen in WooCommerce 10.5.0: its search finds the first two by either SKU.
  const cases: [printed: string, found: string, other: string][] = [
    ['LAMP&#8230;', 'LAMP...', 'LAMP\u2026'],
    ['LAMP\u2026', 'LAMP\u2026', 'LAMP...'],
    ['MARK &#8482;', 'MARK (tm)', 'MARK \u2122'],
    ['80&#215;40', '80x40', '80\u00d740']
  ]
  for (const [printed, found, other] of cases) {
    const { searches, unknown } = await searchesFor([found, other], printed)
    t.strictSame({ searches, unknown }, { searches: [`${found},${other}`], unknown: [other] })
  }
  // The shop would search for `A` alone.
  t.match(await searchesFor(['MUG', 'A<B', 'TEA'], 'MUG'), { searches: ['A<B', 'MUG,TEA'], unknown: ['A<B', 'TEA'] })
})

/** The products of the recording with something else. */
const withProducts = (changes: Record<string, object>) =>
  changeBody(products => {
    for (const product of products) Object.assign(product, changes[product.sku])
  })

t.test('units that are too few or no multiple of what the shop sells are refused', async t => {
  const limits = (minimum: number, multiple_of: number, maximum = 9999) => {
    return withProducts({ MUG: { add_to_cart: { minimum, maximum, multiple_of } } })
  }
  const refused = [0, 2].map(line => ({ line, field: 'quantity', code: 'destination-differs' }))
  const six = await outcomeWith(t, PRODUCTS, limits(6, 1))
  t.match(six, { refused })
  t.match(six, { refused: [{ detail: 'The shop sells "MUG" from 6 units on, in steps of 1; 4 were sent.' }, {}] })
  t.match(await outcomeWith(t, PRODUCTS, limits(3, 3)), { refused })
  t.match(await outcomeWith(t, PRODUCTS, limits(2, 2)), { handover: {} })
  t.match(await outcomeWith(t, PRODUCTS, limits(0.5, 0.5)), { handover: {} })
  t.match(await outcomeWith(t, PRODUCTS, limits(0.5, 0.5, 3.5)), { refused: [{ limit: { units: 3 } }, {}] })
  t.match(await outcomeWith(t, PRODUCTS, limits(0.5, 0.5, 0.5)), { refused: [{ code: 'out-of-stock' }, {}] })
})

t.test('a SKU that two products have is refused', async t => {
  const twice = changeBody(products => products.push({ ...products[0], id: 1 }))
  const refused = [{ line: 1, code: 'sku-unknown', detail: '2 products of the shop have the SKU "SHIRT-S".' }]
  t.match(await outcomeWith(t, PRODUCTS, twice), { refused })
})

t.test('what the cart holds besides is told with its SKU', async t => {
  const gift = changeBody(items => items.push({ ...items[0], id: 1, sku: 'GIFT' }))
  const outcome = await outcomeWith(t, ITEMS, gift)
  t.match(outcome, { handover: { lines: [{ sku: 'MUG' }, { sku: 'SHIRT-S' }, { sku: 'GIFT (product 1)' }] } })
})

t.test('coupons are applied, and a page that shows errors tells of those that are not', async t => {
  const name = 'codes and attribution'
  const { cart, calls } = recordingOf(name)
  const callOf = (part: string) => calls.findIndex(({ request }) => request.path.includes(part))
  const [coupons, page] = [callOf('/batch'), callOf('wc_error')]
  const { requests } = JSON.parse(calls[coupons]?.request.body ?? '')
  t.match(
    requests,
    ['NO-SUCH', 'SUMMER10', 'OLD'].map(code => ({ path: /apply-coupon/, body: { code } }))
  )
  const [unknown, expired] = [
    'Coupon "no-such" cannot be applied because it does not exist.',
    'Coupon "old" has expired.'
  ]
  const refusedCodes = [
    { code: 'NO-SUCH', detail: unknown },
    { code: 'OLD', detail: expired }
  ]
  // The source is that of the bag, which is added with the rest of the attribution.
  const url = /[?&]session=[\w.-]+&utm_content=cart-transfer__[0-9a-f]{32}$/
  t.match(outcomeOf(name), { handover: { lines: cart.items, url, refusedCodes } }, 'a theme without a place for errors')

  const shown = await shop.outcomeWith(t, name, page, answer => {
    answer.body = '<ul class="woocommerce-error"><li>Sample error of cart transfer</li></ul>'
  })
  const said = new URL((shown as { handover: { url: string } }).handover.url).searchParams.get('wc_error')
  t.equal(said, `${unknown} ${expired}`)

  const taken = await shop.outcomeWith(t, name, coupons, withBody({ responses: [1, 2, 3].map(() => ({ body: {} })) }))
  t.match(taken, { handover: { url, refusedCodes: { length: 0 } } })
  const failing = await shop.outcomeWith(t, name, coupons, withStatus(500))
  const all = cart.codes?.map(code => ({ code, detail: 'it answered 500' }))
  t.match(failing, { handover: { url, refusedCodes: all } }, "no shopper reads what is for the shop's operator")
})

t.test(
  'a coupon may add a gift, which is told; source and medium are ours unless the bag came with its own',
  async t => {
    const recording = recordingOf('codes and attribution')
    const items = recording.calls.findLast(({ request }) => request.path.includes('/cart/items'))
    if (!items) return t.fail('the calls are recorded')
    changeBody(held => held.push({ ...held[0], id: 1, sku: 'GIFT' }))(items.response)
    const { attribution } = recording.cart
    t.match((await shop.replay(t, recording)).outcome, {
      handover: { lines: [{ sku: 'MUG' }, { sku: 'GIFT (product 1)' }], url: /^((?!utm_medium|utm_source).)*$/ }
    })
    delete attribution?.utm_source
    t.match((await shop.replay(t, recording)).outcome, { handover: { url: /&utm_source=cart-transfer&utm_content=/ } })
    delete attribution?.utm_medium
    t.match((await shop.replay(t, recording)).outcome, { handover: { url: /&utm_medium=app&/ } })
  }
)

t.test('a cart in another currency than its products is told as one', async t => {
  const dollars = changeBody(items => {
    items[1].prices.currency_code = 'USD'
  })
  t.match(await outcomeWith(t, ITEMS, dollars), { handover: { currency: 'USD' } })
})

t.test('what the checkout link has left out, and the shop then takes, is in the cart', async t => {
  const recording = recordingOf('what only the cart says')
  const [, , , items, batch] = recording.calls
  if (!items || !batch) return t.fail('the calls are recorded')
  batch.response.body = JSON.stringify({ responses: [{ status: 201, body: [] }] })
  recording.calls.push(structuredClone(items))
  const { outcome } = await shop.replay(t, recording)
  t.match(outcome, { handover: { lines: [{ sku: 'MUG' }, { sku: 'SOCKS-S' }] } })
})

t.test('a bag of 526 lines is searched for, linked and filled in parts that a shop takes', async t => {
  const sizes: Record<string, number[]> = { searched: [], linked: [], batched: [] }
  const held = new Map<number, number>()
  // As long as those of a real shop, which cannot be asked for a part of them.
  const prices = { price: '100', currency_code: 'EUR', raw_prices: { price: '1'.repeat(300) } }
  const server = await openServer(t, async (request, response) => {
    const { searchParams } = new URL(String(request.url), 'http://shop.example')
    const route = searchParams.get('rest_route') ?? ''
    const text = (await request.toArray()).join('')
    const answer = (status: number, body: unknown) => response.writeHead(status).end(JSON.stringify(body))
    if (route.endsWith('/products')) {
      const skus: string[] = JSON.parse(text).sku.split(',')
      sizes.searched?.push(skus.length)
      const add_to_cart = { minimum: 1, maximum: 9999, multiple_of: 1 }
      const common = { type: 'simple', is_purchasable: true, is_in_stock: true, prices, add_to_cart }
      return answer(
        200,
        skus.map(sku => ({ ...common, id: Number(sku), sku }))
      )
    }
    const linked = searchParams.get('products')?.split(',')
    if (linked) {
      sizes.linked?.push(linked.length)
      for (const one of linked) held.set(Number(one.split(':')[0]), Number(one.split(':')[1]))
      return response.writeHead(302, { location: '/checkout/?session=a.b.c' }).end()
    }
    if (route.endsWith('/cart/items')) {
      return answer(
        200,
        Array.from(held, ([id, quantity]) => ({ id, sku: String(id), quantity, prices }))
      )
    }
    if (!route) return response.end()
    const { requests } = JSON.parse(text)
    sizes.batched?.push(requests.length)
    for (const { body } of requests) held.set(body.id, body.quantity)
    return answer(207, { responses: requests.map(() => ({ status: 201, body: [] })) })
  })
  const items = Array.from({ length: 526 }, (_, i) => ({ sku: String(1000 + i), quantity: 1 + (i % 3) }))
  const { lines } = await open({ reference: 'r', currency: 'EUR', items }, server.origin)
  t.strictSame(lines, items)
  t.strictSame(sizes, { searched: [...Array(10).fill(50), 26], linked: [500], batched: [25, 1] })
})

t.test('a shop that cannot be used says in the log what to do', async t => {
  const cases: [what: string, call: number, edit: Parameters<typeof outcomeWith>[2], failed: RegExp][] = [
    ['closed', PRODUCTS, withStatus(401), /^it answered 401: does a security plugin/],
    ['closed', PRODUCTS, withStatus(403), /^it answered 403: does a security plugin/],
    ['another address', PRODUCTS, withStatus(404), /^it answered 404: is url the address of a shop with Woo/],
    ['limited by a proxy', PRODUCTS, withStatus(429), /^it answered 429: the rate limit/],
    ['in maintenance', PRODUCTS, withStatus(503), /^it answered 503: is it in maintenance\?$/],
    [
      'a page in place of JSON',
      PRODUCTS,
      answer => {
        answer.body = '<!doctype html>'
      },
      /^it answered 200 with something that is not JSON: is url the address/
    ],
    [
      'a redirect',
      PRODUCTS,
      withHeaders({ location: 'https://www.shop.example/?a=secret' }, 301),
      /^it answered 301; redirects are not followed, and this one leads to https:\/\/www\.shop\.example\/$/
    ],
    ['other JSON', PRODUCTS, withBody({ products: [] }), /^\/wc\/store\/v1\/products gave an answer that is not that/],
    ['older than 10.0', LINK, withHeaders({}, 200), /older than 10\.0\? It has to be updated$/],
    [
      'a log-in before the shop',
      LINK,
      withHeaders({ location: '/wp-login.php?redirect_to=a' }),
      /^its checkout link leads to http:\/\/127\.0\.0\.1:\d+\/wp-login\.php: for a log-in/
    ],
    [
      'a checkout on another host',
      LINK,
      withHeaders({ location: 'https://www.shop.example/checkout/?session=a.b.c' }),
      /^its checkout is on https:\/\/www\.shop\.example; give that in url$/
    ],
    [
      'a log-in before the checkout',
      PAGE,
      withHeaders({ location: '/my-account/' }, 302),
      /^its checkout leads on to http:\/\/127\.0\.0\.1:\d+\/my-account\/: does it ask guests to log in\?$/
    ],
    ['not opened yet', PAGE, withHeaders({ 'cache-control': 'max-age=60' }), /"coming soon": set the site visibility/],
    ['a broken checkout', PAGE, withStatus(500), /^it answered 500$/],
    ['a token that is lost', ITEMS, withBody([]), /^its cart is empty: is the header Cart-Token lost/]
  ]
  for (const [what, call, edit, failed] of cases) t.match(await outcomeWith(t, call, edit), { failed }, what)
  const other = withBody({
    responses: [{ status: 401, body: { code: 'woocommerce_rest_missing_nonce', message: '' } }]
  })
  const outcome = await shop.outcomeWith(t, 'what only the cart says', 4, other)
  t.match(outcome, { failed: /^\/wc\/store\/v1\/batch gave an answer that is not that of WooCommerce$/ })
})

t.test('an error of the Store API is told in its words, and a rate limit with its time', async t => {
  const error = { code: 'rest_invalid_param', message: 'Invalid parameter(s): sku' }
  const invalid = await outcomeWith(t, PRODUCTS, answer => {
    answer.status = 400
    withBody(error)(answer)
  })
  t.strictSame(invalid, { failed: '/wc/store/v1/products answered 400: Invalid parameter(s): sku' })

  // As seen in WooCommerce 10.5.0.
  const message = 'Too many requests. Please wait 21 seconds before trying again.'
  const server = await openServer(t, (_request, response) => {
    response.writeHead(400, { 'RateLimit-Retry-After': '21' })
    response.end(JSON.stringify({ code: 'rate_limit_exceeded', message, data: { status: 400 } }))
  })
  const failure = await open(recordingOf(TWO_LINES).cart, server.origin).catch(error => error)
  t.ok(failure instanceof ShopFailed)
  t.match(failure, { message: /Please wait 21 seconds before trying again\.: the rate limit of/, retryAfter: 21 })
})

const route: DestinationRoute = { answer: 'page', origin: 'https://shop.example', path: '', currencies: ['EUR'] }

const check = (url: string) => reported(report => woocommerce.check({ url }, route, report))

t.test('the address of the shop is one that can be called', async t => {
  for (const url of ['https://shop.example', 'https://shop.example/store/']) {
    t.strictSame(check(url), [], url)
  }
  for (const url of ['shop.example', 'http://shop.example', 'https://shop.example/?p=1', 'https://shop.example/#']) {
    const [mistake, ...others] = check(url)
    t.match(mistake, { key: ['url'], problem: /give one such as "https:\/\/shop\.example"/ }, url)
    t.strictSame(others, [])
  }
})
