// The digest of what a shopper agrees to: it changes with every price, line and delivery method, and has the prices.
import fc from 'fast-check'
import t from 'tap'
import { MAX_PRICE } from '../../src/money.ts'
import { isDigestOf, type Quote, type QuotedLine, quoteDigest, shownPrices } from '../../src/orders/quote.ts'

const line = (sku: string, quantity: number, unitPrice: number): QuotedLine => ({ item: { sku, quantity }, unitPrice })

const MUG = line('MUG', 2, 1250)
const CLOCK = line('CLOCK', 1, 12_000)
const POST = { id: 'post', label: 'Post', price: 450 }
const QUOTE: Quote = { lines: [MUG, CLOCK, MUG], deliveries: [POST] }
const DIGEST = quoteDigest(QUOTE)

t.test('the same quote has the same digest, which is safe in a form', t => {
  const same = {
    lines: QUOTE.lines.map(quoted => ({ ...quoted, item: { ...quoted.item, price: '1.00' }, title: 'x' })),
    deliveries: [{ ...POST }]
  }
  t.equal(quoteDigest(same), DIGEST, 'price claims and extra properties of a line do not matter')
  t.match(DIGEST, /^[\w-]+$/)
  t.end()
})

t.test('any other price, line or delivery is another quote', t => {
  const cases: [string, Partial<Quote>][] = [
    ['a price', { lines: [MUG, { ...CLOCK, unitPrice: 12_001 }, MUG] }],
    ['every price', { lines: [MUG, CLOCK, MUG].map(quoted => ({ ...quoted, unitPrice: 7 })) }],
    ['a quantity', { lines: [line('MUG', 3, 1250), CLOCK, MUG] }],
    ['a SKU', { lines: [line('mug', 2, 1250), CLOCK, MUG] }],
    ['one line more', { lines: [MUG, CLOCK, MUG, MUG] }],
    ['one line fewer', { lines: [MUG, CLOCK] }],
    ['no delivery', { deliveries: [] }],
    ['one method more', { deliveries: [POST, { ...POST, id: 'van' }] }],
    ['another method', { deliveries: [{ ...POST, id: 'van' }] }],
    ['another delivery price', { deliveries: [{ ...POST, price: 451 }] }]
  ]
  for (const [what, change] of cases) {
    const quote = { ...QUOTE, ...change }
    t.not(quoteDigest(quote), DIGEST, what)
    t.notOk(isDigestOf(DIGEST, quote), what)
  }
  t.ok(isDigestOf(DIGEST, QUOTE))
  const renamed = { ...QUOTE, deliveries: [{ ...POST, label: 'Paket' }] }
  t.equal(quoteDigest(renamed), DIGEST, 'a label in another language is the same quote')
  t.end()
})

t.test('the prices shown are in the digest, whatever they are now', t => {
  const shown = { lines: [1250, 12_000, 1250], deliveries: [450] }
  t.strictSame(shownPrices(DIGEST, QUOTE), shown)
  const dearer = [MUG, CLOCK, MUG].map(quoted => ({ ...quoted, unitPrice: 99_999 }))
  t.strictSame(shownPrices(DIGEST, { lines: dearer, deliveries: [{ ...POST, price: 0 }] }), shown)
  const extremes = { lines: [line('A', 1, 0), line('B', 1, MAX_PRICE)], deliveries: [] }
  t.strictSame(shownPrices(quoteDigest(extremes), extremes), { lines: [0, MAX_PRICE], deliveries: [] })
  t.strictSame(shownPrices(DIGEST, { ...QUOTE, deliveries: [] }), { ...shown, deliveries: undefined }, 'another count')
  t.strictSame(shownPrices(DIGEST, { ...QUOTE, lines: [MUG] }), { ...shown, lines: undefined })
  t.end()
})

t.test('different carts never share a digest, however their values are joined', t => {
  const quotes: Quote[] = [
    { lines: [line('A","B', 1, 1)], deliveries: [] },
    { lines: [line('A', 11, 1)], deliveries: [] },
    { lines: [line('A', 1, 11)], deliveries: [] },
    { lines: [line('A,1', 1, 1)], deliveries: [] },
    { lines: [], deliveries: [{ id: 'A', price: 1 }] }
  ]
  t.equal(new Set(quotes.map(quoteDigest)).size, quotes.length)
  t.end()
})

t.test('prices in a forged digest are between nothing and the largest price, or are not read at all', t => {
  const whole = DIGEST.slice(0, 22)
  const lines = [
    '',
    'x',
    `${whole}1-2`,
    `${whole}1-2-3-4`,
    `${whole}gjdgxs-1-1_1`,
    `${whole}zzzzzz-1-1`,
    `${whole}1--1_1`
  ]
  for (const forged of [...lines, `${whole}1-A-1`, `${whole}1-1.5-1`, `${whole}-1-1-1`, `${whole}1-١-1`]) {
    t.equal(shownPrices(forged, QUOTE).lines, undefined, forged)
  }
  t.strictSame(shownPrices(`${whole}000001-gjdgxr-0_9`, QUOTE), { lines: [1, MAX_PRICE, 0], deliveries: [9] })
  const wrong = ['', 'gjdgxs', 'zzzzzz', '0000001', 'A', '1.5', ' 1', '-', '_', '١']
  const price = fc.oneof(
    { weight: 6, arbitrary: fc.integer({ min: 0, max: MAX_PRICE }).map(minor => minor.toString(36)) },
    { weight: 1, arbitrary: fc.constantFrom(...wrong) }
  )
  fc.assert(
    fc.property(fc.tuple(price, price, price), prices => {
      const { lines } = shownPrices(`${whole}${prices.join('-')}`, QUOTE)
      const expected = prices.some(text => wrong.includes(text))
        ? undefined
        : prices.map(text => Number.parseInt(text, 36))
      return `${lines}` === `${expected}`
    })
  )
  t.end()
})

t.test('the digest of the largest cart fits into the form', t => {
  const lines = Array.from({ length: 900 }, (_, i) => line(`S${i}`, 9999, i))
  t.ok(quoteDigest({ lines, deliveries: [POST] }).length < 3000)
  const dear = lines.map(quoted => ({ ...quoted, unitPrice: MAX_PRICE }))
  t.ok(quoteDigest({ lines: dear, deliveries: [POST] }).length < 7000)
  t.end()
})
