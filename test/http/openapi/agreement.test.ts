// What the published schemas accept, the server takes, and what they refuse, it refuses: whatever JSON is sent. Only what
// no schema can know may differ, such as what is in the feed.
import fc from 'fast-check'
import type { FastifyInstance } from 'fastify'
import t, { type Test } from 'tap'
import { readReport } from '../../../src/checkout/orders/reported-order.ts'
import { anyText } from '../../any-text.ts'
import { build, merchantFile } from '../../build.ts'
import { SHOP_SECRET, shopFile } from '../../integrations/destination/own-shop.ts'
import { mistakesIn } from '../../transfer/answers.ts'
import { servedDocument } from './served-document.ts'

const edge = (...values: unknown[]) => fc.constantFrom(...values)
const anything = fc.jsonValue({ maxDepth: 1 })
const digits = (length: number) =>
  fc.string({ unit: fc.constantFrom(...'0123456789abcdefABCDEF'), minLength: length, maxLength: length })
const noCharacters = edge('\0', '\t', '\x7f', '\x85', '\ud83d', '\ude00', '\ud83d\ud83d', '\ude00\ud83d', '')
const long = fc
  .tuple(edge('x', '☕', '😀'), edge(127, 128, 129))
  .map(([text, n]) => (text as string).repeat(n as number))

const sku = fc.oneof(
  { weight: 20, arbitrary: edge('MUG', 'a+b c', 'ソ-☕', 'no such SKU') },
  long,
  fc.tuple(anyText({ maxLength: 3 }), noCharacters).map(parts => parts.join('')),
  anything
)
const quantity = fc.oneof(
  { weight: 20, arbitrary: fc.integer({ min: 1, max: 7 }) },
  edge(0, -0, -1, 6, 7, 8, 9999, 10_000, 1.5, 2.0, 1e21, 1e-7, Number.MAX_VALUE, '2', null),
  fc.double({ noNaN: true, noDefaultInfinity: true })
)
const reference = fc.oneof(
  { weight: 20, arbitrary: digits(32) },
  fc.uuid(),
  fc.uuid().map(text => text.toUpperCase()),
  digits(31),
  digits(33),
  digits(32).map(text => `${text}\n`),
  edge('order-1', '!'.repeat(32), ''),
  anything
)
const currency = fc.oneof(
  { weight: 20, arbitrary: edge('GBP', 'USD') },
  edge('EUR', 'gbp', 'GBP ', 'ZZZ', '', 826),
  anything
)

/** An object with these fields, of which any may be missing, and perhaps another one. */
function fields(all: Record<string, fc.Arbitrary<unknown>>) {
  const every = fc.record(all, { noNullPrototype: true })
  const some = fc.record(all, { noNullPrototype: true, requiredKeys: [] })
  const more = fc.record({ ...all, more: anything }, { noNullPrototype: true })
  return fc.oneof({ weight: 20, arbitrary: every }, more, some)
}
const listOf = (item: fc.Arbitrary<unknown>) =>
  fc.oneof(
    { weight: 20, arbitrary: fc.array(fc.oneof({ weight: 30, arbitrary: item }, anything), { maxLength: 4 }) },
    anything
  )

const carts = fields({ items: listOf(fields({ sku, quantity })), currency, reference })

for (const acceptHyphenated of [false, true]) {
  t.test(`carts, ${acceptHyphenated ? 'also' : 'not'} with hyphens`, async t => {
    const transfer = { maxItems: 3, maxQuantity: 7, acceptHyphenated }
    const { app } = await build(t, { merchants: [merchantFile('1', { currencies: ['GBP', 'USD'], transfer })] })
    const headers = { 'content-type': 'application/json' }
    await agrees(t, app, '/cart', carts, async (payload, isValid) => {
      const answer = await app.inject({ method: 'POST', url: '/shop/cart', headers, payload })
      const { statusCode: status } = answer
      const isUnsold =
        status === 422 && mistakesIn(answer.body).every(text => / (sku-unknown|price-missing)$/.test(text))
      return isValid ? status === 200 || isUnsold : status >= 400 && status < 500 && !isUnsold
    })
  })
}

/** Sends many bodies, and compares what the published schema says of each with what becomes of it. */
async function agrees(
  t: Test,
  app: FastifyInstance,
  path: string,
  bodies: fc.Arbitrary<unknown>,
  isAsSaid: (payload: string, isValid: boolean) => Promise<boolean>
): Promise<void> {
  const { requestMistakes } = await servedDocument(app)
  const seen = { accepted: 0, refused: 0 }
  const property = fc.asyncProperty(bodies, async body => {
    // As it arrives: -0 is 0.
    const payload = JSON.stringify(body)
    const isValid = requestMistakes(path, JSON.parse(payload)).length === 0
    seen[isValid ? 'accepted' : 'refused']++
    return isAsSaid(payload, isValid)
  })
  await fc.assert(property, { numRuns: 400 })
  t.ok(seen.accepted > 20 && seen.refused > 20, JSON.stringify(seen))
}

const reports = fields({
  reference: fc.oneof({ weight: 9, arbitrary: reference }, edge('a b', '~', '!'.repeat(33))),
  number: fc.oneof(
    { weight: 20, arbitrary: edge('1001', '#A 1') },
    sku,
    edge(' 1', '1 ', '\u00a01', 'x'.repeat(65), '😀'.repeat(64))
  ),
  currency,
  total: fc.oneof(
    { weight: 20, arbitrary: edge('1', '0.50', '12.5') },
    edge('1.234', '-1', '1.', '1e3', '9'.repeat(20)),
    anything
  ),
  items: listOf(fields({ sku, quantity: fc.oneof({ weight: 9, arbitrary: quantity }, edge(9999, 10_000)) }))
})

t.test('reports of orders', async t => {
  const { app } = await build(t, {
    merchants: [shopFile('2A', 'https://shop.example/carts')],
    variables: { SHOP_SECRET }
  })
  await agrees(t, app, '/orders', reports, async (payload, isValid) => {
    const codes = mistakesOf(payload)
    // What a schema does not know: which currencies there are, and how many decimals they have.
    const isBeyond = codes.every(code => ['currency-invalid', 'total-invalid'].includes(code))
    return isValid ? isBeyond : codes.length > 0
  })
})

/** The codes of what is wrong with a report, as the endpoint reads it. */
function mistakesOf(payload: string): string[] {
  try {
    readReport(Buffer.from(payload))
    return []
  } catch (error) {
    return (error as { mistakes: { code: string }[] }).mistakes.map(({ code }) => code)
  }
}
