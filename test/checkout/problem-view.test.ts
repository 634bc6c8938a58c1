// What a refusal says to a program, and to a shopper.
import t from 'tap'
import { problemView, toProblem } from '../../src/checkout/problem-view.ts'
import { type Mistake, type ProblemCode, problems, Refusal } from '../../src/errors.ts'
import { wordsFor } from '../../src/messages/words.ts'

const EN = wordsFor('en-GB')
const ID = '00000000-0000-4000-8000-000000000000'
const codes = Object.keys(problems) as ProblemCode[]

const unknown: Mistake = { pointer: '#/items/0/sku', code: 'sku-unknown', detail: 'No product …', sku: 'GONE' }
const soldOut: Mistake = { pointer: '#/items/1/sku', code: 'out-of-stock', detail: '…', sku: 'LAMP', label: 'Lantern' }
const notSold: Mistake = { pointer: '#/currency', code: 'currency-not-sold', detail: 'This merchant sells in …' }
const missing: Mistake = { pointer: '#/reference', code: 'field-missing', detail: 'This field is required.' }

t.test('problem+json of every code: type, title, status and detail; a failure of our own adds the request id', t => {
  for (const code of codes) {
    const { status, title } = problems[code]
    t.strictSame(
      toProblem(new Refusal(code, { detail: 'why' }), ID),
      {
        type: `urn:problem-type:cart-transfer:${code}`,
        title,
        status,
        detail: 'why',
        ...(status >= 500 && { instance: `urn:uuid:${ID}` })
      },
      code
    )
  }
  t.end()
})

t.test('problem+json lists the mistakes in order, with the SKU where there is one and never the label', t => {
  const refusal = new Refusal('cart-not-sellable', { detail: 'why', mistakes: [unknown, soldOut, notSold] })
  t.strictSame(toProblem(refusal, ID).errors, [
    { pointer: '#/items/0/sku', code: 'sku-unknown', detail: 'No product …', sku: 'GONE' },
    { pointer: '#/items/1/sku', code: 'out-of-stock', detail: '…', sku: 'LAMP' },
    { pointer: '#/currency', code: 'currency-not-sold', detail: 'This merchant sells in …' }
  ])
  t.end()
})

t.test('the page of every code: the words of the table; a failure of our own adds the request id', t => {
  for (const code of codes) {
    const { status, shopper, next } = problems[code]
    t.strictSame(
      problemView(new Refusal(code, { detail: 'why' }), EN, ID),
      {
        heading: EN.say(shopper),
        next: EN.say(next),
        lines: [],
        details: [{ pointer: '', code, detail: 'why' }],
        ...(status >= 500 && { requestId: ID })
      },
      code
    )
  }
  t.end()
})

t.test('a broken request that comes to one thing for a shopper says that thing', t => {
  const empty = { pointer: 'items', code: 'items-empty', detail: 'why' } as const
  const heading = (...found: Mistake[]) =>
    problemView(new Refusal('contract-broken', { detail: 'why', mistakes: found }), EN, ID).heading
  t.equal(heading(empty), 'Your bag arrived empty')
  t.equal(heading(empty, missing), 'Your bag did not arrive complete')
  t.end()
})

t.test('the page of a cart that cannot be sold names every line by its title, or its SKU, and why', t => {
  const refusal = new Refusal('cart-not-sellable', { detail: 'why', mistakes: [unknown, soldOut, notSold] })
  const { lines, details } = problemView(refusal, EN, ID)
  t.strictSame(lines, [
    { label: 'GONE', sku: 'GONE', text: 'We could not find this item' },
    { label: 'Lantern', sku: 'LAMP', text: 'This item is out of stock' },
    { label: '', text: 'We do not sell in the currency of your bag' }
  ])
  t.match(details, [unknown, soldOut, notSold], 'and has the details for engineers')
  t.end()
})

t.test('the page of a broken request blames no line of the shopper’s; its details name every mistake', t => {
  const refusal = new Refusal('contract-broken', { detail: 'why', mistakes: [missing] })
  t.match(problemView(refusal, EN, ID), { lines: [], details: [missing] })
  t.equal(problemView(refusal, EN, ID).lines.length, 0)
  t.end()
})
