// Option 2B through the app (contract 2.4, 4.3, 8): what is accepted, what is refused and how, what is sent back.
// Requests go over a real socket: a client would tidy up their URLs.
import t, { type Test } from 'tap'
import { queryGet } from '../../../src/transfer/query-get/query-get.ts'
import { build, type MerchantChanges, merchantFile } from '../../build.ts'
import { sendRaw } from '../../raw-http.ts'
import { countingStore, linesIn, mistakesIn } from '../answers.ts'
import { type BrokenForm, brokenForms, FORM_FEED, formWriter, unsellableForms, validForms } from '../form-cases.ts'

const name = (field: string, line: number | string) => `item_${line}_${field}`
const { line, cart } = formWriter(name)
const mug = line('MUG', 2)
const oneMug = { sku: 'MUG', quantity: 2 }

async function open(t: Test, changes: MerchantChanges = {}) {
  const { wrap, added } = countingStore()
  const { app, store } = await build(t, { merchants: [merchantFile('2B', changes)], feed: FORM_FEED, store: wrap })
  await app.listen({ host: '127.0.0.1', port: 0 })
  const port = Number(new URL(app.listeningOrigin).port)
  /** Sends a request-target verbatim: each character is one byte. */
  const get = (target: string, headers = '') =>
    sendRaw(port, Buffer.from(`GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${headers}\r\n`, 'latin1'))
  const send = (query: string) => get(`/shop/cart?${query}`)
  const stored = async (reference = 'r-1') => (await store.newestCheckout('shop', reference))?.cart
  return { app, port, get, send, stored, added }
}

t.test('a query that breaks the contract is refused with a page, and nothing of it is stored', async t => {
  const { send, get, added } = await open(t)
  const ownCases: BrokenForm[] = [
    ['no index', cart(mug, 'item__sku=MUG'), 'item__sku index-malformed'],
    ['two indexes', cart(mug, 'item_0_0_sku=MUG'), 'item_0_0_sku index-malformed'],
    ['an index in brackets', cart(mug, 'item_[1]_sku=MUG'), 'item_[1]_sku index-malformed'],
    ['a line break as index', cart(mug, 'item_%0A_sku=MUG'), 'item_\n_sku index-malformed'],
    ['names of option 2A', cart('items[0][sku]=MUG', 'items[0][quantity]=1'), 'items items-empty'],
    ['a second question mark', `?${cart(mug)}`, 'item_0_sku field-missing']
  ]
  for (const [rule, query, ...mistakes] of [...brokenForms(name), ...ownCases]) {
    const answer = await send(query)
    t.match(answer, { status: 400, headers: { 'content-type': 'text/html; charset=utf-8' } }, rule)
    t.strictSame(mistakesIn(answer.body).sort(), mistakes.sort(), `${rule}: ${mistakes}`)
    t.strictSame(linesIn(answer.body), [], `${rule}: the page shows no line`)
  }
  const bare = await get('/shop/cart')
  t.equal(bare.status, 400, 'no query at all')
  t.strictSame(mistakesIn(bare.body).sort(), ['currency field-missing', 'items items-empty', 'reference field-missing'])
  t.equal(added(), 0, 'nothing is stored')
})

t.test('raw non-ASCII bytes are not a URL: refused, never silently replaced', async t => {
  const { send, added } = await open(t)
  const cases: [name: string, query: string][] = [
    ['Latin-1 in a SKU', cart(line('caf\xe9', 1))],
    ['half a character in a SKU', cart(line('\xe2\x98', 1))],
    ['invalid UTF-8 in a name', cart(mug, '\xff=1')],
    ['UTF-8, unescaped', cart(line('\xe3\x82\xbd-\xe2\x98\x95', 1))],
    ['a control character', cart(line('a\x01b', 1))],
    ['NUL', cart(line('MUG\0', 1))]
  ]
  for (const [name, query] of cases) {
    const answer = await send(query)
    t.match(answer, { status: 400, headers: { 'content-type': /^text\/html/ } }, name)
    t.match(answer.body, 'We couldn’t load your whole bag', name)
  }
  t.equal(added(), 0, 'nothing is stored')
})

t.test('an unsellable cart is refused as a whole, and the page names every unsellable line', async t => {
  const { send, added } = await open(t)
  for (const [rule, query, mistakes, named] of unsellableForms(name)) {
    const answer = await send(query)
    t.equal(answer.status, 422, rule)
    t.strictSame(mistakesIn(answer.body), mistakes, rule)
    for (const text of named) t.match(answer.body, text, `${rule}: ${text}`)
    t.notMatch(answer.body, /Sea-glass mug.*class=wrong/s, `${rule}: a sellable line is not to blame`)
  }
  t.equal(added(), 0, 'nothing is stored')
})

t.test('a cart that keeps the contract is stored exactly as sent, and the page shows it', async t => {
  const { send, stored } = await open(t)
  const ownCases: ReturnType<typeof validForms> = [
    ['a price, which is not in contract 2.4', cart(mug, 'item_0_price=12.50'), [oneMug]],
    ['an undecodable price, twice', cart(mug, 'item_0_price=%zz', 'item_0_price=%FF'), [oneMug]],
    ['a word as index', cart(mug, 'item_total_quantity=2', 'item_gift_wrap_sku=x', 'item_total_price=1'), [oneMug]],
    ['a word as index, with an undecodable value', cart(mug, 'item_total_quantity=%zz'), [oneMug]],
    [
      'names that are almost right',
      cart(mug, 'Item_1_sku=x', 'item_1_SKU=x', 'item_1_sku_=x', 'xitem_1_sku=x'),
      [oneMug]
    ],
    ['names of option 2A', cart(mug, 'items[0][sku]=THROW', 'items[][quantity]=1'), [oneMug]],
    ['a question mark in a value', cart(mug, 'a=?b'), [oneMug]]
  ]
  for (const [rule, query, items, reference = 'r-1'] of [...validForms(name), ...ownCases]) {
    const answer = await send(query)
    t.match(answer, { status: 200, headers: { 'content-type': 'text/html; charset=utf-8' } }, rule)
    t.strictSame(await stored(reference), { reference, currency: 'GBP', items }, `${rule}: stored as sent`)
    t.strictSame(linesIn(answer.body), items, `${rule}: shown as sent`)
  }
})

t.test('the whole URL, as the app sees it, has at most 2,048 characters', async t => {
  const merchants: [publicUrl: string, target: string][] = [
    ['http://127.0.0.1:3000/shop', '/shop/cart'],
    ['https://a-rather-long-name.of-a-shop.example/shop', '/shop/cart'],
    ['https://shop.example:8443', '/cart']
  ]
  for (const [publicUrl, path] of merchants) {
    const { get, added } = await open(t, { publicUrl })
    const { origin } = new URL(publicUrl)
    const target = (length: number) => `${path}?${cart(mug)}&pad=`.padEnd(length - origin.length, 'x')
    const longest = await get(target(2048))
    t.match(longest, { status: 200 }, `${origin}: 2,048`)
    t.strictSame(linesIn(longest.body), [oneMug])
    t.equal(added(), 1)
    for (const length of [2049, 2050, 4096, 16_384, 65_000]) {
      const answer = await get(target(length).replace('r-1', 'r-2'))
      t.match(answer, { status: 414, headers: { 'content-type': 'text/html; charset=utf-8' } }, `${origin}: ${length}`)
      t.strictSame(mistakesIn(answer.body), ['url-too-long'])
      t.match(answer.body, `The URL has ${length} characters; the contract allows 2048`)
    }
    t.equal(added(), 1, 'nothing more is stored')
  }
})

t.test('if publicUrl is only a path, the address the server listens on is counted', async t => {
  const { get, port } = await open(t, { publicUrl: '/shop' })
  const origin = `http://127.0.0.1:${port}`
  const target = (length: number) => `/shop/cart?${cart(mug)}&pad=`.padEnd(length - origin.length, 'x')
  t.equal((await get(target(2048))).status, 200)
  t.equal((await get(target(2049))).status, 414)
})

t.test('the length is that of the URL as sent, escapes included, and is checked before every other rule', async t => {
  const { get } = await open(t)
  const origin = 'http://127.0.0.1:3000'
  const escapes = (length: number) => {
    const start = `/shop/cart?${cart(mug)}&pad=`
    const room = length - origin.length - start.length
    return start + '%41'.repeat(Math.floor(room / 3)) + 'A'.repeat(room % 3)
  }
  t.equal((await get(escapes(2048))).status, 200)
  t.equal((await get(escapes(2049))).status, 414)
  t.equal((await get(`/shop/cart?${'%zz&'.repeat(600)}`)).status, 414, 'not 400')
  t.equal((await get(`/shop/cart?${'a&'.repeat(600)}`)).status, 400, 'short enough to be read')
})

t.test('a proxy may send the whole URL as the request-target: the origin is counted once', async t => {
  const { get } = await open(t)
  const start = `http://127.0.0.1:3000/shop/cart?${cart(mug)}&pad=`
  const longest = await get(start.padEnd(2048, 'x'))
  t.equal(longest.status, 200)
  t.strictSame(linesIn(longest.body), [oneMug])
  t.match(await get(start.padEnd(2049, 'x')), { status: 414, headers: { 'content-type': /^text\/html/ } })
})

t.test('more lines than maxItems get 413, whatever else is wrong with them; extra fields are not lines', async t => {
  const { send } = await open(t, { transfer: { maxItems: 2 } })
  t.equal((await send(cart(mug, 'item_a_sku=1', 'item_b_sku=1', 'item_c_sku=1'))).status, 200)
  const refused = await send('item_7_sku=&item_3_quantity=x&item_9_price=')
  t.strictSame(mistakesIn(refused.body), ['too-many-lines'])
})

t.test('not even Content-Type is a reason to refuse: a GET has no body', async t => {
  const { get } = await open(t)
  for (const headers of ['Content-Type: application/json\r\n', 'Content-Type: text/plain\r\nContent-Length: 0\r\n']) {
    const answer = await get(`/shop/cart?${cart(mug)}`, headers)
    t.match(answer, { status: 200, headers: { 'content-type': /^text\/html/ } }, headers.trim())
  }
})

t.test("the platform's half writes the parameters of contract 2.4 and no others", async t => {
  const items = [
    { sku: 'a+b c', quantity: 1, price: '12.50' },
    { sku: 'ソ', quantity: 9999 }
  ]
  const query = [
    'item_0_sku=a%2Bb+c',
    'item_0_quantity=1',
    'item_1_sku=%E3%82%BD',
    'item_1_quantity=9999',
    'currency=GBP',
    'reference=r-1'
  ].join('&')
  t.strictSame(queryGet.request({ reference: 'r-1', currency: 'GBP', items }, 'https://shop.example/cart'), {
    method: 'GET',
    url: `https://shop.example/cart?${query}`,
    headers: []
  })
})

t.test('a base address may already have a query', t => {
  const cart = { reference: 'r', currency: 'GBP', items: [{ sku: 'A', quantity: 1 }] }
  const { url } = queryGet.request(cart, 'http://shop/cart?shop=1')
  t.equal(url, 'http://shop/cart?shop=1&item_0_sku=A&item_0_quantity=1&currency=GBP&reference=r')
  t.end()
})
