// What a shopper agrees to, as a digest: it changes with every price, line and delivery method, and tells which line did.
import t from 'tap'
import { digestOf, type Quote, type QuotedLine, unchangedLines } from '../../src/orders/quote.ts'

const MUG: QuotedLine = { sku: 'MUG', quantity: 2, unitPrice: 1250 }
const CLOCK: QuotedLine = { sku: 'CLOCK', quantity: 1, unitPrice: 12_000 }
const POST = { id: 'post', label: 'Post', price: 450 }
const QUOTE: Quote = { lines: [MUG, CLOCK, MUG], deliveries: [POST] }
const DIGEST = digestOf(QUOTE)

t.test('the same quote has the same digest, fit for a form', t => {
  const same = { lines: QUOTE.lines.map(line => ({ ...line, price: '1.00', title: 'x' })), deliveries: [{ ...POST }] }
  t.equal(digestOf(same), DIGEST, 'claims and what else a line may carry are no part of it')
  t.match(DIGEST, /^[\w-]+$/)
  t.end()
})

t.test('anything that is charged or delivered otherwise is another quote; lines are told apart', t => {
  const cases: [string, Partial<Quote>, boolean[]][] = [
    ['a price', { lines: [MUG, { ...CLOCK, unitPrice: 12_001 }, MUG] }, [true, false, true]],
    ['two prices', { lines: [{ ...MUG, unitPrice: 1 }, CLOCK, { ...MUG, unitPrice: 1 }] }, [false, true, false]],
    ['every price', { lines: [MUG, CLOCK, MUG].map(line => ({ ...line, unitPrice: 7 })) }, [false, false, false]],
    ['a quantity', { lines: [{ ...MUG, quantity: 3 }, CLOCK, MUG] }, [true, true, true]],
    ['a SKU', { lines: [{ ...MUG, sku: 'mug' }, CLOCK, MUG] }, [false, true, true]],
    ['a line more', { lines: [MUG, CLOCK, MUG, MUG] }, [true, true, true, false]],
    ['a line less', { lines: [MUG, CLOCK] }, [true, true]],
    ['no delivery', { deliveries: [] }, [true, true, true]],
    ['a method more', { deliveries: [POST, { ...POST, id: 'van' }] }, [true, true, true]],
    ['another price of delivery', { deliveries: [{ ...POST, price: 451 }] }, [true, true, true]]
  ]
  for (const [what, change, unchanged] of cases) {
    const quote = { ...QUOTE, ...change }
    t.not(digestOf(quote), DIGEST, what)
    t.strictSame(unchangedLines(DIGEST, quote), unchanged, what)
  }
  t.strictSame(unchangedLines(DIGEST, QUOTE), [true, true, true])
  const renamed = { ...QUOTE, deliveries: [{ ...POST, label: 'Paket' }] }
  t.equal(digestOf(renamed), DIGEST, 'a name in another language charges nothing else')
  t.end()
})

t.test('no two carts share a digest by the way they are written', t => {
  const quotes: Quote[] = [
    { lines: [{ sku: 'A","B', quantity: 1, unitPrice: 1 }], deliveries: [] },
    { lines: [{ sku: 'A', quantity: 11, unitPrice: 1 }], deliveries: [] },
    { lines: [{ sku: 'A', quantity: 1, unitPrice: 11 }], deliveries: [] },
    { lines: [{ sku: 'A,1', quantity: 1, unitPrice: 1 }], deliveries: [] },
    { lines: [], deliveries: [{ id: 'A', price: 1 }] }
  ]
  t.equal(new Set(quotes.map(digestOf)).size, quotes.length)
  t.end()
})

t.test('a digest of other hands leaves every line in doubt', t => {
  for (const forged of ['', 'x', 'x'.repeat(31), DIGEST.toLowerCase().slice(0, 22)]) {
    t.strictSame(unchangedLines(forged, QUOTE), [false, false, false], forged)
  }
  t.end()
})

t.test('for the largest cart it fits the form', t => {
  const lines = Array.from({ length: 900 }, (_, i) => ({ sku: `S${i}`, quantity: 9999, unitPrice: i }))
  t.ok(digestOf({ lines, deliveries: [POST] }).length < 3000)
  t.end()
})
