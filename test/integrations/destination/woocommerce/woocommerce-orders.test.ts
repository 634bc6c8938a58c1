// Orders that come back from a WooCommerce shop by its own webhooks, as a real one (10.5.0) has sent them: webhooks.json has what
// is read of each, and nothing of a person. All but two are signed anew, as they were cut.
import { createHmac } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import t, { type Test } from 'tap'
import { referenceKey } from '../../../../src/cart/cart.ts'
import { StoreUnavailable } from '../../../../src/errors.ts'
import { attributionOf, wooMessages } from '../../../../src/integrations/destination/woocommerce/woocommerce-orders.ts'
import type { Store } from '../../../../src/store/store.ts'
import { type Built, build } from '../../../build.ts'
import { newCheckout } from '../../../store/store-suite.ts'
import { SHOP_SECRET, shopFile } from '../own-shop.ts'

type Webhook = { name: string; headers: Record<string, string>; body: string }

const webhooks: Webhook[] = JSON.parse(readFileSync(join(import.meta.dirname, 'webhooks.json'), 'utf8'))
const recorded = (name: string): Webhook => webhooks.find(one => one.name === name) as Webhook

const NOW = new Date('2026-11-25T23:20:00.000Z')
const sign = (body: string | Buffer, secret = SHOP_SECRET) => createHmac('sha256', secret).update(body).digest('base64')

function wooFile(changes: { id?: string; publicUrl?: string } = {}) {
  const { checkout, ...file } = shopFile('1', 'https://shop.example', changes)
  const { url, secretVariable } = checkout.destination
  const destination = { type: 'woocommerce', url, secretVariable }
  return { ...file, currencies: ['EUR'], checkout: { ...checkout, destination } }
}

async function open(t: Test, store?: (store: Store) => Store) {
  const merchants = [wooFile()]
  const built = await build(t, { merchants, variables: { SHOP_SECRET }, ...(store && { store }) })
  built.tick(NOW.getTime() - Date.parse('2026-11-20T10:00:00.000Z'))
  return built
}

const PLACE = '/shop/orders/woocommerce'

type Sent = { body?: string | Buffer; headers?: Record<string, string | undefined>; url?: string }

/** Sends a recorded webhook, as it was or changed; it has a signature unless the change takes it away. */
function send({ app }: Built, name: string, { body = recorded(name).body, headers = {}, url = PLACE }: Sent = {}) {
  const signed = { 'x-wc-webhook-signature': sign(body), ...recorded(name).headers, ...headers }
  return app.inject({ method: 'POST', url, headers: JSON.parse(JSON.stringify(signed)), payload: body })
}

/** A recorded order with changes. */
const changed = (name: string, changes: object) => JSON.stringify({ ...JSON.parse(recorded(name).body), ...changes })

const lines = ({ logs }: Built) => logs.map(({ time, reqId, merchant, ...line }) => line)
const kept = ({ store }: Built) => store.listOrders({}, undefined, 10)

type Bag = { items?: [sku: string, quantity: number][]; createdAt?: string; expiresAt?: string }

/** A bag that was handed over to the shop. */
async function handOff(built: Built, reference: string, { items = [['MUG', 2]], ...times }: Bag = {}) {
  const bag = items.map(([sku, quantity]) => ({ sku, quantity }))
  const handover = { url: 'https://shop.example/checkout', httpMethod: 'GET' as const }
  const when = { createdAt: '2026-11-25T22:40:00.000Z', expiresAt: '2026-11-27T22:40:00.000Z', ...times }
  const checkout = newCheckout(reference, { reference, currency: 'EUR', items: bag, ...when })
  await built.store.addCheckout({ ...checkout, handover })
}

t.test('an order is kept once, whichever of its webhooks comes first', async t => {
  const built = await open(t)
  await handOff(built, 'ref-two')
  for (const name of ['processing', 'created', 'processing'])
    t.match(await send(built, name), { statusCode: 200, body: '' })
  t.match(await kept(built), [
    {
      reference: 'ref-two',
      number: '22',
      currency: 'EUR',
      total: 2500,
      items: [{ sku: 'MUG', quantity: 2 }],
      arrivedAt: '2026-11-25T22:40:00.000Z'
    }
  ])
  const line = { level: 30, order: '22', reference: 'ref-two', total: '25.00', currency: 'EUR', msg: 'order reported' }
  t.strictSame(lines(built), [
    { ...line, isRepeat: false },
    { ...line, isRepeat: true },
    { ...line, isRepeat: true }
  ])
})

t.test('the ping of a new webhook is answered with 200 and changes nothing', async t => {
  const built = await open(t)
  const answer = await send(built, 'ping', { headers: { 'x-wc-webhook-signature': undefined } })
  t.equal(answer.statusCode, 200)
  t.strictSame(lines(built), [])
  t.strictSame(await kept(built), [])
})

t.test('two webhooks with the signatures that WooCommerce made: a topic that is not read, and an error', async t => {
  const built = await open(t)
  for (const name of ['put in the bin', 'error']) t.match(await send(built, name), { statusCode: 200, body: '' })
  const error = 'it sent an error in place of an order: woocommerce_rest_shop_order_invalid_id'
  const topic = 'its webhook has the topic "order.deleted"; order.created and order.updated are read'
  const line = { level: 40, msg: 'message from the shop not read' }
  t.match(built.logs, [
    { ...line, reason: topic },
    { ...line, reason: error }
  ])
  const altered = { body: recorded('put in the bin').body.replace('22', '23') }
  t.match(await send(built, 'put in the bin', altered), { statusCode: 401 }, 'they are checked')
})

t.test('an order that is not one yet, or never became one, is left alone', async t => {
  const built = await open(t)
  await handOff(built, 'ref-two')
  for (const name of ['draft', 'pending', 'cancelled', 'failed']) t.match(await send(built, name), { statusCode: 200 })
  t.strictSame(await kept(built), [])
  t.match(lines(built), [
    { level: 30, order: '22', reference: 'ref-two', msg: 'order cancelled before it was known; not kept' },
    { level: 30, msg: 'order cancelled before it was known; not kept' }
  ])
  const other = { currency: 'EUR', items: [{ sku: 'MUG', quantity: 3 }] }
  t.equal(
    await built.store.beginHandoff(
      { key: 'k', merchantId: 'shop', cart: { ...other, reference: 'ref-two' }, createdAt: NOW.toISOString() },
      NOW.toISOString()
    ),
    'k',
    'its reference is still free'
  )
})

t.test('what becomes of an order is kept, and an older message does not undo it', async t => {
  const built = await open(t)
  await handOff(built, 'ref-two')
  const states: [webhook: string, status: string, line?: object][] = [
    ['created', 'placed', { msg: 'order reported' }],
    ['partly refunded', 'placed', { msg: 'order reported' }],
    ['refunded', 'refunded', { level: 30, status: 'refunded', msg: 'order status changed' }],
    ['processing', 'refunded', { status: 'refunded', isRepeat: true, msg: 'order reported' }],
    ['cancelled', 'cancelled', { level: 30, status: 'cancelled', msg: 'order status changed' }],
    ['failed', 'cancelled', { msg: 'order reported' }],
    ['pending', 'cancelled'],
    ['on hold again', 'placed', { level: 30, status: 'placed', msg: 'order status changed' }],
    ['cancelled', 'placed', { msg: 'order reported' }]
  ]
  for (const [i, [name, status, line]] of states.entries()) {
    t.match(await send(built, name), { statusCode: 200 })
    t.match(await kept(built), [{ number: '22', status }], `${i} ${name}`)
    if (line) t.match(lines(built).at(-1), line, name)
  }
  t.equal(built.logs.length, states.length - 1, 'drafts and orders that wait for their payment are not logged')
})

t.test(
  'an order that is cancelled in the second in which it was paid stays so, whatever comes last and again',
  async t => {
    const at = { date_modified_gmt: '2026-11-25T23:00:00' }
    const paid = changed('processing', at)
    const cancelled = changed('processing', { ...at, status: 'cancelled' })
    for (const bodies of [
      [paid, cancelled, paid, paid],
      [cancelled, paid, cancelled, paid]
    ]) {
      const built = await open(t)
      await handOff(built, 'ref-two')
      await send(built, 'created')
      for (const body of bodies) t.match(await send(built, 'processing', { body }), { statusCode: 200 })
      t.match(await kept(built), [{ number: '22', status: 'cancelled' }])
      t.equal(lines(built).filter(({ msg }) => msg === 'order status changed').length, 1)
    }
  }
)

t.test('a shop whose clock is years ahead freezes no order, and the log says that it is', async t => {
  const built = await open(t)
  await handOff(built, 'ref-two')
  const of = (status: string, date_modified_gmt: string) => ({
    body: changed('processing', { status, date_modified_gmt })
  })
  await send(built, 'processing', of('processing', '9999-12-31T23:59:59'))
  const msg = 'order time is in the future; not used'
  t.match(lines(built)[0], { level: 40, order: '22', changedAt: '9999-12-31T23:59:59.000Z', msg })
  t.match(lines(built)[1], { level: 30, msg: 'order reported' })
  const states: [...Parameters<typeof of>, string][] = [
    ['cancelled', '2026-11-25T23:10:00', 'cancelled'],
    ['processing', '9999-12-31T23:59:59', 'cancelled'],
    ['processing', '2026-11-25T23:25:00', 'placed'],
    ['refunded', '2026-11-25T23:25:01', 'refunded']
  ]
  for (const [status, at, expected] of states) {
    t.match(await send(built, 'processing', of(status, at)), { statusCode: 200 })
    t.match(await kept(built), [{ status: expected }], `${status} ${at}`)
  }
})

t.test('an order that was first heard of as refunded is kept: it was paid', async t => {
  const built = await open(t)
  await handOff(built, 'ref-two')
  await send(built, 'refunded')
  t.match(await kept(built), [{ number: '22', status: 'refunded' }])
  t.match(lines(built), [{ level: 30, status: 'refunded', msg: 'order reported' }])
})

t.test(
  'an order of a bag that was handed over elsewhere is not kept: a shop may be that of several merchant files',
  async t => {
    const built = await open(t)
    t.match(await send(built, 'created'), { statusCode: 200 })
    t.strictSame(await kept(built), [])
    const msg = 'order for unknown reference; not kept'
    t.match(lines(built), [{ level: 30, order: '22', reference: 'ref-two', msg }])
  }
)

t.test('an order in the bin is cancelled', async t => {
  const built = await open(t)
  await handOff(built, 'ref-two')
  await send(built, 'created')
  const body = changed('created', { status: 'trash', date_modified_gmt: '2026-11-25T23:00:00' })
  t.match(await send(built, 'created', { body }), { statusCode: 200 })
  t.match(await kept(built), [{ number: '22', status: 'cancelled' }])
})

t.test('an order that staff have changed stays as it was, and its status follows', async t => {
  const built = await open(t)
  await handOff(built, 'ref-two')
  await send(built, 'created')
  t.match(await send(built, 'changed by staff'), { statusCode: 200 })
  const msg = 'order changed in the shop; only its status is kept'
  t.match(lines(built).at(-1), { level: 40, order: '22', reason: 'other items', msg })
  const body = changed('changed by staff', { status: 'cancelled' })
  await send(built, 'changed by staff', { body: body.replace('22:57:37', '22:57:39') })
  t.match(await kept(built), [{ items: [{ sku: 'MUG', quantity: 2 }], total: 2500, status: 'cancelled' }])
})

t.test('lines without a SKU, of a deleted product, of one SKU twice: kept, and compared with the bag', async t => {
  const built = await open(t)
  await handOff(built, 'odd/one', { items: [['MUG', 3]] })
  await send(built, 'odd lines')
  const items = [
    { sku: 'no SKU: Gone soon', quantity: 1 },
    { sku: 'no SKU: Without SKU', quantity: 2 },
    { sku: 'MUG', quantity: 1 },
    { sku: 'MUG', quantity: 2 }
  ]
  t.match(await kept(built), [{ reference: 'odd/one', number: '33', items }])
  const msg = 'items differ from transferred cart'
  t.match(lines(built), [{ level: 40, skus: ['no SKU: Gone soon', 'no SKU: Without SKU'], msg }])
  const named = { name: `Gift\n\ud800 ${'😀'.repeat(200)}`, quantity: 1, sku: null }
  await send(built, 'odd lines', { body: changed('odd lines', { number: '34', line_items: [named] }) })
  t.match((await kept(built))[1], { number: '34', items: [{ sku: `no SKU: Gift   ${'😀'.repeat(93)}` }] })
})

t.test('SKUs are taken as they are, with their commas and ampersands', async t => {
  const built = await open(t)
  const items: Bag['items'] = [
    ['a,b c&d', 1],
    ['SHIRT-M', 1],
    ['MUG', 2]
  ]
  await handOff(built, 'ref-one', { items })
  await send(built, 'odd SKU')
  t.match(lines(built), [{ level: 30, msg: 'order reported', total: '46.00' }])
})

t.test(
  'a custom status is an order; what cannot be kept of one is said, and answered with 200 all the same',
  async t => {
    const built = await open(t)
    await handOff(built, 'ref-two')
    const line = { name: 'Mug', sku: 'MUG' }
    const odd: [object, RegExp][] = [
      [{ line_items: [{ ...line, quantity: 1.5 }] }, /#\/items\/0\/quantity: It is 1\.5; give a whole number/],
      [{ line_items: [{ ...line, quantity: 0 }] }, /#\/items: It is an empty list/],
      [{ currency: 'BTC' }, /#\/currency: It is "BTC"/],
      [{ total: '25.005' }, /#\/total: It is "25\.005"/],
      [{ number: 'x'.repeat(65) }, /#\/number: It is /]
    ]
    for (const [changes, reason] of odd) {
      t.match(await send(built, 'created', { body: changed('created', changes) }), { statusCode: 200 })
      t.match(lines(built).at(-1), { level: 40, reference: 'ref-two', reason, msg: 'order not kept' })
    }
    t.strictSame(await kept(built), [])
    await send(built, 'created', { body: changed('created', { status: 'shipped' }) })
    t.match(await kept(built), [{ number: '22' }])
  }
)

t.test('a second order under one reference is kept as well, and its warning names both', async t => {
  const built = await open(t)
  await handOff(built, 'ref-two')
  await send(built, 'created')
  const body = changed('created', { number: '23' })
  for (const _ of [1, 2]) t.match(await send(built, 'created', { body }), { statusCode: 200 })
  t.match(lines(built), [
    { order: '22', msg: 'order reported' },
    {
      level: 40,
      order: '23',
      first: '22',
      reference: 'ref-two',
      skus: [],
      msg: 'second order under one reference'
    },
    { level: 30, order: '23', isRepeat: true, msg: 'order reported' }
  ])
  t.match(await kept(built), [{ number: '22' }, { number: '23', reference: 'ref-two' }])
  const tea = changed('created', { number: '24', line_items: [{ name: 'Tea', sku: 'TEA', quantity: 1 }] })
  await send(built, 'created', { body: tea })
  t.match(
    lines(built).at(-1),
    { order: '24', first: '22', skus: ['MUG', 'TEA'], msg: /^second order/ },
    'another purchase'
  )
  await send(built, 'cancelled')
  await send(built, 'created', { body: changed('created', { number: '25' }) })
  t.match(lines(built).at(-1), { order: '25', first: '22', firstStatus: 'cancelled', msg: /^second order/ })
  const moved = changed('created', { meta_data: attributed('another') })
  t.match(await send(built, 'created', { body: moved }), { statusCode: 200 })
  const reason = 'The order "22" is kept under the reference "ref-two".'
  t.match(lines(built).at(-1), { level: 40, reference: 'another', reason, msg: 'order not kept' })
})

const attributed = (reference: string, attribution = {}) =>
  Object.entries({ ...attribution, ...attributionOf({ reference, attribution }) }).map(([name, value]) => ({
    key: `_wc_order_attribution_${name}`,
    value
  }))

t.test('an order without a reference is no more than a candidate for the bags that fit it', async t => {
  const built = await open(t)
  const items: Bag['items'] = [
    ['SHIRT-M', 1],
    ['MUG', 2]
  ]
  await handOff(built, 'fits', { items })
  await handOff(built, 'fits too', {
    items: [
      ['MUG', 1],
      ['SHIRT-M', 1],
      ['MUG', 1]
    ],
    createdAt: '2026-11-25T23:18:00.000Z'
  })
  await handOff(built, 'too late', { items, createdAt: '2026-11-25T23:21:00.000Z' })
  await handOff(built, 'over', { items, createdAt: '2026-11-23T23:00:00.000Z', expiresAt: '2026-11-25T23:00:00.000Z' })
  await handOff(built, 'other units', {
    items: [
      ['SHIRT-M', 1],
      ['MUG', 1]
    ]
  })
  await handOff(built, 'ordered', { items })
  await send(built, 'created', { body: changed('no reference', { number: '99', meta_data: attributed('ordered') }) })
  t.match(await send(built, 'no reference'), { statusCode: 200 })
  const msg = 'order without a reference; these carts match it'
  t.match(lines(built).slice(1), [{ level: 40, order: '30', candidates: ['fits', 'fits too'], msg }])
  t.match(await kept(built), [{ number: '99' }], 'it is not kept')

  const of = (changes: object) => ({ body: changed('no reference', changes) })
  const others = [
    { status: 'cancelled' },
    { date_created_gmt: '2026-11-23T23:15:00' },
    { currency: 'GBP' },
    { number: '22', meta_data: attributed('') },
    { meta_data: attributed('x'.repeat(100_000)) }
  ]
  const count = built.logs.length
  for (const changes of others) t.match(await send(built, 'no reference', of(changes)), { statusCode: 200 })
  const refused = { level: 40, reason: /#\/reference: It is "/, reference: undefined, msg: 'order not kept' }
  t.match(lines(built).slice(count), [refused, refused], 'orders of other customers are not logged')
  t.equal(built.logs.length, count + 2)
  t.ok(JSON.stringify(built.logs).length < 5000, 'nor all that somebody has written in place of a reference')
})

t.test('every reference survives the way through the address into the order and back', async t => {
  const signs = Array.from({ length: 94 }, (_, i) => String.fromCharCode(33 + i))
  const many = [0, 31, 62].map(at => signs.slice(at, at + 32).join(''))
  for (const reference of [
    ...many,
    '0F8fad5b-d9cb-469f-a165-7086772',
    '(none)',
    '_7c',
    '%41',
    'a|||b',
    '-',
    'cart-transfer__'
  ]) {
    for (const attribution of [{}, { utm_source: 'instagram' }, { utm_source: 'cart-transfer' }]) {
      t.match(attributionOf({ reference, attribution }), { utm_content: /^[A-Za-z0-9._-]+$/ })
      const body = Buffer.from(changed('created', { meta_data: attributed(reference, attribution) }))
      const headers = { 'x-wc-webhook-topic': 'order.created', 'x-wc-webhook-signature': sign(body) }
      t.match(wooMessages.read(headers, body, SHOP_SECRET), { order: { reference } })
    }
  }
  const reference = '0F8fad5bd9cb469fa16570867728950e'
  t.equal(attributionOf({ reference }).utm_content, reference, 'as it is')
  t.equal(referenceKey('0F8fad5bd9cb469fa16570867728950e'), '0f8fad5bd9cb469fa16570867728950e')
})

t.test('what another campaign has brought is no reference', async t => {
  const built = await open(t)
  const meta_data = attributed('ref-two').map(({ key, value }) => ({
    key,
    value: value === 'cart-transfer' ? 'mail' : value
  }))
  t.match(await send(built, 'created', { body: changed('created', { meta_data }) }), { statusCode: 200 })
  const strange = attributed('x').map(({ key }) => ({ key, value: key.endsWith('source') ? 'cart-transfer' : [1] }))
  t.match(await send(built, 'created', { body: changed('created', { meta_data: strange }) }), { statusCode: 200 })
  t.strictSame(await kept(built), [])
})

t.test('whatever is not signed with the secret is 401, and nothing of it is read', async t => {
  const other = wooFile({ id: 'other', publicUrl: 'http://127.0.0.1:3000/other' })
  other.checkout.destination.secretVariable = 'OTHER_SECRET'
  const merchants = [wooFile(), other]
  const OTHER_SECRET = `whsec_${Buffer.from('a secret of another merchant').toString('base64')}`
  const built = await build(t, { merchants, variables: { SHOP_SECRET, OTHER_SECRET } })
  const { body } = recorded('created')
  const bytes = Buffer.from(SHOP_SECRET.slice('whsec_'.length), 'base64')
  const signature = (value: string | undefined) => ({ headers: { 'x-wc-webhook-signature': value } })
  const forged: [string, Sent][] = [
    ['no signature', signature(undefined)],
    ['an empty one', signature('')],
    ['in hexadecimal', signature(createHmac('sha256', SHOP_SECRET).update(body).digest('hex'))],
    ['by the bytes of the secret', signature(createHmac('sha256', bytes).update(body).digest('base64'))],
    ['by the secret of another merchant', signature(sign(body, OTHER_SECRET))],
    ['of a body that differs by a byte', { body: body.replace('"25.00"', '"26.00"'), ...signature(sign(body)) }],
    ['sent to another merchant', { url: '/other/orders/woocommerce' }],
    ['a ping with more', { body: 'webhook_id=1&x=1', ...signature(undefined) }],
    ['a form', { headers: { 'content-type': 'application/x-www-form-urlencoded', 'x-wc-webhook-signature': 'x' } }]
  ]
  for (const [name, sent] of forged) {
    const answer = await send(built, 'created', sent)
    t.match(answer, { statusCode: 401, headers: { 'www-authenticate': /^WooCommerce realm=/ } }, name)
    t.match(answer.json().detail, /whole text of the variable that secretVariable names, "whsec_" included/)
  }
  t.equal(lines(built).filter(({ problem }) => problem === 'unauthorized').length, forged.length)
  t.strictSame(await kept(built), [])
})

t.test('a body that is no order is 400, and quotes nothing of it', async t => {
  const built = await open(t)
  const wrong: [string, string, RegExp][] = [
    ['no JSON', 'name=Person', /^The body is not JSON\.$/],
    ['brackets', '['.repeat(1_000_000), /^The body is nested more than 32 levels deep\.$/],
    ['a list', '[]', /^It is no order: the body is wrong/],
    ['version 1 of the API', changed('created', { meta_data: undefined }), /\/meta_data is wrong\. .*v3"\.$/],
    ['no number', changed('created', { number: 22 }), /\/number is wrong/],
    ['no time', changed('created', { date_created_gmt: null }), /\/date_created_gmt is wrong/],
    ['no month', changed('no reference', { date_created_gmt: '2026-13-25T23:00:00' }), /\/date_created_gmt is wrong/],
    ['no minute', changed('created', { date_modified_gmt: '2026-11-25T23:60:00' }), /\/date_modified_gmt is wrong/]
  ]
  for (const [name, body, detail] of wrong) {
    const answer = await send(built, 'created', { body })
    t.equal(answer.statusCode, 400, name)
    t.match(answer.json().detail, detail)
  }
  t.notMatch(JSON.stringify(built.logs), /Person/)
  t.match(lines(built).at(-1), { level: 40, problem: 'contract-broken', msg: 'order not kept' })
})

t.test('other media types, codings, sizes and methods are refused', async t => {
  const built = await open(t)
  const { body } = recorded('created')
  const type = { 'content-type': 'text/plain' }
  t.match(await send(built, 'created', { headers: type }), { statusCode: 415 })
  t.match(await send(built, 'created', { headers: { 'content-encoding': 'gzip' }, body: gzipSync(body) }), {
    statusCode: 415
  })
  t.match(await send(built, 'created', { body: changed('created', { note: 'x'.repeat(1024 * 1024) }) }), {
    statusCode: 413
  })
  t.match(await built.app.inject(PLACE), { statusCode: 405, headers: { allow: 'POST' } })
})

t.test('while the store is out of reach the answer is 503', async t => {
  const built = await open(t, store => ({
    ...store,
    keepNotice: () => Promise.reject(new StoreUnavailable('locked'))
  }))
  t.match(await send(built, 'created'), { statusCode: 503, headers: { 'retry-after': '5' } })
})

t.test('a shop without a secret, and one of another kind, has no such address', async t => {
  const { checkout, ...file } = wooFile()
  const { secretVariable: _, ...destination } = checkout.destination
  const without = await build(t, { merchants: [{ ...file, checkout: { ...checkout, destination } }] })
  t.match(await send(without, 'created'), { statusCode: 404 })
  const hook = await build(t, {
    merchants: [shopFile('1', 'https://shop.example/carts')],
    variables: { SHOP_SECRET }
  })
  t.match(await send(hook, 'created'), { statusCode: 404 })
})
