// The digest of what a shopper agrees to: it changes with every price, line and delivery method, and tells which line.
import t from 'tap'
import { changedLines, isDigestOf, type Quote, type QuotedLine, quoteDigest } from '../../src/orders/quote.ts'

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

t.test('any other price, line or delivery is another quote, and the changed lines are known', t => {
  const cases: [string, Partial<Quote>, boolean[]][] = [
    ['a price', { lines: [MUG, { ...CLOCK, unitPrice: 12_001 }, MUG] }, [false, true, false]],
    ['two prices', { lines: [{ ...MUG, unitPrice: 1 }, CLOCK, { ...MUG, unitPrice: 1 }] }, [true, false, true]],
    ['every price', { lines: [MUG, CLOCK, MUG].map(quoted => ({ ...quoted, unitPrice: 7 })) }, [true, true, true]],
    ['a quantity', { lines: [line('MUG', 3, 1250), CLOCK, MUG] }, [false, false, false]],
    ['a SKU', { lines: [line('mug', 2, 1250), CLOCK, MUG] }, [true, false, false]],
    ['one line more', { lines: [MUG, CLOCK, MUG, MUG] }, [false, false, false, true]],
    ['one line fewer', { lines: [MUG, CLOCK] }, [false, false]],
    ['no delivery', { deliveries: [] }, [false, false, false]],
    ['one method more', { deliveries: [POST, { ...POST, id: 'van' }] }, [false, false, false]],
    ['another delivery price', { deliveries: [{ ...POST, price: 451 }] }, [false, false, false]]
  ]
  for (const [what, change, changed] of cases) {
    const quote = { ...QUOTE, ...change }
    t.not(quoteDigest(quote), DIGEST, what)
    t.notOk(isDigestOf(DIGEST, quote), what)
    t.strictSame(changedLines(DIGEST, quote), changed, what)
  }
  t.strictSame(changedLines(DIGEST, QUOTE), [false, false, false])
  t.ok(isDigestOf(DIGEST, QUOTE))
  const renamed = { ...QUOTE, deliveries: [{ ...POST, label: 'Paket' }] }
  t.equal(quoteDigest(renamed), DIGEST, 'a label in another language is the same quote')
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

t.test('a forged digest marks every line as changed', t => {
  for (const forged of ['', 'x', 'x'.repeat(31), DIGEST.toLowerCase().slice(0, 22)]) {
    t.strictSame(changedLines(forged, QUOTE), [true, true, true], forged)
  }
  t.end()
})

t.test('the digest of the largest cart fits into the form', t => {
  const lines = Array.from({ length: 900 }, (_, i) => line(`S${i}`, 9999, i))
  t.ok(quoteDigest({ lines, deliveries: [POST] }).length < 3000)
  t.end()
})
