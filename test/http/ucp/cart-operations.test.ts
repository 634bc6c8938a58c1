// The four operations on a UCP cart: what is answered, kept and shown.
import t from 'tap'
import type { NewCheckout } from '../../../src/checkout/checkout-store.ts'
import type { Store } from '../../../src/store/store.ts'
import { merchantFile } from '../../build.ts'
import { openOwnShop, SHOP_SECRET, shopFile } from '../../integrations/destination/own-shop.ts'
import { openPayingShop } from '../../pages/paying-shop.ts'
import { ADA, formOf } from '../../pages/shopper.ts'
import { newReport } from '../../store/reported-orders-suite.ts'
import { linesIn } from '../../transfer/answers.ts'
import { type CartAnswer, cartOf, openUcp, PROFILE, wrong } from './platform.ts'

const NOTHING = '0'.repeat(32)

t.test('an answer has titles, prices and pictures, totals, and until when it holds', async t => {
  const { create } = await openUcp(t)
  const { status, headers, body } = await create(cartOf('2 MUG', '1 THROW'))
  t.equal(status, 201)
  t.match(headers, { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' })
  const { id } = body
  t.strictSame(body, {
    ucp: { version: '2026-08-25', capabilities: { 'dev.ucp.shopping.cart': [{ version: '2026-08-25' }] } },
    id,
    line_items: [
      {
        id: 'li_1',
        item: {
          id: 'MUG',
          title: 'Sea-glass mug',
          price: 1250,
          image_url: 'http://127.0.0.1:3000/shop/pictures/mug.svg'
        },
        quantity: 2,
        totals: [
          { type: 'subtotal', amount: 2500 },
          { type: 'total', amount: 2500 }
        ]
      },
      {
        id: 'li_2',
        item: { id: 'THROW', title: 'Herring throw', price: 6495, image_url: 'https://images.example/throw.jpg' },
        quantity: 1,
        totals: [
          { type: 'subtotal', amount: 6495 },
          { type: 'total', amount: 6495 }
        ]
      }
    ],
    currency: 'GBP',
    totals: [
      { type: 'subtotal', amount: 8995 },
      { type: 'total', amount: 8995 }
    ],
    continue_url: body.continue_url,
    expires_at: '2026-11-21T10:00:00.000Z'
  })
})

t.test('whoever knows the id, and not the key of continue_url, does not get to the page', async t => {
  const { create, update, get, logs, store } = await openUcp(t)
  const { body } = await create({ ...cartOf('1 MUG'), buyer: { email: 'ada@example.com' } })
  const link = `http://127.0.0.1:3000/shop/ucp/carts/${body.id}/continue`
  const [address, key = ''] = body.continue_url.split('?key=')
  t.equal(address, link)
  t.match(key, /^\w{32}$/)
  const { statusCode, body: page } = await get(link.replace(body.id, NOTHING))
  t.equal(statusCode, 404)
  for (const query of ['', '?key', `?key=${key.slice(1)}`, `?Key=${key}`, `?key=${key}0`, '?key=%00']) {
    const { statusCode, body } = await get(link + query)
    t.strictSame([statusCode, body], [404, page], query)
  }
  t.equal((await update(body.id, cartOf('2 ROPE'))).body.continue_url, body.continue_url)
  for (const query of [`?key=${key}`, `?utm_source=app&key=${key}`, `?key=&key=${key}`]) {
    t.equal((await get(link + query)).statusCode, 303, query)
  }
  t.notMatch(JSON.stringify(logs), key)
  t.not((await store.newestCheckout('shop', body.id))?.token, key)
})

t.test('a cart of before version 1.3.0 has no key, and keeps its link', async t => {
  const old = (store: Store): Store => ({
    ...store,
    addAnswered: ({ cart: { linkKey: _, ...cart }, ...checkout }, ...more) =>
      store.addAnswered({ ...checkout, cart }, ...more)
  })
  const { create, read, update, open, store } = await openUcp(t, {}, { store: old })
  const { id } = (await create(cartOf('1 MUG'))).body
  const link = `http://127.0.0.1:3000/shop/ucp/carts/${id}/continue`
  t.equal((await read(id)).body.continue_url, link)
  t.equal((await update(id, cartOf('1 ROPE'))).body.continue_url, link)
  t.strictSame(linesIn((await open(link)).body), [{ sku: 'ROPE', quantity: 1 }])
  t.notOk((await store.newestCheckout('shop', id))?.cart.linkKey)
})

t.test('a title says which of several it is', async t => {
  const feed = 'id\ttitle\tavailability\tprice\tcolor\nA\tBag\tin_stock\t20.00 GBP\tblue'
  const { create } = await openUcp(t, {}, { feed })
  t.equal((await create(cartOf('1 A'))).body.line_items[0]?.item.title, 'Bag, blue')
})

t.test('all or nothing: each line that cannot be sold has a message with its path', async t => {
  const { create, transfers } = await openUcp(t, { transfer: { maxQuantity: 99, maxItems: 5 } })
  const answer = await create(cartOf('1 MUG', '1 NONE', '1 LAMP', '100 ROPE', '1 DOLLAR'))
  t.match(answer, { status: 200, body: { ucp: { status: 'error' }, id: undefined, continue_url: undefined } })
  t.strictSame(wrong(answer), [
    'item_unavailable $.line_items[1]',
    'out_of_stock $.line_items[2]',
    'quantity_too_large $.line_items[3].quantity',
    'item_unavailable $.line_items[4]'
  ])
  t.match(answer.body.messages[1], {
    type: 'error',
    content: 'The product "LAMP" is out of stock.',
    severity: 'unrecoverable'
  })
  const most = (await create(cartOf('10000 MUG'))).body.messages[0]
  t.equal(most?.content, 'The number 10000 is out of range; a quantity is a whole number from 1 to 99.')
  t.strictSame(wrong(await create(cartOf(...Array(6).fill('1 MUG')))), ['too_many_lines'])
  t.strictSame(wrong(await create({})), ['field_missing $.line_items'])
  t.strictSame(wrong(await create(cartOf())), ['items_empty $.line_items'])
  t.match(transfers(), [
    { outcome: 'refused', status: 200, option: 'ucp', problem: 'cart-not-sellable', lines: 5 },
    { problem: 'contract-broken' },
    { problem: 'too-many-lines' },
    { problem: 'contract-broken' },
    {}
  ])
  t.ok(
    transfers().every(({ reference }) => reference === undefined),
    'a cart that was never kept has no name'
  )
})

t.test('what could not be served has a code and a sentence', async t => {
  const { create, send, transfers } = await openUcp(t, { transfer: { maxItems: 1 } })
  t.match(await create('no JSON'), {
    status: 400,
    body: { code: 'json_malformed', content: /is not JSON that can be read/ }
  })
  t.match(await create('[]'), { status: 400, body: { code: 'field_type', content: /must be an object/ } })
  t.match(await create('"'.repeat(70_000)), { status: 413, body: { code: 'body_too_large' } })
  t.match(await create('{}', { headers: { 'content-type': 'text/plain' } }), {
    status: 415,
    body: { code: 'media_type_unsupported' }
  })
  t.match(await create('{}', { profile: 'http://insecure.example' }), {
    status: 400,
    body: { code: 'invalid_profile_url' }
  })
  t.match(await send('GET', `/carts/${NOTHING}`, undefined, { headers: { 'ucp-agent': '' } }), {
    status: 400,
    headers: { 'content-type': 'application/json; charset=utf-8' },
    body: { code: 'invalid_profile_url' }
  })
  t.equal(transfers().length, 5, 'one line for each create')
})

t.test('a platform that the merchant does not name is refused', async t => {
  const platforms = [{ profile: 'https://platform.example/profile.json' }]
  const { create } = await openUcp(t, { transfer: { platforms } })
  t.equal((await create(cartOf('1 MUG'))).status, 201)
  t.match(await create(cartOf('1 MUG'), { profile: 'https://other.example/' }), {
    status: 403,
    body: { code: 'profile_not_trusted' }
  })
})

t.test('a cart belongs to its platform, and only to carts of platforms', async t => {
  const transfer = [
    { option: 'ucp', path: '/ucp' },
    { option: '2B', path: '/link' }
  ]
  const built = await openUcp(t, {}, { merchants: [{ ...merchantFile('ucp'), transfer }] })
  const { create, read, update, cancel, get, transfers } = built
  const { body } = await create(cartOf('1 MUG'))
  const other = { profile: 'https://other.example/' }
  const linked = await get(`/shop/link?item_0_sku=MUG&item_0_quantity=1&currency=GBP&reference=${NOTHING}`)
  t.equal(linked.statusCode, 200)
  for (const id of [body.id.toUpperCase(), NOTHING, '1'.repeat(32), 'x', '%00']) {
    t.strictSame(wrong(await read(id)), ['not_found'], id)
    t.equal((await get(`/shop/ucp/carts/${id}/continue`)).statusCode, 404, id)
  }
  for (const answer of [
    await read(body.id, other),
    await update(body.id, cartOf('1 ROPE'), other),
    await cancel(body.id, other)
  ]) {
    t.match(answer, { status: 200, body: { ucp: { status: 'error' }, messages: [{ severity: 'unrecoverable' }] } })
    t.strictSame(wrong(answer), ['not_found'])
  }
  t.match(transfers().at(-1), { outcome: 'refused', problem: 'checkout-not-found', reference: body.id })
  t.match(await read(body.id), { status: 200, body: { id: body.id } })
})

t.test('PUT replaces the cart and what came along; an open page says that the bag has changed', async t => {
  const { create, update, read, open, get, transfers } = await openUcp(t, { countries: ['GB', 'DE'] })
  const email = (address: string) => ({ buyer: { email: address } })
  const { body } = await create({ ...cartOf('1 MUG'), ...email('old@example.com') })
  const first = await open(body.continue_url)
  t.equal(formOf(first.body)?.fields.email, 'old@example.com')

  const same = await update(body.id, { ...cartOf('1 MUG'), ...email('new@example.com') })
  t.strictSame(same.body, body)
  t.equal(formOf((await open(body.continue_url)).body)?.fields.email, 'new@example.com')
  t.notMatch((await get(first.address)).body, 'old@example.com', 'an address with the old key')

  const changed = await update(body.id, { id: body.id, ...cartOf('2 ROPE') })
  t.match(changed, {
    status: 200,
    body: { id: body.id, continue_url: body.continue_url, totals: [{ amount: 4000 }, {}] }
  })
  t.match(await get(first.address), { body: /bag has changed/ })
  const last = await open(body.continue_url)
  t.strictSame(linesIn(last.body), [{ sku: 'ROPE', quantity: 2 }])
  t.equal(formOf(last.body)?.fields.email, '')

  const refused = await update(body.id, cartOf('1 LAMP'))
  t.match(refused.body, {
    continue_url: body.continue_url,
    messages: [{ code: 'out_of_stock', severity: /^recoverable$/ }]
  })
  t.strictSame((await read(body.id)).body, changed.body, 'the cart is as it was')
  t.match(transfers(), [
    { outcome: 'accepted', reference: body.id },
    { outcome: 'repeated', reference: body.id },
    { outcome: 'accepted', reference: body.id },
    { outcome: 'refused', problem: 'cart-not-sellable' }
  ])
})

t.test('attribution changes no answer, and is kept; fields that are not read never fail', async t => {
  const { create, store } = await openUcp(t)
  const more = {
    currency: 'XXX',
    totals: [],
    signals: { 'dev.ucp.buyer_ip': '203.0.113.7' },
    discounts: { codes: ['A'] },
    context: { intent: 'a gift', eligibility: [1], payment: {} },
    anything: [[[{}]]]
  }
  const attribution = { utm_source: 'google', gclid: 'x' }
  const { status, body } = await create({ ...cartOf('1 MUG'), ...more, attribution })
  t.equal(status, 201)
  const { linkKey, ...cart } = (await store.newestCheckout('shop', body.id))?.cart ?? {}
  t.equal(body.continue_url.split('?key=')[1], linkKey)
  t.strictSame(cart, {
    reference: body.id,
    currency: 'GBP',
    items: [{ sku: 'MUG', quantity: 1 }],
    attribution,
    platform: 'https://platform.example/profile.json'
  })
  const { body: bare } = await create(cartOf('1 MUG'))
  t.strictSame({ ...bare, id: body.id, continue_url: body.continue_url }, body)
})

t.test('context chooses currency, language and country among those of the shop', async t => {
  const file = {
    locales: ['de-DE'],
    currencies: ['GBP', 'USD'],
    countries: { GBP: ['GB'], USD: ['US', 'CA'] },
    catalogue: { freeProducts: false, feed: ['feed.tsv', { feed: 'de.tsv', language: 'de' }] }
  }
  const de =
    'id\ttitle\tavailability\tprice\nROPE\tSeilmatte\tin_stock\t20.00 GBP\nROPE\tSeilmatte\tin_stock\t30.00 USD'
  const { create, open } = await openUcp(t, file, { feeds: { 'de.tsv': de } })
  const chosen = async (context: object, headers = {}) => {
    const { body } = await create({ ...cartOf('1 ROPE'), context }, { headers })
    return [body.currency, body.line_items[0]?.item.title]
  }
  t.strictSame(await chosen({}), ['GBP', 'Rope mat'])
  t.strictSame(await chosen({ currency: 'USD', address_country: 'GB' }), ['USD', 'Rope mat'])
  t.strictSame(await chosen({ currency: 'JPY', address_country: 'CA' }), ['USD', 'Rope mat'])
  t.strictSame(await chosen({ currency: 'JPY', address_country: 'FR', language: 'fr' }), ['GBP', 'Rope mat'])
  t.strictSame(await chosen({ language: 'de-AT' }), ['GBP', 'Seilmatte'])
  t.strictSame(await chosen({}, { 'accept-language': 'de' }), ['GBP', 'Seilmatte'])
  const { body } = await create({ ...cartOf('1 ROPE'), context: { language: 'de', address_country: 'US' } })
  const page = await open(body.continue_url)
  t.match(page.address, /\/shop\/checkout\/\w{32}\?buyer=\w{32}&lang=de$/)
  t.match(page.body, '<html lang="de-DE"')
  t.match(formOf(page.body)?.fields, { country: 'US' })
})

t.test('a cart that expired, was ordered or cancelled is not found; its link leads to a calm page', async t => {
  const { app, create, read, update, cancel, open, tick, store } = await openUcp(t, { countries: ['GB'] })
  const cancelled = (await create(cartOf('1 MUG'))).body
  const before = await read(cancelled.id)
  t.strictSame((await cancel(cancelled.id)).body, before.body)
  const ordered = (await create(cartOf('1 MUG'))).body
  const checkout = await store.newestCheckout('shop', ordered.id)
  const page = await open(ordered.continue_url)
  const { action = '', fields } = formOf(page.body) ?? {}
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const payload = `${new URLSearchParams({ ...fields, ...ADA, country: 'GB' })}`
  await app.inject({ method: 'POST', url: action, headers, payload })
  t.match(await store.findCheckout('shop', String(checkout?.token)), { orderNumber: /./ })
  const expired = (await create(cartOf('1 MUG'))).body
  tick(24 * 60 * 60 * 1000)
  for (const { id } of [cancelled, ordered, expired]) {
    for (const answer of [await read(id), await update(id, cartOf('1 ROPE')), await cancel(id)]) {
      t.strictSame(wrong(answer), ['not_found'])
    }
  }
  t.match(await open(cancelled.continue_url), { statusCode: 404, body: '<p>Go back to your bag' })
  t.match(await open(expired.continue_url), { statusCode: 410 })
  t.match(await open(ordered.continue_url), { statusCode: 409, body: /order/ })
})

t.test(
  'a cart that cannot be sold any more says so, is cancelled all the same, and has the prices of the day',
  async t => {
    const { create, read, cancel, changeOffer } = await openUcp(t)
    const { body } = await create(cartOf('1 ROPE', '2 MUG'))
    changeOffer('MUG', { price: 1300 })
    const dearer = (await read(body.id)).body
    t.match(dearer.totals, [{ amount: 4600 }, { amount: 4600 }])
    t.notOk(dearer.messages)
    changeOffer('MUG', { availability: 'out_of_stock' })
    const gone = await read(body.id)
    t.strictSame(gone.body, {
      ...dearer,
      messages: [
        {
          type: 'error',
          code: 'out_of_stock',
          path: '$.line_items[1]',
          content: 'The product "MUG" is out of stock.',
          severity: 'recoverable'
        }
      ]
    })
    t.strictSame(await cancel(body.id, { key: 'a' }), gone)
    t.strictSame(wrong(await read(body.id)), ['not_found'])
    t.strictSame(await cancel(body.id, { key: 'a' }), gone)
  }
)

t.test('a line that the feed no longer has, or has no price for, is as it was, at 0', async t => {
  const feeds = [
    'id\ttitle\tavailability\tprice\nA\tPan\tin_stock\t20.00 GBP\nB\tPot\tin_stock\t30.00 GBP',
    'id\ttitle\tavailability\tprice\nB\tPot\tin_stock\t30.00 USD'
  ]
  const file = { currencies: ['GBP', 'USD'] }
  const { create, store } = await openUcp(t, file, { feed: feeds[0] as string })
  const { id } = (await create(cartOf('2 A', '3 B'))).body
  const { read, cancel } = await openUcp(t, file, {
    feed: feeds[1] as string,
    store: ({ close }) => ({ ...store, close })
  })
  const answer = await read(id)
  t.match(answer.body, {
    id,
    line_items: [
      { item: { id: 'A', title: 'A', price: 0 }, quantity: 2, totals: [{ amount: 0 }, { amount: 0 }] },
      { item: { id: 'B', title: 'Pot', price: 0 }, quantity: 3, totals: [{ amount: 0 }, { amount: 0 }] }
    ],
    currency: 'GBP',
    totals: [{ amount: 0 }, { amount: 0 }]
  })
  t.strictSame(wrong(answer), ['item_unavailable $.line_items[0]', 'item_unavailable $.line_items[1]'])
  t.strictSame(await cancel(id), answer)
})

t.test('a unit that nothing is sold by, as UCP has it, is to be put right, with or without a cart', async t => {
  const { create, update, read } = await openUcp(t)
  const weighed = { line_items: [{ item: { id: 'MUG', quantity_unit: { unit: 'KGM', scale: 2 } }, quantity: 150 }] }
  const message = {
    code: 'quantity_unit_mismatch',
    severity: /^recoverable$/,
    path: '$.line_items[0].item.quantity_unit'
  }
  const refused = await create(weighed)
  t.match(refused, { status: 200, body: { id: undefined, continue_url: undefined, messages: [message] } })
  t.match((await create(cartOf())).body.messages, [{ code: 'items_empty', severity: 'unrecoverable' }])
  const { body } = await create(cartOf('1 MUG'))
  t.match((await update(body.id, weighed)).body, { messages: [message], continue_url: body.continue_url })
  t.strictSame((await read(body.id)).body, body)
})

t.test("a cart leads on to the merchant's own shop, priced by the feed, or is refused by line", async t => {
  const shop = await openOwnShop(t)
  const file = shopFile('ucp', shop.url)
  const built = await openUcp(
    t,
    {},
    { merchants: [{ ...file, transfer: { option: 'ucp', path: '/ucp' } }], variables: { SHOP_SECRET } }
  )
  const { create, read, update, cancel, get, tick, store } = built
  const { status, body } = await create({ ...cartOf('2 MUG', '1 LAMP'), attribution: { utm_source: 'app' } })
  t.match(
    { status, totals: body.totals },
    { status: 201, totals: [{ amount: 7000 }, {}] },
    'only the shop knows its stock'
  )
  const first = await get(body.continue_url)
  t.match(first, {
    statusCode: 303,
    headers: { location: /\/checkout\?cart=\w+&utm_source=app$/, 'referrer-policy': 'no-referrer' }
  })
  t.match(await update(body.id, cartOf('1 MUG')), { status: 200, body: { id: body.id } })
  t.not((await get(body.continue_url)).headers.location, first.headers.location)
  const came = { buyer: { email: 'ada@example.com' }, attribution: { utm_source: 'again' } }
  t.match(await update(body.id, { ...cartOf('1 MUG'), ...came }, { key: 'again' }), {
    status: 200,
    body: { id: body.id }
  })
  t.equal(shop.received.length, 2, 'the shop has been asked for each cart once')
  t.notMatch(JSON.stringify(shop.received), body.continue_url.split('?key=')[1], 'and knows no link')
  t.match((await get(body.continue_url)).headers.location, /&utm_source=again$/)
  t.notOk((await store.newestCheckout('shop', body.id))?.cart.buyer, "only our page has a buyer's form")
  t.strictSame(wrong(await create(cartOf('1 NONE', '1 DOLLAR'))), [
    'item_unavailable $.line_items[0]',
    'item_unavailable $.line_items[1]'
  ])
  shop.answer(() => ({ status: 422, json: { errors: [{ pointer: '#/items/0/sku', code: 'out-of-stock' }] } }))
  t.strictSame(wrong(await create(cartOf('1 MUG'))), ['out_of_stock $.line_items[0]'])
  shop.answer(() => ({ status: 500 }))
  t.match(await create(cartOf('1 MUG')), {
    status: 503,
    headers: { 'retry-after': /\d/ },
    body: { code: 'destination_unavailable' }
  })
  tick(24 * 60 * 60 * 1000)
  t.strictSame(wrong(await read(body.id)), ['not_found'])
  t.match(await get(body.continue_url), { statusCode: 410 })
  t.strictSame(wrong(await cancel(body.id)), ['not_found'])
})

t.test('the link of a cart that is ordered needs its key as before', async t => {
  const shop = await openOwnShop(t)
  const file = { ...shopFile('ucp', shop.url), transfer: { option: 'ucp', path: '/ucp' } }
  const { create, get, store } = await openUcp(t, {}, { merchants: [file], variables: { SHOP_SECRET } })
  const { id, continue_url: link } = (await create(cartOf('1 MUG'))).body
  const report = { merchantId: 'shop', reference: id, number: '#1', currency: 'GBP', total: 3500 }
  const items = [{ sku: 'MUG', quantity: 1 }]
  t.match(await store.keepReport({ ...report, items, reportedAt: '2026-11-20T10:00:00.000Z' }), { outcome: 'kept' })
  t.equal((await get(link)).statusCode, 303)
  t.equal((await get(link.replace(/\?.*/, ''))).statusCode, 404)
})

t.test('a cart that is being paid for is not cancelled', async t => {
  const { create, read, cancel } = await openUcp(
    t,
    {},
    { store: store => ({ ...store, cancelCheckout: async () => false }) }
  )
  const { body } = await create(cartOf('1 MUG'))
  const refused = await cancel(body.id)
  t.strictSame(wrong(refused), ['cart_in_payment'])
  t.match(refused.body, { continue_url: body.continue_url, messages: [{ severity: /^recoverable$/ }] })
  t.equal((await read(body.id)).body.id, body.id)
})

t.test('a cart that is cancelled while it is replaced is not found', async t => {
  const cancelled = { addAnswered: async () => undefined }
  const { create } = await openUcp(t, {}, { store: store => ({ ...store, ...cancelled }) })
  t.strictSame(wrong(await create(cartOf('1 MUG'))), ['not_found'])
})

t.test("a cart that is ordered in the merchant's shop while it is replaced there is not found", async t => {
  const shop = await openOwnShop(t)
  const file = { ...shopFile('ucp', shop.url), transfer: { option: 'ucp', path: '/ucp' } }
  const order = (store: Store, reference: string) => store.keepReport(newReport(1, { reference, number: reference }))
  let isEarly = false
  const early = (store: Store): Store => ({
    ...store,
    beginHandoff: async (attempt, reusableFrom) => {
      if (isEarly) await order(store, attempt.cart.reference)
      return store.beginHandoff(attempt, reusableFrom)
    }
  })
  const { create, update, store } = await openUcp(
    t,
    {},
    { merchants: [file], variables: { SHOP_SECRET }, store: early }
  )
  const [asked, other] = [(await create(cartOf('1 MUG'))).body, (await create(cartOf('1 MUG'))).body]
  shop.answer(async ({ reference }, kept) => {
    await order(store, reference)
    return { json: kept }
  })
  for (const key of ['a', 'a', 'b']) {
    t.strictSame(wrong(await update(asked.id, cartOf('2 MUG'), { key })), ['not_found'])
  }
  isEarly = true
  const answer = await update(other.id, cartOf('2 MUG'))
  t.strictSame([wrong(answer), answer.body.continue_url], [['not_found'], undefined])
})

t.test(
  "a cart in the merchant's shop that is cancelled or ordered while the same is sent again is not found",
  async t => {
    const shop = await openOwnShop(t)
    const file = { ...shopFile('ucp', shop.url), transfer: { option: 'ucp', path: '/ucp' } }
    let meanwhile: (store: Store, checkout: NewCheckout) => Promise<unknown> = async () => undefined
    const overtaken = (store: Store): Store => ({
      ...store,
      addAnswered: async (checkout, ...more) => {
        await meanwhile(store, checkout)
        return store.addAnswered(checkout, ...more)
      }
    })
    const { create, update } = await openUcp(t, {}, { merchants: [file], variables: { SHOP_SECRET }, store: overtaken })
    for (const overtake of [
      (store: Store, checkout: NewCheckout) =>
        store.cancelCheckout(checkout, checkout.createdAt, undefined, { status: 200, body: '' }),
      (store: Store, { cart }: NewCheckout) => store.keepReport(newReport(1, cart))
    ]) {
      meanwhile = async () => undefined
      const { id } = (await create(cartOf('1 MUG'))).body
      meanwhile = overtake
      t.strictSame(wrong(await update(id, cartOf('1 MUG'), { key: 'a' })), ['not_found'])
    }
  }
)

t.test("a cart in the merchant's shop that is cancelled while another replaces it is not found", async t => {
  const shop = await openOwnShop(t)
  const file = { ...shopFile('ucp', shop.url), transfer: { option: 'ucp', path: '/ucp' } }
  const { create, update, cancel, read } = await openUcp(t, {}, { merchants: [file], variables: { SHOP_SECRET } })
  const { id } = (await create(cartOf('1 MUG'))).body
  shop.answer(async (_cart, kept) => {
    t.match(await cancel(id), { status: 200, body: { id } })
    return { json: kept }
  })
  for (const key of ['a', 'a', 'b']) {
    const answer = await update(id, cartOf('2 MUG'), { key })
    t.match(answer, { status: 200, body: { ucp: { status: 'error' }, continue_url: undefined } })
    t.strictSame(wrong(answer), ['not_found'], key)
  }
  t.strictSame(wrong(await read(id)), ['not_found'])
})

t.test("of two carts that replace one in the merchant's shop at once, the later one stays", async t => {
  const shop = await openOwnShop(t)
  const file = { ...shopFile('ucp', shop.url), transfer: { option: 'ucp', path: '/ucp' } }
  let meanwhile: () => Promise<unknown> = async () => undefined
  const once = async () => {
    const work = meanwhile
    meanwhile = async () => undefined
    await work()
  }
  const overtaken = (store: Store): Store => ({
    ...store,
    addAnswered: async (...args) => {
      await once()
      return store.addAnswered(...args)
    }
  })
  const built = await openUcp(t, {}, { merchants: [file], variables: { SHOP_SECRET }, store: overtaken })
  const { create, update, read, transfers } = built
  // The shop has the second cart already, or is asked for it.
  for (const lines of ['1 MUG', '2 MUG']) {
    const { id } = (await create(cartOf('1 MUG'))).body
    meanwhile = async () => t.match(await update(id, cartOf('3 MUG')), { status: 200 })
    t.match(
      await update(id, cartOf(lines), { key: 'a' }),
      { status: 409, body: { code: 'checkout_superseded' } },
      lines
    )
    t.match(transfers().at(-1), { outcome: 'refused', problem: 'checkout-superseded', reference: id })
    t.match((await read(id)).body.line_items, [{ quantity: 3 }])
    // Nothing was done, so the key is not used up.
    t.match(await update(id, cartOf(lines), { key: 'a' }), { status: 200, body: cartOf(lines) })
  }
})

t.test('a cart that is replaced while it is being paid for is one with it, also once it is ordered', async t => {
  const shop = await openPayingShop(t, {}, {}, 'ucp')
  const ask = async (method: 'GET' | 'PUT' | 'POST', path: string, body?: object, key = '') => {
    const answer = await shop.app.inject({
      method,
      url: `/shop/cart/carts/${path}`,
      headers: { 'ucp-agent': `profile="${PROFILE}"`, ...(key && { 'idempotency-key': key }) },
      ...(body && { payload: body })
    })
    return { status: answer.statusCode, body: answer.json() } as CartAnswer
  }
  for (const end of ['paid', 'ended']) {
    const { id, continue_url } = (await shop.send()).json()
    const token = String((await shop.store.newestCheckout('shop', id))?.token)
    const address = await shop.buy(token)
    t.match(await ask('PUT', id, cartOf('1 MUG')), { status: 200, body: { line_items: [{ quantity: 1 }] } })
    t.match((await ask('GET', id)).body.line_items, [{ item: { id: 'MUG' } }])
    t.strictSame(wrong(await ask('POST', `${id}/cancel`, {})), ['cart_in_payment'], end)
    if (end === 'ended') {
      shop.tick(2 * 60 * 60_000)
      await shop.sweep()
      t.match(await ask('POST', `${id}/cancel`, {}), { body: { line_items: [{ item: { id: 'MUG' } }] } })
    } else await shop.visit(await shop.act(address, 'pay'))
    t.strictSame(wrong(await ask('GET', id)), ['not_found'], end)
    for (const key of ['a', 'a']) t.strictSame(wrong(await ask('PUT', id, cartOf('1 ROPE'), key)), ['not_found'], end)
    const { headers, statusCode } = await shop.visit(continue_url.replace(/^http:..[^/]*/, ''))
    t.match([statusCode, headers.location], end === 'paid' ? [303, new RegExp(token)] : [404], end)
  }
})
