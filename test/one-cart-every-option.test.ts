// One cart, sent through every option as its platform half writes it, gives the same stored cart and the same lines on
// the page. The fourth option is the example in src/README.md: being in the list is all it takes.
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import { type Cart, type Item, SKU_PATTERN } from '../src/cart/cart.ts'
import type { StoredCheckout } from '../src/checkout/checkout-store.ts'
import { Problem } from '../src/errors.ts'
import { responseText } from '../src/kit/client/send-request.ts'
import { simulateTransfer } from '../src/kit/client/simulate-transfer.ts'
import { transferOptions } from '../src/transfer/index.ts'
import type { TransferOption, WebRequest } from '../src/transfer/option.ts'
import { anyText } from './any-text.ts'
import { build, merchantFile, simulatorCookie, uuid } from './build.ts'
import { linesIn, mistakesIn } from './transfer/answers.ts'

const SRC = join(import.meta.dirname, '../src')

/** The example option in src/README.md, verbatim. */
async function readmeOption(): Promise<TransferOption> {
  const readme = readFileSync(join(SRC, 'README.md'), 'utf8')
  const [, code = ''] = /```ts\n\/\/ src\/transfer\/text-post\/text-post\.ts\n(.*?)```/s.exec(readme) ?? []
  const file = join(t.testdir({}), 'text-post.ts')
  writeFileSync(file, code.replaceAll("'../../", `'${SRC}/`).replaceAll("'../", `'${SRC}/transfer/`))
  return (await import(file)).textPost
}

const textPost = await readmeOption()
/** The list with the example, which may have been added to it already. */
const options = transferOptions.some(({ name }) => name === textPost.name)
  ? transferOptions
  : [...transferOptions, textPost]

/** A listening server with a merchant for every option. */
async function open(t: Test, transfer = {}) {
  const merchants = options.map(({ name }) => {
    const id = `by-${name.toLowerCase()}`
    return merchantFile(name, { id, publicUrl: `/${id}`, transfer })
  })
  const built = await build(t, { merchants, options, simulator: {} })
  await built.app.listen({ host: '127.0.0.1', port: 0 })
  const shops = built.merchants.map(({ id, path, ways: [{ option, transfer }] }) => ({
    id,
    option,
    baseUrl: built.app.listeningOrigin + path + transfer.path
  }))
  return { ...built, shops }
}

/** Transfers a cart as platform and app do: returns the page the shopper sees, or else the response to the platform. */
async function transfer(
  option: TransferOption,
  cart: Cart,
  baseUrl: string
): Promise<{ status: number; body: string; reference: string }> {
  const { steps, shown } = await simulateTransfer(option.request(cart, baseUrl), option.answer)
  const answers = steps.flatMap(step => (step.step === 'answer' ? step.answer : []))
  const [answer] = [shown ?? [], ...answers].flat()
  if (!answer) throw new Error('there was no response')
  // By a protocol of its own, the answer has it.
  const { id = '' } = option.answer === 'protocol' ? JSON.parse(responseText(answers[0] as typeof answer)) : {}
  return { status: answer.status, body: responseText(answer), reference: id || cart.reference }
}

/** A page without what differs: the addresses of merchants and checkouts, and the way back, which leads to the app or nowhere. */
function withoutAddresses(page: string): string {
  return page
    .replaceAll(/<p class="?leave\b.*?<\/a>/gs, '')
    .replaceAll(/\/by-[a-z0-9]+\//g, '/')
    .replaceAll(/\/checkout\/[A-Za-z0-9]{32}/g, '/checkout/(token)')
}

const carts: [name: string, items: Cart['items']][] = [
  ['one line', [{ sku: 'MUG', quantity: 1 }]],
  [
    'several lines, one SKU on two of them',
    [
      { sku: 'THROW', quantity: 3 },
      { sku: 'MUG', quantity: 9999 },
      { sku: 'THROW', quantity: 1 },
      { sku: 'BASKET', quantity: 2 }
    ]
  ],
  [
    'SKUs that every encoding has to get right',
    [
      { sku: 'a+b c', quantity: 1 },
      { sku: 'ソ-☕', quantity: 2 },
      { sku: '<script>alert("sku")</script>', quantity: 3 }
    ]
  ]
]

t.test('one cart gives the same stored cart and the same page through every option', async t => {
  const { shops, store } = await open(t)
  t.strictSame(
    shops.map(({ option }) => option.name),
    options.map(({ name }) => name)
  )
  for (const [i, [name, items]] of carts.entries()) {
    const cart: Cart = { reference: uuid(i + 1), currency: 'GBP', items }
    const pages = new Set<string>()
    for (const { id, option, baseUrl } of shops) {
      const page = await transfer(option, cart, baseUrl)
      const by = `${name}, option ${option.name}`
      t.equal(page.status, 200, by)
      t.strictSame(linesIn(page.body), items, `${by}: the lines of the page`)
      const { reference } = page
      const stored = await store.newestCheckout(id, reference)
      t.match(stored, { merchantId: id, option: option.name }, by)
      const { platform, linkKey, ...kept } = (stored as StoredCheckout).cart
      const isKept = option.answer === 'protocol'
      t.strictSame([platform !== undefined, linkKey !== undefined], [isKept, isKept], by)
      t.strictSame(kept, { ...cart, reference }, `${by}: the stored cart`)
      pages.add(withoutAddresses(page.body).replaceAll(reference, '(reference)'))
    }
    t.equal(pages.size, 1, `${name}: the same page for every option`)
  }
})

/** What a request to BASE_URL carries of a cart: the bytes that an option reads. */
function sentIn({ url, body = url.slice(BASE_URL.length + 1) }: WebRequest): Buffer {
  return Buffer.from(body)
}

/** Any legal cart. Some of its SKUs are pieces of what the option writes: text that its reader could take for syntax. */
function anyLegalCart(request: TransferOption['request']): fc.Arbitrary<Cart> {
  const anySku = fc.oneof(fc.constantFrom('A', 'B', '2'), anyText({ minLength: 1, maxLength: 128 }))
  const cartOf = (sku: fc.Arbitrary<string>) => {
    const isLegal = (text: string) => new RegExp(SKU_PATTERN, 'u').test(text)
    const line = { sku: sku.filter(isLegal), quantity: fc.oneof(fc.constant(2), fc.integer({ min: 1, max: 9999 })) }
    const price = fc.oneof(fc.constant('12.50'), anyText({ maxLength: 20 }).filter(isLegal))
    const items = { minLength: 1, maxLength: 8 }
    return fc.record({
      reference: fc.stringMatching(/^[0-9A-Fa-f]{32}$/),
      currency: fc.constantFrom('GBP', 'JPY'),
      items: fc.oneof(fc.array(fc.record(line), items), fc.array(fc.record({ ...line, price }), items))
    })
  }
  const extra = anyText({ minLength: 1, maxLength: 40 }).filter(text => text.isWellFormed() && !/\p{Cc}/u.test(text))
  const name = fc.constantFrom('utm_source', 'utm_campaign', 'gclid', 'fbclid', 'ttclid', 'msclkid', 'cart_origin')
  const withExtras = (cart: fc.Arbitrary<Cart>) =>
    fc
      .tuple(cart, fc.dictionary(name, extra), fc.array(extra, { maxLength: 1 }), extra)
      .map(([cart, attribution, codes, email]) => ({
        ...cart,
        attribution: { ...attribution },
        codes,
        buyer: { email }
      }))
  const written = cartOf(fc.constantFrom('A', 'B')).map(cart => sentIn(request(cart, BASE_URL)).toString())
  const piece = fc.tuple(written, fc.nat(), fc.integer({ min: 1, max: 40 }), fc.boolean())
  const anyPiece = piece.map(([text, from, length, isDecoded]) => {
    const shown = isDecoded ? decodeURIComponent(text) : text
    return shown.slice(from % shown.length).slice(0, length)
  })
  return withExtras(cartOf(fc.oneof(anySku, anyPiece, anyPiece)))
}

const BASE_URL = 'https://shop.example/cart'

t.test(
  'what an option reads of any legal cart, as its platform half writes it, is the same cart, or it refuses',
  async t => {
    for (const { name, read, request, variants, sendsPrices, answer } of options) {
      for (const [variant, write] of Object.entries({ '': request, ...variants })) {
        let count = 0
        const isKept = fc.property(anyLegalCart(write), cart => {
          const asSent = ({ price, ...item }: Item) => (sendsPrices && price !== undefined ? { ...item, price } : item)
          const { reference, currency, ...extras } = { ...cart, items: cart.items.map(asSent) }
          const settings = { currency }
          try {
            const { reference: own, ...found } = read(sentIn(write(cart, BASE_URL)), {
              maxItems: 500,
              maxQuantity: 9999,
              settings,
              warn: () => {}
            })
            // Not every option carries everything; what one does is as it was.
            const carried = Object.entries(extras).filter(([part]) => part in found)
            assert.deepEqual(found, { currency, items: extras.items, ...Object.fromEntries(carried) })
            if (answer !== 'protocol') assert.equal(own, reference)
            count++
          } catch (error) {
            if (!(error instanceof Problem)) throw error
          }
        })
        t.doesNotThrow(() => fc.assert(isKept, { numRuns: 200 }), `${name} ${variant}`)
        // Meta has no way to write some 90 of them.
        t.ok(count > 50, `${name} ${variant}: many carts are read`)
      }
    }
  }
)

t.test("every option refuses an unsellable cart, and points at each line in that option's terms", async t => {
  const { shops, store } = await open(t, { maxQuantity: 99 })
  const items = ['MUG', 'NONE', 'LAMP', 'CLOCK'].map((sku, i) => ({ sku, quantity: i < 3 ? 1 : 100 }))
  const cart: Cart = { reference: uuid(), currency: 'GBP', items }
  for (const { id, option, baseUrl } of shops) {
    const answer = await transfer(option, cart, baseUrl)
    const isProtocol = option.answer === 'protocol'
    t.equal(answer.status, isProtocol ? 200 : 422, `option ${option.name}`)
    const own = [
      '$.line_items[1] item_unavailable',
      '$.line_items[2] out_of_stock',
      '$.line_items[3].quantity quantity_too_large'
    ]
    const contract = [
      `${option.pointer('sku', 1)} sku-unknown`,
      `${option.pointer('sku', 2)} out-of-stock`,
      `${option.pointer('quantity', 3)} quantity-too-large`
    ]
    t.strictSame(mistakesIn(answer.body), isProtocol ? own : contract, `option ${option.name}: every unsellable line`)
    t.equal(await store.newestCheckout(id, cart.reference), undefined, `option ${option.name}: nothing is stored`)
  }
})

t.test('no option reads a cart in a Content-Encoding; none at all may be said', async t => {
  const { shops } = await open(t)
  const cart: Cart = { reference: uuid(), currency: 'GBP', items: [{ sku: 'MUG', quantity: 1 }] }
  for (const { option, baseUrl } of shops) {
    const { method, url, headers, body } = option.request(cart, baseUrl)
    const send = (coding: string) => {
      const sent = headers.map(({ name, value }): [string, string] => [name, value])
      return fetch(url, {
        method,
        headers: [...sent, ['Content-Encoding', coding]],
        ...(body !== undefined && { body })
      })
    }
    for (const coding of ['gzip', 'br, identity']) {
      const refused = await send(coding)
      t.match([refused.status, refused.headers.get('accept-encoding')], [415, 'identity'], `${option.name}: ${coding}`)
      const said = await refused.text()
      if (option.answer === 'protocol') t.equal(JSON.parse(said).code, 'media_type_unsupported')
      else t.strictSame(mistakesIn(said), ['media-type-unsupported'])
    }
    for (const coding of ['Identity', 'identity, identity']) t.ok((await send(coding)).ok, option.name)
  }
})

t.test('the simulator can send a cart through every option', async t => {
  const { app, shops } = await open(t)
  const cookie = simulatorCookie(app)
  const page = await (await fetch(`${app.listeningOrigin}/simulator`, { headers: cookie })).text()
  for (const { id, option } of shops) {
    t.match(page, `"way":"${option.name}","title":"${option.title}"`)
    const cart = { items: [{ sku: 'MUG', quantity: '2' }], currency: 'GBP', reference: uuid() }
    const answer = await fetch(`${app.listeningOrigin}/simulator/transfers`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...cookie },
      body: JSON.stringify({ merchant: id, cart })
    })
    const { page: shown } = (await answer.json()) as { page: { frame: string; status: number } }
    t.equal(shown.status, 200, `option ${option.name}`)
    const frame = await fetch(app.listeningOrigin + shown.frame, { headers: cookie })
    t.strictSame(linesIn(await frame.text()), [{ sku: 'MUG', quantity: 2 }], `option ${option.name}`)
  }
})

t.test('the example refuses a broken cart as a whole', async t => {
  const { shops, store } = await open(t)
  const { id, baseUrl } = shops.find(({ option }) => option.name === textPost.name) as (typeof shops)[0]
  const bodies: [body: string | Buffer, mistakes: string[]][] = [
    ['r GBP\nabc MUG', ['line 1: quantity quantity-invalid']],
    ['r GBP\n-1 MUG\n1.5 MUG\n0 MUG\n02 MUG', [1, 2, 3, 4].map(line => `line ${line}: quantity quantity-invalid`)],
    ['r GBP\n1', ['line 1: sku sku-invalid']],
    ['r GBP', ['items items-empty']],
    ['r', ['currency field-missing', 'items items-empty']],
    [`${'r'.repeat(33)} GBP\n1 MUG`, ['reference reference-invalid']],
    [Buffer.from('r GBP\n1 M\xff', 'latin1'), ['contract-broken']]
  ]
  for (const [body, mistakes] of bodies) {
    const answer = await fetch(baseUrl, { method: 'POST', headers: { 'content-type': 'text/plain' }, body })
    t.equal(answer.status, 400, String(body))
    t.strictSame(mistakesIn(await answer.text()).sort(), mistakes, String(body))
  }
  t.equal(await store.newestCheckout(id, 'r'), undefined)
})

t.test('a merchant file cannot name an option that is not in the list', async t => {
  await t.rejects(build(t, { merchants: [merchantFile('0')] }), { message: /transfer\.option: it is "0"/ })
})
