// The confirmation page as people and apps recognise it: a stable address, a stable title and a block of JSON.
import type { LightMyRequestResponse } from 'fastify'
import t from 'tap'
import type { Cart } from '../../src/cart/cart.ts'
import { tokenSource } from '../../src/checkout/checkout-store.ts'
import { StoreUnavailable } from '../../src/errors.ts'
import { uuid } from '../build.ts'
import { openPayingShop } from './paying-shop.ts'
import { elements, linesOf, malformedTags, readPolicy, textOf, valuesOf } from './read-page.ts'
import { ADA, BAG, type Form, openShop, orderBlock, PERSONAL, type Shop, stable, titleOf } from './shopper.ts'

const DAY = 24 * 60 * 60 * 1000
const DELIVERY = [{ id: 'post', label: 'Post', price: '4.50' }]

const MASKED = `<p class="ref">Delivery address</p><p><bdi>SW1Y •••</bdi></p>
<p class="ref">Email</p><p><bdi>a••@analytical.example</bdi></p>`
const WHOLE = 'Delivery address Ada King-Noel Engine & Sons 12 St James’s Square Ockham Wing Marylebone SW1Y 4JH'

/** Everything about Ada in a page, and anything that looks like an email, unless it is masked. */
function personalIn(page: string): string[] {
  const body = page.replace(MASKED, '')
  return [...PERSONAL.filter(personal => body.includes(personal)), ...(textOf(body).match(/\S*@\S*/g) ?? [])]
}

/** Places an order. @returns the address that it leads to */
async function order(shop: Shop, reference?: string): Promise<string> {
  const { headers } = await shop.submit(await shop.form(await shop.transfer(undefined, reference)))
  return String(headers.location)
}

/** Places an order. @returns the address of its confirmation */
const place = async (shop: Shop, reference?: string) => stable(await order(shop, reference))

t.test('the confirmation shows lines, totals and order number, and of a person only where it goes, masked', async t => {
  const shop = await openShop(t, '1', { delivery: DELIVERY })
  const address = await place(shop)
  const [order] = shop.orders()
  t.equal(address, `/shop/checkout/${order?.token}/complete?order=${order?.number}`)
  const response = await shop.app.inject(address)
  t.match(response, {
    statusCode: 200,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'referrer-policy': 'same-origin',
      'x-content-type-options': 'nosniff'
    }
  })
  const { body } = response
  t.strictSame(malformedTags(body), [])
  t.equal(titleOf(body), 'Order complete – The Shop')
  const text = textOf(body)
  t.match(text, `order number is ${order?.number}`)
  t.match(text, 'Subtotal £145.00 Post £4.50 Total £149.50')
  t.match(linesOf(body).map(textOf), [
    /^Sea-glass mug .* £25\.00$/,
    /^Tide clock .* £120\.00 Pre-order: ships on release\.$/
  ])
  const amounts = ['data-subtotal', 'data-total', 'data-currency', 'data-sku', 'data-quantity'].map(name =>
    valuesOf(body, name)
  )
  t.strictSame(amounts, [['14500'], ['14950'], ['GBP', 'GBP'], ['MUG', 'CLOCK'], ['2', '1']])
  t.strictSame(orderBlock(body), {
    orderNumber: order?.number,
    reference: order?.reference,
    currency: 'GBP',
    subTotal: '145.00',
    discount: '0.00',
    delivery: '4.50',
    total: '149.50'
  })
  t.match(body, MASKED)
  t.strictSame(personalIn(body), [])
  t.match(valuesOf(body, 'href'), ['shop://continue'])
  t.match(
    text,
    /What happens next We’ll send your order .* Post Ships later: Tide clock Delivery address SW1Y ••• .* Continue shopping Need help\? Reference 0{31}1$/
  )
  t.notMatch(body, /<(form|button|input|link|iframe)\b/)
  t.equal(elements(body).filter(({ name }) => name === 'script').length, 1, 'the block is the only script')
  t.match(readPolicy(response.headers['content-security-policy']), { 'default-src': "'none'", 'img-src': "'self'" })
})

t.test('what came along with a cart is kept with the order, and in no page, JSON for apps, or log', async t => {
  const shop = await openShop(t, '1', { delivery: DELIVERY })
  const pagesOf = async (reference: string, extras: Partial<Cart>) => {
    const token = tokenSource()(shop.clock())
    const at = shop.clock().toISOString()
    const expiresAt = new Date(Date.parse(at) + DAY).toISOString()
    const cart = { reference, currency: 'GBP', items: BAG, ...extras }
    await shop.store.addCheckout({ token, merchantId: 'shop', option: '1', cart, createdAt: at, expiresAt })
    const { body } = await shop.page(token)
    await shop.send(BAG, reference)
    t.equal((await shop.store.newestCheckout('shop', reference))?.token, token, 'the bag alone is a repeat')
    const { headers } = await shop.submit(await shop.form(token))
    const confirmation = await shop.app.inject(String(headers.location))
    const order = await shop.store.findOrder('shop', token)
    const own = new RegExp([token, order?.number, reference].join('|'), 'g')
    return { pages: [body, confirmation.body].map(page => page.replace(own, '…')), order }
  }
  const extras = { attribution: { utm_source: 'Came-From-Here', fbclid: 'Clicked-This' }, codes: ['No-Such-Code'] }
  const plain = await pagesOf(uuid(1), {})
  const { pages, order } = await pagesOf(uuid(2), { attribution: extras.attribution })
  t.strictSame(pages, plain.pages, 'it changes nothing of what is shown')
  t.match(order, { attribution: extras.attribution, total: plain.order?.total })
  const coded = await pagesOf(uuid(3), extras)
  t.match(coded.order, { ...extras, total: plain.order?.total })
  t.equal(coded.pages[1], plain.pages[1])
  t.notMatch(JSON.stringify([coded.pages, shop.logs]), /Came-From-Here|Clicked-This|utm_source|fbclid/)
  t.notMatch(JSON.stringify(shop.logs), /No-Such-Code/)
})

t.test('whoever has just ordered reads address and email whole, once', async t => {
  const shop = await openShop(t, '1', { locales: ['de'] })
  const address = await order(shop)
  t.match(address, /complete\?order=[\w-]+&attempt=[0-9a-f]{32}&lang=en$/)
  const masked = await shop.app.inject(stable(address))
  t.strictSame(personalIn(masked.body), [], 'the stable address has no secret')
  await shop.app.inject({ method: 'HEAD', url: address })
  const first = await shop.app.inject(address)
  t.match(first, { statusCode: 200, headers: { 'cache-control': 'no-store' } }, 'a preview has spent nothing')
  const whole = `${WHOLE} United Kingdom Email ada.lovelace@analytical.example`
  t.match(textOf(first.body), whole)
  t.notMatch(textOf(first.body), ADA.phone)
  t.equal(titleOf(first.body), titleOf(masked.body))
  t.strictSame(orderBlock(first.body), orderBlock(masked.body))
  t.match(valuesOf(masked.body, 'href'), [stable(address).replace('lang=en', 'lang=de')], 'nor has its link')
  const [german = ''] = valuesOf(first.body, 'href')
  t.equal(stable(german), stable(address).replace('lang=en', 'lang=de'))
  t.notMatch(german, address.split('&')[1], 'the secret in a link is a new one')
  t.match(
    textOf((await shop.app.inject(german)).body),
    /Vielen Dank .* Vereinigtes Königreich E‑Mail‑Adresse ada\.lovelace@/
  )
  t.notMatch((await shop.app.inject(german)).body, ADA.email, 'which works once, too')
  for (const again of ['reload', 'back', 'later']) t.equal((await shop.app.inject(address)).body, masked.body, again)
})

t.test('the secret of an order opens nothing else, not for long, and for one of several at once', async t => {
  const shop = await openShop(t, '1')
  const address = await order(shop)
  const other = await order(shop, uuid(2))
  const secretIn = (text: string) => String(/attempt=(\w+)/.exec(text)?.[1])
  const isWhole = async (url: string) => textOf((await shop.app.inject(url)).body).includes(WHOLE)
  for (const wrong of ['', 'null', 'undefined', secretIn(address).toUpperCase(), secretIn(other)]) {
    t.equal(await isWhole(`${stable(address)}&attempt=${wrong}`), false, `"${wrong}"`)
  }
  const loaded = await Promise.all(Array.from({ length: 5 }, () => isWhole(address)))
  t.strictSame(loaded.filter(Boolean), [true])
  shop.tick(10 * 60_000)
  t.equal(await isWhole(other), true)
  const late = await order(shop, uuid(3))
  shop.tick(10 * 60_000 + 1)
  t.equal(await isWhole(late), false)
})

t.test(
  'a form that is sent again leads to the whole address as long as nobody has read it, to whoever typed it',
  async t => {
    const shop = await openShop(t, '1', { locales: ['de'] })
    const form = await shop.form(await shop.transfer())
    const address = String((await shop.submit(form)).headers.location)
    const repeated = async (typed: Record<string, string> = ADA) =>
      String((await shop.submit(form, typed)).headers.location)
    t.equal(await repeated(), address, 'a double tap')
    t.equal(await repeated({ lang: 'de' }), stable(address).replace('lang=en', 'lang=de'), 'a button for a language')
    t.match(textOf((await shop.app.inject(await repeated())).body), WHOLE)
    const next = await repeated()
    t.equal(stable(next), stable(address))
    t.notSame(next, address, 'what has been read has a new secret')
  }
)

t.test('while nothing can be written, the confirmation is shown masked', async t => {
  const failures = [new StoreUnavailable('locked'), new Error('broken')]
  const shop = await openShop(
    t,
    '1',
    {},
    {
      store: store => ({ ...store, spendSecret: () => Promise.reject(failures.shift()) })
    }
  )
  const address = await order(shop)
  const { statusCode, body } = await shop.app.inject(address)
  t.strictSame([statusCode, personalIn(body)], [200, []])
  t.equal((await shop.app.inject(address)).statusCode, 500, 'but not if the server is wrong')
})

t.test(
  'what happens next comes first; each of address and email has its label; and there is a link to the shop',
  async t => {
    const contact = 'https://shop.example/contact'
    const shop = await openShop(t, '1', { delivery: DELIVERY, links: { contact } })
    const { body } = await shop.app.inject(await place(shop))
    t.match(
      textOf(body),
      /Thank you for your order What happens next We’ll send your order .* Delivery address SW1Y ••• Email a••@analytical\.example Your order number is [\w-]+ Keep this number in case you need us\. Contact us Your order /
    )
    t.match(body, `Keep this number in case you need us.</p><p><a href="${contact}">Contact us</a>`)
  }
)

t.test('the title contains completeTitle, and that of no other page does', async t => {
  for (const completeTitle of ['Order complete', 'Danke <sehr> & tschüss']) {
    await t.test(completeTitle, async t => {
      const shop = await openShop(t, '2A', { checkout: { completeTitle }, countries: ['GB', 'FR'] })
      const token = await shop.transfer(undefined, 'order-1')
      const form = await shop.form(token)
      const pages: [string, LightMyRequestResponse | Promise<LightMyRequestResponse>][] = [
        ['the checkout', await shop.page(token)],
        ['a mistake', await shop.submit(form, { ...ADA, email: '' })],
        ['another country', await shop.submit(form, { ...ADA, country: 'FR' })],
        ['a changed price', await shop.submit(form, { ...ADA, digest: '' })],
        ['no token', await shop.app.inject('/shop/checkout')],
        ['not placed yet', await shop.app.inject(`/shop/checkout/${token}/complete?order=1`)]
      ]
      const { location } = (await shop.submit(form)).headers
      pages.push(
        ['placed', shop.page(token)],
        ['the same cart', shop.send(undefined, 'order-1')],
        ['another cart', shop.send([{ sku: 'THROW', quantity: 1 }], 'order-1')],
        ['a wrong number', shop.app.inject(`/shop/checkout/${token}/complete?order=1`)]
      )
      for (const [what, page] of pages) t.notMatch(titleOf((await page).body), completeTitle, what)
      const confirmation = await shop.app.inject(String(location))
      t.equal(titleOf(confirmation.body), `${completeTitle} – The Shop`)
      t.match(textOf(confirmation.body), completeTitle)
    })
  }
})

t.test('markup in a reference stays text, and the JSON block parses', async t => {
  const shop = await openShop(t, '2A')
  for (const reference of ['</script><b>', '<!--<script>', `"'\\</SCRIPT>]]>`, '&lt;/script&gt;', '\\u003c/$1$&`']) {
    const { body } = await shop.app.inject(await place(shop, reference))
    t.match(orderBlock(body), { reference })
    t.match(textOf(body.replace(/<script.*?<\/script>/s, '')), `Reference ${reference}`)
    t.equal(body.match(/<script/gi)?.length, 1)
    t.equal(body.match(/<\/script/gi)?.length, 1)
    t.strictSame(malformedTags(body), [])
  }
})

t.test('the confirmation opens only with both token and number', async t => {
  const shop = await openShop(t, '2A')
  const address = await place(shop, 'order-1')
  const other = await place(shop, 'order-2')
  const [path, query] = address.split('?')
  const [otherPath, otherQuery] = other.split('?')
  const number = String(query?.slice('order='.length))
  const open = await shop.transfer(undefined, 'order-3')
  const cases: [string, string, number][] = [
    ['as it is', address, 200],
    ['with a parameter added by an app', `${address}&user=7`, 200],
    ['with a parameter before the number', `${path}?user=7&${query}`, 200],
    ['the number encoded', `${path}?order=${number.replace('-', '%2D')}`, 200],
    ['no number', `${path}`, 404],
    ['an empty number', `${path}?order=`, 404],
    ['a wrong number', `${path}?order=${number}X`, 404],
    ['a number in lower case', `${path}?order=a${number.toLowerCase()}`, 404],
    ['another order’s number', `${path}?${otherQuery}`, 404],
    ['another order’s token', `${otherPath}?${query}`, 404],
    ['a wrong token', `/shop/checkout/nobody/complete?${query}`, 404],
    ['the token of an open checkout', `/shop/checkout/${open}/complete?${query}`, 404],
    ['an open checkout, and "undefined" as number', `/shop/checkout/${open}/complete?order=undefined`, 404],
    ['the number without a token', `/shop/checkout/complete?${query}`, 404],
    ['a malformed query', `${path}?order=%zz&%ff`, 404]
  ]
  for (const [what, url, status] of cases) {
    const response = await shop.app.inject(url)
    t.equal(response.statusCode, status, what)
    t.match(response.headers, { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' })
    if (status === 404) {
      t.notMatch(response.body, number, 'the number is not revealed')
      t.notMatch(response.body, 'data-sku')
    }
  }
  t.match(await shop.app.inject({ method: 'HEAD', url: address }), { statusCode: 200, body: '' })
  for (const method of ['POST', 'PUT', 'DELETE'] as const) {
    t.match(await shop.app.inject({ method, url: address }), { statusCode: 405, headers: { allow: 'GET, HEAD' } })
  }
})

t.test('the confirmation does not expire with its checkout, and never changes', async t => {
  const shop = await openShop(t, '1', { delivery: DELIVERY })
  const address = await place(shop)
  const { body } = await shop.app.inject(address)
  shop.change('MUG', { price: 1, availability: 'out_of_stock' })
  for (const days of [1, 30, 4000]) {
    shop.tick(days * DAY)
    await shop.store.deleteExpired('shop', '2099-01-01T00:00:00.000Z', 1000, '9999')
    t.equal((await shop.app.inject(address)).body, body, `${days} days later`)
  }
  t.equal(await shop.store.eraseOrder(String(shop.orders()[0]?.number)), true)
  const erased = body.replace(MASKED, '').replace(/\s+/g, '')
  t.equal((await shop.app.inject(address)).body.replace(/\s+/g, ''), erased, 'but when what was typed is erased')
})

t.test('reloading, resubmitting and a second tab all lead to the confirmation, and change nothing', async t => {
  const van = { id: 'van', label: 'Van', price: '9' }
  const links = { contact: 'https://shop.example/contact' }
  const countries = ['GB', 'FR']
  const shop = await openShop(t, '1', { delivery: [...DELIVERY, van], countries, links, locales: ['de'] })
  const token = await shop.transfer()
  const tabs: Form[] = [await shop.form(token), await shop.form(token)]
  const [one, two] = tabs as [Form, Form]
  const first = await shop.submit(one)
  const before = shop.orders()
  const address = stable(first.headers.location).replace(/&lang=en$/, '')
  const note = /You’ve already placed this order.*your order has not changed/s
  const again: [string, isSame: boolean, () => Promise<LightMyRequestResponse>][] = [
    ['reload', true, () => shop.submit(one)],
    ['an old digest', true, () => shop.submit(two, { ...ADA, digest: 'old' })],
    ['spaces around what was typed', true, () => shop.submit(two, { ...ADA, name: ` ${ADA.name} ` })],
    ['the other tab, with another name', false, () => shop.submit(two, { ...ADA, name: 'Eve' })],
    ['with another delivery method', false, () => shop.submit(two, { ...ADA, delivery: 'van' })],
    ['without the phone number', false, () => shop.submit(two, { ...ADA, phone: '' })],
    ['a form with mistakes', false, () => shop.submit(two, { email: '' })],
    ['another country', false, () => shop.submit(two, { ...ADA, country: 'FR', look: '1' })],
    ['an empty form', false, () => shop.post(token, '')]
  ]
  for (const [what, isSame, submit] of again) {
    const { statusCode, headers, body } = await submit()
    const location = headers.location && stable(headers.location)
    t.strictSame([statusCode, location], isSame ? [303, `${address}&lang=en`] : [409, undefined], what)
    if (isSame) continue
    t.match(textOf(body), note, 'it may be the order of somebody else')
    t.notMatch(titleOf(body), /Order complete/)
    t.ok(valuesOf(body, 'href').includes(`${address}&lang=en`), 'it leads to the order')
    t.strictSame(malformedTags(body), [])
  }
  t.strictSame(shop.orders(), before)

  await shop.store.eraseOrder(String(before[0]?.number))
  const { headers } = await shop.submit(two, { ...ADA, name: 'Eve' })
  t.equal(stable(headers.location), `${address}&lang=en`, 'once what was typed is erased, nobody can tell')
})

t.test('a merchant at the root of its host has confirmations too', async t => {
  const shop = await openShop(t, '1', { publicUrl: 'https://shop.example' })
  const address = await place(shop)
  t.match(address, /^\/checkout\/[\w-]+\/complete\?order=/)
  t.equal((await shop.app.inject(address)).statusCode, 200)
})

t.test('an order whose payment has failed, or was refunded, is not said to be sent', async t => {
  const shop = await openPayingShop(t, { delivery: DELIVERY })
  const token = await shop.token()
  const page = await shop.buy(token)
  const paid = await shop.visit(await shop.act(page, 'pay-later'))
  const visit = async () => (await shop.visit(String(paid.headers.location))).body
  const look = async () => textOf(await visit())
  t.match(await look(), /Thank you for your order.*Your payment is on its way.*We’ll send your order.*Post/s)
  t.match(titleOf(await visit()), 'Order complete')
  shop.double.act(shop.idOf(page), 'fail')
  await shop.notify(shop.double.notifications.events.at(-1) as never)
  const failed = await look()
  t.match(failed, /Your payment did not arrive, so we won’t send this order/)
  t.match(
    await visit(),
    `<p class="main"><a href="/shop/checkout/${token}">Order this bag again</a>`,
    'the main button'
  )
  t.equal((await visit()).match(/class="[^"]*\bmain\b/g)?.length, 1, 'and the only one')
  t.equal(titleOf(await visit()), 'Your order – The Shop', 'no app takes it for complete')
  for (const said of ['Thank you', 'We’ll send your order to', 'Items on pre-order']) t.notMatch(failed, said)
})
