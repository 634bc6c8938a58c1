// What holds for every option in the list but those with a protocol of their own: its method and media type, its limits, what is no reason to refuse a request,
// and that the same cart opens the same checkout.
import t, { type Test } from 'tap'
import { transferOptions } from '../../src/transfer/index.ts'
import { asksForPage, isOfApp, type TransferOption } from '../../src/transfer/option.ts'
import { build, merchantFile, uuid } from '../build.ts'
import { countingStore, mistakesIn, unescapeHtml } from './answers.ts'
import { FORM_FEED } from './form-cases.ts'

const MUG = { sku: 'MUG', quantity: 1 }
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const
const LONGEST_SKU = '𝒳'.repeat(128)

async function open(t: Test, option: TransferOption, transfer = {}) {
  const { wrap, added } = countingStore()
  const { app } = await build(t, { merchants: [merchantFile(option.name, { transfer })], feed: FORM_FEED, store: wrap })
  /** The request of a cart, as the platform writes it. */
  const requestOf = (items = [MUG], reference = uuid()) => {
    const { method, url, headers, body } = option.request({ reference, currency: 'GBP', items }, '/shop/cart')
    const named = Object.fromEntries(headers.map(({ name, value }) => [name.toLowerCase(), value]))
    return { method: method as 'GET', url, headers: named, ...(body !== undefined && { payload: Buffer.from(body) }) }
  }
  return { app, added, requestOf, send: (...cart: Parameters<typeof requestOf>) => app.inject(requestOf(...cart)) }
}

/** How an option refuses: a page to a web view, problem+json to a server. */
const refusalType = (option: TransferOption) => ({
  'content-type': asksForPage(option) ? 'text/html; charset=utf-8' : 'application/problem+json'
})

/** The status with which an option takes a cart. */
const takes = ({ answer }: TransferOption) => (answer === 'redirect' ? 303 : 200)

for (const option of transferOptions.filter(({ answer }) => answer !== 'protocol')) {
  const { name, encoding } = option

  t.test(`${name}: no other method is allowed; HEAD would open a checkout that nobody sees`, async t => {
    const { app, requestOf, added } = await open(t, option)
    const { method: own, url } = requestOf()
    for (const method of METHODS.filter(one => one !== own)) {
      t.match(await app.inject({ method, url }), { statusCode: 405, headers: { allow: own } }, method)
    }
    t.equal(added(), 0)
  })

  t.test(`${name}: where a request comes from and what it accepts are no reason to refuse it`, async t => {
    const { app, requestOf } = await open(t, option)
    const { headers, ...request } = requestOf()
    const cases: Record<string, string>[] = [
      { origin: 'null', 'sec-fetch-site': 'cross-site' },
      { origin: 'https://elsewhere.example', referer: 'https://elsewhere.example/' },
      { accept: 'application/json' },
      { accept: 'text/html' },
      { cookie: 'token=other' }
    ]
    for (const more of cases) {
      const { statusCode } = await app.inject({ ...request, headers: { ...headers, ...more } })
      t.equal(statusCode, takes(option), JSON.stringify(more))
    }
  })

  t.test(`${name}: the same cart opens the same checkout; a UUID is compared without case`, async t => {
    const { send, added } = await open(t, option)
    const reference = 'abcdef00000000000000000000000001'
    const first = await send([MUG], reference)
    const location = option.answer === 'redirect' ? /\/shop\/checkout\/[A-Za-z0-9]{32}$/ : undefined
    t.match(first, { statusCode: takes(option), headers: { location } }, 'the answer itself, or its own address')
    const again = await send([MUG], reference.toUpperCase())
    t.strictSame([again.body, again.headers.location], [first.body, first.headers.location])
    t.equal(added(), 1)
  })

  t.test(`${name}: carts have at most maxItems lines, each as long as it may be`, async t => {
    const { send, added } = await open(t, option, { maxItems: 1 })
    t.equal((await send([{ sku: LONGEST_SKU, quantity: 9999 }])).statusCode, takes(option))
    const response = await send([MUG, MUG])
    t.match(response, { statusCode: 413, headers: refusalType(option) })
    t.strictSame(mistakesIn(response.body), ['too-many-lines'])
    t.match(response.body, 'The cart has 2 lines; this merchant takes at most 1.')
    t.equal(added(), 1)
  })

  t.test(`${name}: what is said of a wrong quantity names the most that the merchant sells in a line`, async t => {
    const { send } = await open(t, option, { maxQuantity: 20 })
    const most = 'this merchant sells at most 20 in one line.'
    for (const [quantity, code, said] of [
      [21, 'quantity-too-large', most],
      [10_000, 'quantity-invalid', 'is out of range; a quantity is a whole number from 1 to 20.'],
      [0, 'quantity-invalid', 'is out of range; a quantity is a whole number from 1 to 20.'],
      [1.5, 'quantity-invalid', ' 1 to 20']
    ] as const) {
      const { body } = await send([{ sku: 'MUG', quantity }])
      t.match(mistakesIn(body), [new RegExp(` ${code}$`)], String(quantity))
      t.match(body, said)
      t.notMatch(body, '9999')
      if (quantity > 20) t.match(body, asksForPage(option) ? 'You can buy up to 20 of this item' : '"limit":20')
    }
  })

  t.test(`${name}: a refusal quotes what was sent, escaped`, async t => {
    const { send } = await open(t, option)
    const { body } = await send([{ sku: '<script>\x07', quantity: 1 }])
    if (!asksForPage(option)) return t.match(body, '\\"<script>\\\\u0007\\" holds a control character')
    t.notMatch(body, '<script>')
    t.match(unescapeHtml(body), '"<script>\\u0007" holds a control character')
    const back = / href="shop:\/\/continue">Back to the app</
    t.equal(back.test(body), isOfApp(option), 'and leads those who come from the app back there')
  })

  if (!encoding.includes('/')) continue

  t.test(`${name}: a body has the media type of the option; parameters are ignored`, async t => {
    const { app, requestOf, added } = await open(t, option)
    const { headers: _, payload = '', ...request } = requestOf()
    // The bytes are read as UTF-8 anyway.
    const parameters = ['', ';', '; charset=utf-8', ';charset=UTF-8;x=y', ' ; charset=iso-8859-1']
    for (const type of [...parameters.map(more => encoding + more), encoding.toUpperCase()]) {
      t.equal((await app.inject({ ...request, payload, headers: { 'content-type': type } })).statusCode, 200, type)
    }
    t.equal(added(), 1)
    const nearly = [`${encoding}2`, encoding.slice(0, -3), encoding.replace('/', '/x-'), encoding.replace(/.*\//, '')]
    const lists = [`${encoding}, image/png`, `image/png; ${encoding}`, 'application/*', 'application', '']
    const others = ['text/plain', 'multipart/form-data; boundary=x', 'application/problem+json']
    const known = [...others, ...transferOptions.map(one => one.encoding)].filter(one => one !== encoding)
    for (const type of [undefined, ...nearly, ...lists, ...known]) {
      const headers = type === undefined ? {} : { 'content-type': type }
      for (const sent of [payload, '']) {
        const response = await app.inject({ ...request, payload: sent, headers })
        t.match(response, { statusCode: 415, headers: refusalType(option) }, `${type}, ${sent.length} bytes`)
        t.strictSame(mistakesIn(response.body), ['media-type-unsupported'])
      }
    }
    t.equal(added(), 1)
  })

  t.test(`${name}: the query of a body's address is ignored, whatever its length`, async t => {
    const { app, requestOf } = await open(t, option)
    const { url, ...request } = requestOf()
    const query = `?currency=%zz&items[0][sku]=%zz&x=${'x'.repeat(3000)}`
    t.equal((await app.inject({ ...request, url: url + query })).statusCode, 200)
  })

  t.test(`${name}: a body that is larger than the longest cart is refused`, async t => {
    const { app, requestOf, added } = await open(t, option, { maxItems: 1 })
    const response = await app.inject({ ...requestOf(), payload: 'x'.repeat(70_000) })
    t.match(response, { statusCode: 413, headers: refusalType(option) })
    t.strictSame(mistakesIn(response.body), ['body-too-large'])
    t.match(response.body, 'The body may have at most 67584 bytes; this one has more.')
    t.equal(added(), 0)
  })
}
