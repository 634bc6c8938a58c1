// Placing an order from its page: a form with mistakes is shown again filled in, a changed price has to be confirmed,
// and personal data is stored in the order and nowhere else.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { StoreUnavailable, StoreUncertain } from '../../src/errors.ts'
import type { Store } from '../../src/store/store.ts'
import { merchantFile, uuid } from '../build.ts'
import { change } from './paying-shop.ts'
import { elements, linesOf, malformedTags, readPolicy, textOf, unescapeHtml, valuesOf } from './read-page.ts'
import { ADA, type Form, formOf, openShop, PERSONAL, type Shop, titleOf } from './shopper.ts'

const DELIVERY = [
  { id: 'standard', label: 'Standard', price: '4.50' },
  { id: 'express', label: 'Express', price: '9.95' },
  { id: 'collect', label: 'Collect <here>', price: '0' }
]

/** The error summary of a page: each message with the field that it links to. */
function summaryOf(html: string): [string, string][] {
  const summary = /<section class="alert" role="alert"[^>]*><h2>Please check.*?<\/section>/s.exec(html)?.[0] ?? ''
  return [...summary.matchAll(/<a href="#([^"]+)">([^<]*)<\/a>/g)].map(([, field = '', text = '']) => [field, text])
}

/** Every byte of the database on disk. */
function bytesOf({ file }: Shop): string {
  const folder = join(file, '..')
  return readdirSync(folder)
    .map(name => readFileSync(join(folder, name), 'latin1'))
    .join('\n')
}

/** The needles that are in the haystack. */
const found = (needles: string[], haystack: string) => needles.filter(needle => haystack.includes(needle))
const personalIn = (text: string) => found(PERSONAL, text)
/** A text as it appears in the bytes of the database file. */
const asBytes = (text: string) => Buffer.from(text).toString('latin1')

t.test('an order is stored exactly as placed', async t => {
  const shop = await openShop(t, '1', { delivery: DELIVERY })
  const token = await shop.transfer()
  const form = await shop.form(token)
  shop.tick(60_000)
  const twice = await Promise.all([shop.submit(form), shop.submit(form)])
  for (const response of twice) {
    t.match(response, { statusCode: 303, headers: { 'cache-control': 'private, no-cache' } })
  }
  const order = await shop.store.findOrder('shop', token)
  t.match(order?.number, /^[2-9A-HJKMNP-TV-Z]{4}-[2-9A-HJKMNP-TV-Z]{4}$/)
  const { email, phone, ...address } = ADA
  t.strictSame(order, {
    number: order?.number,
    merchantId: 'shop',
    token,
    reference: uuid(),
    currency: 'GBP',
    lines: [
      { sku: 'MUG', title: 'Sea-glass mug', quantity: 2, unitPrice: 1250, lineTotal: 2500 },
      { sku: 'CLOCK', title: 'Tide clock', availability: 'preorder', quantity: 1, unitPrice: 12_000, lineTotal: 12_000 }
    ],
    subtotal: 14_500,
    delivery: { id: 'standard', label: 'Standard', price: 450 },
    total: 14_950,
    customer: { email, phone, country: 'GB', address },
    language: 'en-GB',
    placedAt: '2026-11-20T10:01:00.000Z',
    secret: /attempt=([0-9a-f]{32})$/.exec(String(twice[0].headers.location))?.[1]
  })
  const logged = shop.logs.flatMap(({ time, reqId, ...line }) => (line.msg === 'order' ? line : []))
  const amounts = { total: '149.50', currency: 'GBP' }
  t.strictSame(
    logged,
    [{ level: 30, merchant: 'shop', order: order?.number, reference: uuid(), ...amounts, msg: 'order' }],
    'one line in the log, though it was sent twice'
  )
  shop.change('MUG', { price: 9999, availability: 'out_of_stock' })
  t.strictSame(await shop.store.findOrder('shop', token), order, 'later changes to the catalogue do not matter')
})

t.test('a form with mistakes is shown again filled in, with a summary, and each next to its field', async t => {
  const shop = await openShop(t, '1', { delivery: DELIVERY })
  const token = await shop.transfer()
  const typed = { ...ADA, email: 'ada"><b>@@x', name: '  ', city: '', phone: 'ring & ask 11833', delivery: 'express' }
  const response = await shop.submit(await shop.form(token), typed)
  t.match(response, { statusCode: 422, headers: { 'cache-control': 'private, no-cache' } })
  t.match(response.headers['content-type'], 'text/html')
  const { body } = response
  t.strictSame(malformedTags(body), [])
  t.equal(titleOf(body), 'Error: Checkout – The Shop', 'screen readers read the title first')
  t.strictSame(summaryOf(body), [
    ['email', 'Enter an email address such as name@example.com'],
    ['name', 'Enter your full name'],
    ['city', 'Enter your town or city']
  ])
  const all = elements(body)
  const byId = (id: string | undefined) => all.find(({ attributes }) => attributes.id === id)
  for (const [field, message] of summaryOf(body)) {
    const input = byId(field)
    t.match(input, { name: 'input', attributes: { name: field, 'aria-invalid': 'true' } }, `${field}: a field`)
    const beside = input?.attributes['aria-describedby']
    t.ok(byId(beside), 'described by an element of the page')
    t.match(body, new RegExp(`id=${beside}>${message}</span>\\s*<input id=${field} `), 'which is right before it')
  }
  t.equal(valuesOf(body, 'aria-invalid').length, 3, 'no other field is marked')
  t.equal(valuesOf(body, 'aria-describedby').length, 3)
  t.match(formOf(body)?.fields, typed, 'everything typed is kept, even if invalid')
  t.match(valuesOf(body, 'data-total'), ['15495'], 'the chosen delivery is in the total')
  t.strictSame(shop.orders(), [])

  const again = formOf(body) as { action: string; fields: Record<string, string> }
  t.equal(
    (await shop.submit(again, { email: 'a@b.example', name: 'A', city: 'B' })).statusCode,
    303,
    'the mistakes can be corrected'
  )
  t.match(await shop.store.findOrder('shop', token), {
    delivery: { id: 'express' },
    customer: { email: 'a@b.example', phone: 'ring & ask 11833', address: { postcode: ADA.postcode } }
  })
})

t.test('what cannot be delivered is doubted once, and ordered if it is sent again', async t => {
  const shop = await openShop(t, '1', { countries: ['GB', 'US'], delivery: DELIVERY, locales: ['de'] })
  const token = await shop.transfer()
  const odd = { email: 'may@exampl', phone: 'call me', address1: '.', postcode: 'nonsense' }
  const response = await shop.submit(await shop.form(token), { ...ADA, ...odd, delivery: 'express' })
  t.equal(response.statusCode, 200, 'nothing is wrong')
  const { body } = response
  t.equal(titleOf(body), 'Checkout – The Shop')
  t.strictSame(malformedTags(body), [])
  const box = /<section class="alert calm" role="alert" tabindex="-1" autofocus>.*?<\/section>/s.exec(body)?.[0] ?? ''
  const inputWarnings = [...box.matchAll(/<a href="#([^"]+)">([^<]*)<\/a>/g)].map(([, field, text]) => [field, text])
  t.strictSame(inputWarnings, [
    ['email', 'Please check your email: it usually looks like name@example.com. If it’s right, tap “Buy now” again.'],
    ['phone', 'Please check your phone number: it looks incomplete. If it’s right, tap “Buy now” again.'],
    ['address1', 'Please check your address: it looks incomplete. If it’s right, tap “Buy now” again.'],
    ['postcode', 'Please check your postcode: it usually looks like EC1Y 8SY. If it’s right, tap “Buy now” again.']
  ])
  t.equal(valuesOf(body, 'role').filter(role => role === 'alert').length, 1)
  for (const [field, text] of inputWarnings) {
    t.ok(body.includes(`<span class=doubt id=${field}-wrong>${text}</span>`), 'the note is at its field')
    t.ok(new RegExp(`</span>\\s*<input id=${field} `).test(body), 'right before it')
  }
  t.strictSame(
    valuesOf(body, 'aria-describedby'),
    inputWarnings.map(([field]) => `${field}-wrong`)
  )
  t.strictSame(valuesOf(body, 'aria-invalid'), [])
  t.strictSame(shop.orders(), [])

  const again = formOf(body) as { action: string; fields: Record<string, string> }
  t.match(again.fields, { ...odd, delivery: 'express' }, 'everything typed is kept')
  const other = await shop.submit(again, { phone: '123' })
  t.equal(other.statusCode, 200)
  t.equal(valuesOf(other.body, 'aria-describedby').length, 4, 'whoever changes one of them has not answered the others')
  t.strictSame(shop.orders(), [])

  const german = await shop.submit(formOf(other.body) as typeof again, { lang: 'de' })
  t.strictSame([german.statusCode, shop.orders()], [200, []], 'another language is no attempt to order')
  t.equal(
    valuesOf(german.body, 'aria-describedby').length,
    4,
    'whoever could not read the input warnings reads them now'
  )
  t.equal((await shop.submit(formOf(german.body) as typeof again, {})).statusCode, 303)
  const { email, address1, postcode } = odd
  t.match(await shop.store.findOrder('shop', token), {
    customer: { email, phone: '123', address: { address1, postcode } },
    delivery: { id: 'express' }
  })
})

t.test(
  'input warnings are shown with mistakes, which come first, and again once those are corrected: nothing is ordered unasked',
  async t => {
    const shop = await openShop(t, '1')
    const token = await shop.transfer()
    const response = await shop.submit(await shop.form(token), {
      ...ADA,
      email: 'ada@@gmial.com',
      city: '',
      postcode: 'x'
    })
    t.equal(response.statusCode, 422)
    t.strictSame(
      summaryOf(response.body).map(([field]) => field),
      ['email', 'city', 'postcode']
    )
    t.strictSame(valuesOf(response.body, 'aria-invalid'), ['true', 'true'])
    const again = formOf(response.body) as { action: string; fields: Record<string, string> }
    const doubted = await shop.submit(again, { email: 'ada@gmial.com', city: 'London' })
    t.equal(doubted.statusCode, 200)
    t.match(textOf(doubted.body), 'Did you mean ada@gmail.com? If not, tap “Buy now” again.')
    t.match(textOf(doubted.body), 'Please check your postcode:')
    const mended = await shop.submit(formOf(doubted.body) as typeof again, { postcode: 'SW1Y 4JH' })
    t.equal(mended.statusCode, 200, 'the email was not shown alone')
    t.strictSame(valuesOf(mended.body, 'aria-describedby'), ['email-wrong'])
    t.match(mended.body, /<input id=email [^>]* autofocus>/, 'a single field has the focus')
    t.strictSame(shop.orders(), [])
    t.equal((await shop.submit(formOf(mended.body) as typeof again, {})).statusCode, 303)
  }
)

t.test('what is probably meant is taken at one tap, and ordered only with the order button', async t => {
  const shop = await openShop(t, '1')
  const typed = { ...ADA, email: 'ada@gmial.com', phone: '12' }
  const token = await shop.transfer()
  const doubted = await shop.submit(await shop.form(token), typed)
  t.match(doubted.body, '<button class=small name=use value="ada@gmail.com">Use ada@gmail.com</button>')
  const used = await shop.submit(formOf(doubted.body) as Form, { use: 'ada@gmail.com' })
  t.equal(used.statusCode, 200)
  t.strictSame([valuesOf(used.body, 'aria-describedby'), shop.orders()], [[], []])
  t.match(used.body, /<input id=email [^>]*value="ada@gmail.com"[^>]* autofocus>/)
  t.match(formOf(used.body)?.fields, { ...ADA, email: 'ada@gmail.com', phone: '12', use: undefined })
  const other = await shop.submit(formOf(used.body) as Form, {})
  t.strictSame(valuesOf(other.body, 'aria-describedby'), ['phone-wrong'], 'the other was not shown alone')
  t.equal((await shop.submit(formOf(other.body) as Form, {})).statusCode, 303)
  t.match(await shop.store.findOrder('shop', token), { customer: { email: 'ada@gmail.com' } })
})

t.test('nothing typed is stored before an order is placed, and no personal data is in a log or URL', async t => {
  const shop = await openShop(t, '2A', { countries: ['GB', 'FR'], delivery: DELIVERY })
  const token = await shop.transfer([{ sku: 'MUG', quantity: 2 }], 'order-1')
  const form = await shop.form(token)
  const sellOut = async () => shop.change('MUG', { availability: 'out_of_stock' })
  const attempts: [string, () => Promise<{ statusCode: number; headers: object }>, number][] = [
    ['a mistake', () => shop.submit(form, { ...ADA, city: '' }), 422],
    ['no email', () => shop.submit(form, { ...ADA, email: '' }), 422],
    ['a doubt', () => shop.submit(form, { ...ADA, postcode: 'SW1Y' }), 200],
    ['another country', () => shop.submit(form, { ...ADA, country: 'FR' }), 200],
    ['a forged digest', () => shop.submit(form, { ...ADA, digest: 'x' }), 409],
    ['a wrong token', () => shop.post('nobody', `${new URLSearchParams({ ...form.fields, ...ADA })}`), 404],
    ['by PUT', () => shop.app.inject({ method: 'PUT', url: form.action, payload: ADA }), 405],
    ['as JSON', () => shop.app.inject({ method: 'POST', url: form.action, payload: ADA }), 415],
    ['too much', () => shop.submit(form, { ...ADA, name: 'x'.repeat(70_000) }), 413],
    ['a line sold out', () => sellOut().then(() => shop.submit(form)), 409]
  ]
  for (const [what, attempt, status] of attempts) {
    const { statusCode, headers } = await attempt()
    t.equal(statusCode, status, what)
    t.strictSame(personalIn(JSON.stringify(headers)), [])
    t.strictSame(shop.orders(), [])
    t.strictSame(found(PERSONAL.map(asBytes), bytesOf(shop)), [], `${what}: not in the database file`)
  }
  shop.change('MUG', { availability: 'in_stock' })
  const placed = await shop.submit(await shop.form(token))
  t.equal(placed.statusCode, 303)
  t.ok(bytesOf(shop).includes(asBytes(ADA.email)), 'the order itself has it')
  t.strictSame(personalIn(String(placed.headers.location)), [])
  await shop.app.inject(String(placed.headers.location))
  await shop.page(token)
  const logs = JSON.stringify(shop.logs)
  t.strictSame([personalIn(logs), logs.includes(token)], [[], false], 'no personal data and no token in the log')
})

t.test('if the store fails while placing, the page is 500, and neither page nor log has anything typed', async t => {
  const fail: Store['placeOrder'] = async order => Promise.reject(new Error(`disk of ${order.merchantId}`))
  const shop = await openShop(t, '1', {}, { store: store => ({ ...store, placeOrder: fail }) })
  const response = await shop.submit(await shop.form(await shop.transfer()))
  t.equal(response.statusCode, 500)
  t.strictSame(personalIn(response.body + JSON.stringify(shop.logs)), [])
  t.match(JSON.stringify(shop.logs), 'disk of shop')
})

t.test('a 503 offers to send the same form again, which orders once', async t => {
  let failure: 'before' | 'after' | undefined
  const shop = await openShop(
    t,
    '1',
    { delivery: DELIVERY, locales: ['de'] },
    {
      store: store => ({
        ...store,
        findCheckout: async (...args) => {
          if (failure === 'before') throw new StoreUnavailable('busy')
          return store.findCheckout(...args)
        },
        placeOrder: async (...args) => {
          const placed = await store.placeOrder(...args)
          if (failure === 'after') throw new StoreUncertain('no answer')
          return placed
        }
      })
    }
  )
  const form = await shop.form(await shop.transfer())
  const typed = { ...ADA, name: "\"><b> & 'Ada'", delivery: 'express' }
  const press = async (again?: Record<string, string>) => {
    const response = await shop.submit({ ...form, fields: again ?? form.fields }, again ? {} : typed)
    return { ...response, again: formOf(response.body), text: textOf(response.body) }
  }
  failure = 'before'
  const busy = await press()
  const headers = { 'retry-after': '5', 'cache-control': 'private, no-cache' }
  t.match(busy, {
    statusCode: 503,
    headers,
    text: /^Your order has not been placed .* then try again\. .* Back to the app/
  })
  t.strictSame(busy.again, { action: '', fields: { ...form.fields, ...typed } }, 'to its own address')
  t.strictSame(malformedTags(busy.body), [])
  t.match(busy.body, '<form method=post class=leave>')
  t.match(readPolicy(busy.headers['content-security-policy']), { 'form-action': "'self'" })
  t.match(textOf(/<button>.*?<\/button>/s.exec(busy.body)?.[0] ?? ''), /^Try again$/)
  t.strictSame((await press(busy.again?.fields)).again, busy.again, 'as often as it takes')

  failure = 'after'
  const uncertain = await press(busy.again?.fields)
  t.match(uncertain, { statusCode: 503, text: /^We can’t tell whether .* then try again\. .* placed only once\./ })
  t.equal(shop.orders().length, 1)
  failure = undefined
  const placed = await press(uncertain.again?.fields)
  t.match(placed, { statusCode: 303, headers: { location: /\/complete\?order=[^&]*&attempt=\w{32}&lang=en$/ } })
  t.equal(shop.orders().length, 1)
  t.match(JSON.parse(String(shop.orders()[0]?.customer)), { address: { name: typed.name } })
  t.strictSame(personalIn(JSON.stringify(shop.logs)), [])
})

t.test('a 503 to a form that was not read, or is none of ours, says to go back to it', async t => {
  const busy: Store['findCheckout'] = async () => Promise.reject(new StoreUnavailable('busy'))
  const limit = { requestsPerMinute: 2, trustedProxies: [] }
  const shop = await openShop(t, '1', {}, { store: store => ({ ...store, findCheckout: busy }), rateLimit: limit })
  const many = Array.from({ length: 51 }, (_, i) => `field${i}=x`).join('&')
  for (const body of [many, '', 'email=ada']) {
    const response = await shop.post('token', body)
    t.equal(response.statusCode, 503)
    t.match(textOf(response.body), /^Your order has not been placed .* go back one page and place your order again/)
    t.equal(formOf(response.body), undefined)
  }
})

t.test('a gift note is optional, comes back with its mistakes, and is kept with the customer', async t => {
  const shop = await openShop(t, '1', { checkout: { giftNote: true }, locales: ['de'] })
  const token = await shop.transfer()
  const form = await shop.form(token)
  const { body } = await shop.page(token)
  t.match(body, /<details><summary>Add a gift note<\/summary>\s*<p><label for=giftNote>Gift note \(optional\)</)
  t.match(body, 'min-height:6rem;', 'with its rules')
  const noteIn = (page: string) => unescapeHtml(/<textarea [^>]*>\n(.*)<\/textarea>/s.exec(page)?.[1] ?? 'none')
  t.equal(noteIn(body), '')
  const giftNote = '</textarea><b>\nFor & "mum"'
  const mistaken = await shop.submit(form, { ...ADA, city: '', giftNote })
  t.equal(noteIn(mistaken.body), giftNote, 'what was typed')
  t.match(mistaken.body, '<details open><summary>Add a gift note')
  const long = await shop.submit(form, { ...ADA, giftNote: 'x'.repeat(301) })
  t.equal(long.statusCode, 422)
  t.strictSame(summaryOf(long.body), [['giftNote', 'Gift note must be 300 characters or fewer']])
  t.match(long.body, 'aria-invalid=true aria-describedby=giftNote-wrong autofocus>')
  t.strictSame(malformedTags(long.body.replace(/<textarea.*?<\/textarea>/s, '')), [])

  shop.change('MUG', { availability: 'out_of_stock' })
  const { body: gone } = await shop.submit(form, { ...ADA, giftNote: 'Love,\r\nMay' })
  t.match(gone, /<bdi>Love,\s+May<\/bdi>/)
  t.match(gone, 'details bdi{white-space:pre-line}', 'it is copied in lines too')
  shop.change('MUG', { availability: 'in_stock' })

  const { headers } = await shop.submit(form, { ...ADA, giftNote: giftNote.replace('\n', '\r\n') })
  const order = await shop.store.findOrder('shop', token)
  t.match(order, { customer: { giftNote } })
  t.notMatch((await shop.app.inject(String(headers.location))).body, 'For &amp;', 'no page shows it')
  await shop.store.eraseOrder(String(order?.number))
  t.equal(bytesOf(shop).includes('"mum'), false, 'erased with the rest')
})

t.test('a price that changes before placing is shown and marked, and has to be confirmed', async t => {
  const shop = await openShop(t, '1', { delivery: DELIVERY })
  const token = await shop.transfer([
    { sku: 'MUG', quantity: 2 },
    { sku: 'CLOCK', quantity: 1 },
    { sku: 'MUG', quantity: 1 }
  ])
  const form = await shop.form(token)
  shop.change('MUG', { price: 1000 })
  const typed = { ...ADA, delivery: 'express', city: '' }
  const response = await shop.submit(form, typed)
  t.equal(response.statusCode, 409)
  t.match(textOf(response.body), 'Some prices have changed. Please check them before you order.')
  t.match(linesOf(response.body).map(textOf), [
    /Qty 2 · £10\.00 each £20\.00 Price changed from £12\.50 each$/,
    /Qty 1 £120\.00 Pre-order/,
    /Qty 1 £10\.00 Price changed from £12\.50$/
  ])
  t.match(linesOf(response.body)[0], '<s>£12.50 each</s>')
  t.match(response.body, '<dt>Previous total<dd><s>£167.45</s></div>', 'with the delivery chosen')
  t.match(formOf(response.body)?.fields, typed, 'everything typed is kept')
  t.strictSame(valuesOf(response.body, 'data-total'), ['15995'])
  t.strictSame(shop.orders(), [])

  t.equal((await shop.submit(form)).statusCode, 409, 'the old page is refused however often it is sent')
  const next = formOf(response.body) as typeof form
  t.equal((await shop.submit(next, { city: 'Ockham' })).statusCode, 303, 'the new page is accepted')
  t.match(await shop.store.findOrder('shop', token), { subtotal: 15_000, total: 15_995 })
})

t.test('a price that changes and changes back needs no confirmation', async t => {
  const shop = await openShop(t, '1')
  const form = await shop.form(await shop.transfer())
  shop.change('MUG', { sale: { price: 1 } })
  t.equal((await shop.submit(form)).statusCode, 409)
  shop.change('MUG', { sale: { price: 1250 } })
  t.equal((await shop.submit(form)).statusCode, 303)
})

t.test('a line that sells out before placing is 409, marked, without a button, until it is back', async t => {
  const shop = await openShop(t, '1')
  const token = await shop.transfer()
  const form = await shop.form(token)
  shop.change('CLOCK', { availability: 'out_of_stock' })
  const response = await shop.submit(form)
  t.equal(response.statusCode, 409)
  t.match(linesOf(response.body).map(textOf), [/^Sea-glass mug .* £25\.00$/, /This item is out of stock$/])
  t.notMatch(response.body, '<button')
  t.strictSame(shop.orders(), [])
  shop.change('CLOCK', { availability: 'in_stock' })
  t.equal((await shop.submit(form)).statusCode, 303)
})

t.test('the digest of the prices shown cannot be forged or left out', async t => {
  const shop = await openShop(t, '1', { delivery: DELIVERY })
  const token = await shop.transfer()
  const other = await shop.transfer([{ sku: 'MUG', quantity: 3 }], uuid(2))
  const form = await shop.form(token)
  const { digest = '' } = form.fields
  const digests: [string, string, boolean][] = [
    ['none', '', false],
    ['nonsense', 'x'.repeat(digest.length), false],
    ['a very long one', 'x'.repeat(50_000), false],
    ['in the other case', digest.toUpperCase(), false],
    ['only of its prices', 'x'.repeat(32) + digest.slice(32), false],
    ['prices of its own', `${'x'.repeat(32)}1XgjdgxrZ0X0X0`, true],
    ['a price beyond all', `${'x'.repeat(32)}1XzzzzzzZ0X0X0`, false],
    ['half a thousand prices', `${'x'.repeat(32)}${'1X'.repeat(500)}1Z0X0X0`, false],
    ['another bag’s', (await shop.form(other)).fields.digest ?? '', false]
  ]
  for (const [what, forged, marked] of digests) {
    const response = await shop.submit(form, { ...ADA, digest: forged })
    t.equal(response.statusCode, 409, what)
    const lines = linesOf(response.body).map(line => line.includes('Price changed from'))
    t.strictSame(lines, [marked, marked], `${what}: only prices that can be read are shown`)
    t.match(textOf(response.body), 'Some prices have changed')
    t.equal(formOf(response.body)?.fields.digest, digest)
    t.match(formOf(response.body)?.fields, ADA)
  }
  t.strictSame(shop.orders(), [])
  t.equal((await shop.submit(form)).statusCode, 303)
})

t.test('a page of an earlier version, with - and _ in token and digest, can still be ordered', async t => {
  const shop = await openShop(t, '1', { delivery: DELIVERY })
  const stored = await shop.store.findCheckout('shop', await shop.transfer())
  if (!stored) throw new Error('nothing was stored')
  const token = 'mz00aa00--Zy_-aB3dE-gH__jK-mN0pQ'
  await shop.store.addCheckout({ ...stored, cart: { ...stored.cart, reference: uuid(2) }, token })
  const form = await shop.form(token)
  const digest = 'S_-dAfNOljuu22fU-O646myq-99c_yq-7oi-0'
  const again = await shop.submit({ ...form, fields: { ...form.fields, digest } })
  t.equal(again.statusCode, 409)
  t.match(textOf(again.body), 'Some prices have changed')
  t.notMatch(again.body, '<s>', 'what it showed cannot be read, and is not guessed')
  const fresh = formOf(again.body) ?? form
  t.equal(fresh.fields.digest, form.fields.digest)
  t.match(await shop.submit(fresh), { statusCode: 303 })
})

t.test('a repeated field counts as missing', async t => {
  const shop = await openShop(t, '1', { countries: ['GB', 'FR'], delivery: DELIVERY })
  const token = await shop.transfer()
  const { fields } = await shop.form(token)
  const valid = `${new URLSearchParams({ ...fields, ...ADA })}`
  const cases: [string, number, RegExp][] = [
    ['email=b@c', 422, /Enter your email/],
    ['name=Bob', 422, /Enter your full name/],
    [`digest=${fields.digest}`, 409, /Some prices have changed/],
    ['country=FR', 200, /Buy now/],
    ['country=GB', 200, /Buy now/],
    ['shown=GB', 200, /Buy now/]
  ]
  for (const [repeated, status, says] of cases) {
    const response = await shop.post(token, `${valid}&${repeated}`)
    t.equal(response.statusCode, status, repeated)
    t.match(textOf(response.body), says)
  }
  t.strictSame(shop.orders(), [])
  for (const empty of ['', '&', 'a', '%ff=%ff', '__proto__=1&constructor=2']) {
    t.match(await shop.post(token, empty), { statusCode: /^(200|409)$/ }, `"${empty}" places nothing`)
  }
  const bare = await shop.app.inject({ method: 'POST', url: `/shop/checkout/${token}` })
  t.strictSame([bare.statusCode, shop.orders()], [409, []], 'nor does a request without a body')
})

t.test('another country shows its fields and places nothing', async t => {
  const shop = await openShop(t, '1', { countries: ['GB', 'US', 'JP'] })
  const token = await shop.transfer()
  const form = await shop.form(token)
  t.match(form.fields, { country: 'GB', shown: 'GB' }, 'the first country is preselected')
  const names = (body: string) =>
    elements(body).flatMap(({ name, attributes }) =>
      name === 'input' && attributes.autocomplete ? (attributes.name ?? []) : []
    )
  const cases: [country: string, fields: string][] = [
    ['US', 'email phone name address1 organization address2 city postcode'],
    ['JP', 'email phone name postcode city address1 address2 organization'],
    ['GB', 'email phone name address1 organization address2 city postcode']
  ]
  for (const [country, fields] of cases) {
    for (const look of [{}, { look: '1' }]) {
      if (country === 'GB' && !('look' in look)) continue
      const response = await shop.submit(form, { ...ADA, country, ...look })
      t.equal(response.statusCode, 200, country)
      t.equal(names(response.body).join(' '), fields)
      t.match(formOf(response.body)?.fields, { country, shown: country, email: ADA.email, name: ADA.name }, 'kept')
      t.strictSame(summaryOf(response.body), [], 'no mistakes are shown before an attempt to order')
    }
  }
  t.strictSame(shop.orders(), [])

  const american = formOf((await shop.submit(form, { ...ADA, country: 'US' })).body) as typeof form
  const missing = await shop.submit(american, { ...ADA, city: 'Springfield', postcode: '62701' })
  t.equal(missing.statusCode, 422)
  t.strictSame(summaryOf(missing.body), [['state', 'Choose your state']])
  t.match(formOf(missing.body)?.fields, { country: 'US', shown: 'US' })
  t.equal((await shop.submit(formOf(missing.body) as typeof form, { state: 'IL' })).statusCode, 303)
  t.match(await shop.store.findOrder('shop', token), {
    customer: { country: 'US', address: { state: 'IL', city: 'Springfield', name: ADA.name } }
  })
})

t.test('a bag begins in the first country of its currency, and goes to no country of another', async t => {
  const price = { EUR: '5', CHF: '8' }
  const shop = await openShop(
    t,
    '1',
    {
      currencies: ['EUR', 'CHF'],
      countries: { EUR: ['DE', 'AT'], CHF: ['CH', 'LI'] },
      delivery: [
        { id: 'post', label: 'Post', price },
        { id: 'van', label: 'Van', price, countries: ['AT', 'CH'] }
      ]
    },
    { feed: 'id\ttitle\tavailability\tprice\nMUG\tMug\tin_stock\t10 EUR\nMUG\tMug\tin_stock\t12 CHF' }
  )
  const bag = [{ sku: 'MUG', quantity: 1 }]
  const optionsOf = (body: string) =>
    elements(body).flatMap(({ name, attributes }) => (name === 'option' ? (attributes.value ?? []) : []))
  const cases: [currency: string, countries: string[]][] = [
    ['EUR', ['DE', 'AT']],
    ['CHF', ['CH', 'LI']]
  ]
  for (const [i, [currency, countries]] of cases.entries()) {
    const token = await shop.transfer(bag, uuid(i + 1), currency)
    const { body } = await shop.page(token)
    t.strictSame(optionsOf(body), countries, currency)
    t.match(formOf(body)?.fields, { country: countries[0], shown: countries[0] })
  }
  const token = await shop.transfer(bag, uuid(3), 'CHF')
  const form = await shop.form(token)
  const elsewhere = await shop.submit(form, { ...ADA, country: 'DE', shown: 'DE' })
  t.equal(elsewhere.statusCode, 200)
  t.match(formOf(elsewhere.body)?.fields, { country: 'CH', shown: 'CH', email: ADA.email }, 'nothing typed is lost')
  t.strictSame(shop.orders(), [])
  t.equal((await shop.submit(form, { ...ADA, postcode: '8001', delivery: 'van' })).statusCode, 303)
  t.match(await shop.store.findOrder('shop', token), { currency: 'CHF', total: 2000, customer: { country: 'CH' } })
})

t.test('changing the country does not hide a change of price or stock', async t => {
  const shop = await openShop(t, '1', { countries: ['GB', 'US'] })
  const form = await shop.form(await shop.transfer())
  shop.change('MUG', { price: 9900 })
  for (const asks of [{ country: 'US' }, { country: 'GB', look: '1' }]) {
    const dearer = await shop.submit(form, { ...ADA, ...asks })
    t.equal(dearer.statusCode, 409)
    t.match(textOf(dearer.body), 'A price has changed. Please check it before you order.')
    t.match(linesOf(dearer.body)[0], 'Price changed from <s>£12.50 each</s>')
    t.match(textOf(dearer.body), 'You chose another country')
    t.match(
      formOf(dearer.body)?.fields,
      { shown: asks.country, email: ADA.email },
      'with the fields asked for, and what was typed'
    )
  }
  shop.change('MUG', { availability: 'out_of_stock' })
  const soldOut = await shop.submit(form, { ...ADA, country: 'US' })
  t.equal(soldOut.statusCode, 409)
  t.equal(formOf(soldOut.body), undefined)
  t.strictSame(shop.orders(), [])
})

t.test('with one country there is no country to choose', async t => {
  const shop = await openShop(t, '1', { locale: 'de-DE' })
  const { body } = await shop.page(await shop.transfer())
  t.notMatch(body, /<select|name="country"|name="look"/)
  t.match(formOf(body)?.fields, { postcode: '', city: '' })
  t.equal((await shop.submit(formOf(body) as never, { ...ADA, postcode: '10115' })).statusCode, 303)
  t.match(JSON.parse(String(shop.orders()[0]?.customer)), { country: 'DE' }, 'the country of the locale')
})

t.test('the first delivery method is preselected and in the total, and each shows its total', async t => {
  const shop = await openShop(t, '1', { delivery: DELIVERY })
  const token = await shop.transfer([{ sku: 'MUG', quantity: 2 }])
  const { body } = await shop.page(token)
  const text = textOf(body)
  t.match(text, 'Subtotal £25.00 Standard £4.50 Total £29.50')
  t.match(text, /Standard £4\.50 Total £29\.50 Express £9\.95 Total £34\.95 Collect <here> Free Total £25\.00/)
  const radios = elements(body).filter(({ attributes: { type } }) => type === 'radio')
  t.strictSame(
    radios.map(({ attributes }) => [attributes.name, attributes.value, 'checked' in attributes]),
    [
      ['delivery', 'standard', true],
      ['delivery', 'express', false],
      ['delivery', 'collect', false]
    ]
  )
  t.strictSame([valuesOf(body, 'data-subtotal'), valuesOf(body, 'data-total')], [['2500'], ['2950']])
})

t.test('choosing another delivery method is not a changed price', async t => {
  const shop = await openShop(t, '1', { delivery: DELIVERY })
  for (const [id, total] of Object.entries({ standard: 2950, express: 3495, collect: 2500 })) {
    const token = await shop.transfer([{ sku: 'MUG', quantity: 2 }], uuid(total))
    t.equal((await shop.submit(await shop.form(token), { ...ADA, delivery: id })).statusCode, 303, id)
    t.match(await shop.store.findOrder('shop', token), { subtotal: 2500, total, delivery: { id } })
  }
})

t.test('delivery depends on the country and on the subtotal, and only what was shown is ordered', async t => {
  const delivery = [
    { id: 'van', label: 'Van', price: '4.50', countries: ['GB'], freeFrom: '25.00' },
    { id: 'bike', label: 'Bike', price: '9.95', countries: ['GB'] },
    { id: 'ferry', label: 'Ferry', price: '15.00', countries: ['FR', 'IE'], freeFrom: '25.01' }
  ]
  const shop = await openShop(t, '1', { countries: ['GB', 'FR', 'IE'], delivery })
  const bag = async (quantity: number) => shop.form(await shop.transfer([{ sku: 'MUG', quantity }], uuid(quantity)))
  const dear = await shop.page(await shop.transfer([{ sku: 'MUG', quantity: 1 }], uuid(1)))
  t.match(textOf(dear.body), /Van £4\.50 Total £17\.00 Bike £9\.95 Total £22\.45/)
  t.notMatch(textOf(dear.body), 'Ferry')
  t.match(dear.body, '#m1:checked')
  t.notMatch(dear.body, '#m2:checked', 'rules for as many methods as one country has')

  const form = await bag(2)
  const french = await shop.submit(form, { ...ADA, country: 'FR', delivery: 'bike' })
  t.equal(french.statusCode, 200, 'a page with the methods of the other country')
  t.match(textOf(french.body), 'Subtotal £25.00 Ferry £15.00 Total £40.00')
  t.notMatch(textOf(french.body), /Van|Bike|Some prices have changed|Previous total/)
  t.notMatch(french.body, '<input type=radio')
  t.strictSame(valuesOf(french.body, 'data-total'), ['4000'])

  const forged = await shop.submit(formOf(french.body) as typeof form, { ...ADA, delivery: 'van' })
  t.equal(forged.statusCode, 409, 'a method that does not deliver there')
  t.match(textOf(forged.body), 'Ferry £15.00 Total £40.00')
  t.strictSame(shop.orders(), [])

  t.equal((await shop.submit(formOf(forged.body) as typeof form, { ...ADA, postcode: '75001' })).statusCode, 303)
  t.equal((await shop.submit(await bag(3), { ...ADA, delivery: 'van' })).statusCode, 303)
  const placed = shop.orders().map(({ delivery, total }) => [JSON.parse(String(delivery)), total])
  t.strictSame(placed, [
    [{ id: 'ferry', label: 'Ferry', price: 1500 }, 4000],
    [{ id: 'van', label: 'Van', price: 0 }, 3750]
  ])

  const before = await bag(4)
  shop.change('MUG', { price: 500 })
  const cheaper = await shop.submit(before, { ...ADA, country: 'IE' })
  t.equal(cheaper.statusCode, 409)
  t.match(textOf(cheaper.body), /Some prices have changed.*Subtotal £20\.00 Ferry £15\.00 Total £35\.00/)
  t.notMatch(textOf(cheaper.body), 'Previous total', 'the total of another country is not that of before')
  t.match(textOf((await shop.submit(before)).body), 'Van Price changed from Free £4.50')
})

t.test('a delivery method with a new price, or one that is gone, is a changed price', async t => {
  const shop = await openShop(t, '1', { delivery: DELIVERY })
  const token = await shop.transfer()
  const form = await shop.form(token)
  const methods = shop.merchant.delivery.GBP ?? []
  const [standard] = methods
  if (standard) standard.price = 451
  const dearer = await shop.submit(form, { ...ADA, delivery: 'express' })
  t.equal(dearer.statusCode, 409)
  t.match(textOf(dearer.body), 'A price has changed')
  for (const line of linesOf(dearer.body)) t.notMatch(line, 'Price changed', 'no line changed')
  t.match(formOf(dearer.body)?.fields, { delivery: 'express' })
  methods.splice(1, 1)
  const gone = await shop.submit(formOf(dearer.body) as typeof form)
  t.equal(gone.statusCode, 409)
  t.match(formOf(gone.body)?.fields, { delivery: 'standard' })
  t.strictSame(shop.orders(), [])
})

t.test('delivery is charged in the currency of the cart', async t => {
  const feed = 'id\ttitle\tavailability\tprice\nCUP\tCup\tin_stock\t1200 JPY\nCUP\tCup\tin_stock\t12.00 GBP'
  const price = { GBP: '4.50', JPY: '600' }
  const settings = { currencies: ['GBP', 'JPY'], delivery: [{ id: 'post', label: 'Post', price }] }
  const shop = await openShop(t, '1', settings, { feed })
  for (const [currency, total] of Object.entries({ GBP: 1650, JPY: 1800 })) {
    const token = await shop.transfer([{ sku: 'CUP', quantity: 1 }], uuid(total), currency)
    t.equal((await shop.submit(await shop.form(token))).statusCode, 303)
    t.match(await shop.store.findOrder('shop', token), { currency, total })
  }
})

t.test('merchants in one process cannot reach each other’s orders', async t => {
  const merchants = [merchantFile('1'), merchantFile('1', { id: 'other', publicUrl: 'http://127.0.0.1:3000/other' })]
  const shop = await openShop(t, '1', {}, { merchants })
  const token = await shop.transfer()
  const form = await shop.form(token)
  const theirs = { ...form, action: form.action.replace('/shop/', '/other/') }
  t.equal((await shop.submit(theirs)).statusCode, 404)
  const { headers } = await shop.submit(form)
  const elsewhere = String(headers.location).replace('/shop/', '/other/')
  t.equal((await shop.app.inject(elsewhere)).statusCode, 404)
  t.equal(shop.orders().length, 1)
})

t.test('a checkout superseded while its order is being placed is 409, with no order', async t => {
  const superseding = (store: Store): Store => ({
    ...store,
    placeOrder: async (order, options) => {
      const cart = { reference: order.reference, currency: 'GBP', items: [{ sku: 'THROW', quantity: 1 }] }
      const times = { createdAt: order.placedAt, expiresAt: '2027-01-01T00:00:00.000Z' }
      await store.addCheckout({ token: 'newer', merchantId: 'shop', option: '1', cart, ...times })
      return store.placeOrder(order, options)
    }
  })
  const shop = await openShop(t, '1', {}, { store: superseding })
  const response = await shop.submit(await shop.form(await shop.transfer()))
  t.equal(response.statusCode, 409)
  t.match(textOf(response.body), /^Your bag has changed/)
  t.strictSame(shop.orders(), [])
})

t.test('a cart that was ordered in the own shop of before is ordered, whoever comes back to it here', async t => {
  const shop = await openShop(t, '1')
  const token = await shop.transfer()
  const form = await shop.form(token)
  change(
    shop,
    `UPDATE checkouts SET handover = '{}';
    INSERT INTO reported_orders (merchant_id, reference_key, reference, number, currency, items, total, reported_at)
      SELECT merchant_id, reference_key, reference_key, 'SHOP-7', 'GBP', '[]', 100, created_at FROM checkouts`
  )
  for (const response of [await shop.page(token), await shop.submit(form)]) {
    t.equal(response.statusCode, 409)
    t.match(textOf(response.body), 'SHOP-7')
  }
})
