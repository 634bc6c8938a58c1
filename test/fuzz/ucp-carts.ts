// Carts that a platform makes by UCP, by REST or in the envelope of MCP, with anything else beside them, and damaged ones. The items
// come first, and what a damaged request means is read as any reader of JSON would.
import fc from 'fast-check'
import type { Item } from '../../src/cart/cart.ts'
import { exampleProfile } from '../../src/ucp/platform-settings.ts'
import { anyCart, anyNumbers, type Choose, chooser, pick, shuffle } from './draft.ts'
import type { Expected, FuzzCase, Line } from './fuzz-case.ts'
import { mutate } from './mutate.ts'
import { type Request, shopOf, writeRequest } from './write-request.ts'

/** What changes nothing of a cart: its answer may be in another language, and its page in the buyer's words. */
const OTHERS: [name: string, values: unknown[]][] = [
  ['currency', ['USD', null, 1]],
  ['context', [{ currency: 'XXX', language: 'de' }, { address_country: 'GB', intent: 'a\u202eb' }, [], 'GB', null]],
  ['buyer', [{ email: 'ada@example.com', first_name: '<b>' }, { phone_number: 1 }, []]],
  ['attribution', [{ utm_source: 'a b', gclid: '\0', constructor: 'x' }, [[]], 'x']],
  ['signals', [{ 'dev.ucp.buyer_ip': '::1' }]],
  ['totals', [[{ type: 'total', amount: 0 }]]],
  ['id', ['0'.repeat(32), 1]],
  ['constructor', [{ prototype: { line_items: [] } }]]
]

const objectOf = (entries: [string, unknown][], choose: Choose) => Object.fromEntries(shuffle(entries, choose))

function requestOf(items: Line[], choose: Choose): Request {
  const unit = () => (choose(4) === 3 ? { quantity_unit: { unit: 'C62', scale: 0 } } : {})
  const lines = items.map(({ sku, quantity }) =>
    objectOf(
      [
        ['item', { id: sku, ...unit(), title: 'x' }],
        ['quantity', quantity],
        ['id', 'li_1']
      ],
      choose
    )
  )
  const others = shuffle(OTHERS, choose).slice(0, choose(OTHERS.length))
  const cart = objectOf(
    [['line_items', lines], ...others.map(([name, values]): [string, unknown] => [name, pick(choose, values)])],
    choose
  )
  const address = `${shopOf('ucp').path}/cart`
  const [profile, key] = [pick(choose, [exampleProfile(), exampleProfile('2026-04-08')]), crypto.randomUUID()]
  const write = (value: object) => Buffer.from(JSON.stringify(value, undefined, choose(3))).toString('latin1')
  const headers = ['Content-Type: application/json']
  if (choose(2) === 0) {
    headers.push(`UCP-Agent: profile="${profile}"`, ...(choose(2) === 0 ? [`Idempotency-Key: ${key}`] : []))
    return { method: 'POST', target: `${address}/carts`, headers, body: write(cart) }
  }
  const meta = { 'ucp-agent': { profile }, ...(choose(2) === 0 && { 'idempotency-key': key }) }
  const params = objectOf(
    [
      ['name', 'create_cart'],
      [
        'arguments',
        objectOf(
          [
            ['cart', cart],
            ['meta', meta]
          ],
          choose
        )
      ]
    ],
    choose
  )
  const call: [string, unknown][] = [
    ['jsonrpc', '2.0'],
    ['id', pick<unknown>(choose, [1, 'a', -7])],
    ['method', 'tools/call'],
    ['params', params]
  ]
  return { method: 'POST', target: `${address}/mcp`, headers, body: write(objectOf(call, choose)) }
}

const changes = fc.array(fc.tuple(fc.nat(), fc.nat(), fc.nat()), { minLength: 1, maxLength: 5 })

/** @param isDamaged whether bytes of the body are changed; if such a cart is taken, then as any reader reads it */
export function anyUcpCart(skus: string[], isDamaged: boolean): fc.Arbitrary<FuzzCase> {
  return fc.tuple(anyCart(skus), anyNumbers, changes).map(([{ items }, numbers, damage]) => {
    const choose = chooser(numbers)
    const lines = items.map(({ sku, quantity }: Item) => ({ sku, quantity }))
    const request = requestOf(lines, choose)
    const body = isDamaged ? mutate(String(request.body), damage) : String(request.body)
    const status = request.target.endsWith('/mcp') ? 200 : 201
    const expected: Expected = isDamaged ? { lines: linesOf(body) } : { status, lines }
    const send = [writeRequest({ ...request, body }, choose)]
    const what = isDamaged ? 'a damaged UCP cart' : 'a UCP cart'
    return { option: 'ucp', kind: isDamaged ? 'mutated' : 'valid', what, send, answers: [expected] }
  })
}

/** @returns no line if this is no cart */
function linesOf(body: string): Line[] {
  try {
    const sent = JSON.parse(
      Buffer.from(body, 'latin1')
        .toString()
        .replace(/^\ufeff/, '')
    )
    const { line_items: lines } = sent.params?.arguments.cart ?? sent
    return lines.map(({ item, quantity }: { item: { id: string }; quantity: number }) => ({ sku: item.id, quantity }))
  } catch {
    return []
  }
}
