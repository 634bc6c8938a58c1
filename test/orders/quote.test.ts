// What a shopper agrees to, as a digest: it changes with every price, line and delivery method, and tells which line did.
import t from 'tap'
import { changedLines, type Quote, type QuotedLine, quoteDigest } from '../../src/orders/quote.ts'

const line = (sku: string, quantity: number, unitPrice: number): QuotedLine => ({ item: { sku, quantity }, unitPrice })

const MUG = line('MUG', 2, 1250)
const CLOCK = line('CLOCK', 1, 12_000)
const POST = { id: 'post', label: 'Post', price: 450 }
const QUOTE: Quote = { lines: [MUG, CLOCK, MUG], deliveries: [POST] }
const DIGEST = quoteDigest(QUOTE)

t.test('the same quote has the same digest, fit for a form', t => {
  const same = {
    lines: QUOTE.lines.map(quoted => ({ ...quoted, item: { ...quoted.item, price: '1.00' }, title: 'x' })),
    deliveries: [{ ...POST }]
  }
  t.equal(quoteDigest(same), DIGEST, 'claims and what else a line may carry are no part of it')
  t.match(DIGEST, /^[\w-]+$/)
  t.end()
})

t.test('anything that is charged or delivered otherwise is another quote; lines are told apart', t => {
  const cases: [string, Partial<Quote>, boolean[]][] = [
    ['a price', { lines: [MUG, { ...CLOCK, unitPrice: 12_001 }, MUG] }, [false, true, false]],
    ['two prices', { lines: [{ ...MUG, unitPrice: 1 }, CLOCK, { ...MUG, unitPrice: 1 }] }, [true, false, true]],
    ['every price', { lines: [MUG, CLOCK, MUG].map(quoted => ({ ...quoted, unitPrice: 7 })) }, [true, true, true]],
    ['a quantity', { lines: [line('MUG', 3, 1250), CLOCK, MUG] }, [false, false, false]],
    ['a SKU', { lines: [line('mug', 2, 1250), CLOCK, MUG] }, [true, false, false]],
    ['a line more', { lines: [MUG, CLOCK, MUG, MUG] }, [false, false, false, true]],
    ['a line less', { lines: [MUG, CLOCK] }, [false, false]],
    ['no delivery', { deliveries: [] }, [false, false, false]],
    ['a method more', { deliveries: [POST, { ...POST, id: 'van' }] }, [false, false, false]],
    ['another price of delivery', { deliveries: [{ ...POST, price: 451 }] }, [false, false, false]]
  ]
  for (const [what, change, changed] of cases) {
    const quote = { ...QUOTE, ...change }
    t.not(quoteDigest(quote), DIGEST, what)
    t.strictSame(changedLines(DIGEST, quote), changed, what)
  }
  t.strictSame(changedLines(DIGEST, QUOTE), [false, false, false])
  const renamed = { ...QUOTE, deliveries: [{ ...POST, label: 'Paket' }] }
  t.equal(quoteDigest(renamed), DIGEST, 'a name in another language charges nothing else')
  t.end()
})

t.test('no two carts share a digest by the way they are written', t => {
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

t.test('a digest of other hands leaves every line in doubt', t => {
  for (const forged of ['', 'x', 'x'.repeat(31), DIGEST.toLowerCase().slice(0, 22)]) {
    t.strictSame(changedLines(forged, QUOTE), [true, true, true], forged)
  }
  t.end()
})

t.test('for the largest cart it fits the form', t => {
  const lines = Array.from({ length: 900 }, (_, i) => line(`S${i}`, 9999, i))
  t.ok(quoteDigest({ lines, deliveries: [POST] }).length < 3000)
  t.end()
})
