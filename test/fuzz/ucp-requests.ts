// Requests of platforms: carts by UCP, from platforms that are known, pretend to be, or name an address in a private network;
// signed by nobody.
import fc from 'fast-check'
import { exampleProfile } from '../../src/ucp/platform-settings.ts'
import { anyNumbers, type Choose, chooser, pick } from './draft.ts'
import type { FuzzCase } from './fuzz-case.ts'
import { mutate } from './mutate.ts'
import { shopOf, writeRequest } from './write-request.ts'

/** Nothing is asked of another server for any of them. */
const REFUSED = [
  ...[
    'https://127.0.0.1/',
    'https://2130706433/',
    'https://0x7f.1:8443/',
    'https://[::1]/',
    'https://[::ffff:10.0.0.1]/'
  ],
  ...[
    'https://169.254.169.254/latest/meta-data',
    'https://[fd00:ec2::254]/',
    'https://localhost/',
    'https://[64:ff9b::1]/'
  ],
  ...['http://127.0.0.1/', 'file:///etc/passwd', 'https://u@127.0.0.1/', 'https://', '', 'a'.repeat(4000), '__proto__']
]

const IDS = ['0'.repeat(32), 'f'.repeat(31), 'x'.repeat(2000), '%00', '..%2f..', '__proto__', '*', '1', "'--"]

const COMPONENTS = [
  '"@method"',
  '"@path"',
  '"@query"',
  '"content-digest"',
  '"constructor"',
  '"ucp-agent";key="profile"',
  '5',
  '"a";sf'
]

const VALUES = [
  'sig1=:YQ==:',
  'sig1=::',
  'sig1="a"',
  'sig1=(:YQ==:)',
  '',
  '((',
  'sig1',
  '__proto__=:YQ==:',
  'a=1, '.repeat(300)
]

const DEEP = ['['.repeat(20_000), `{"line_items":${'['.repeat(9000)}`, `{"context":${'{"a":'.repeat(9000)}`]

function bodyOf(choose: Choose, damage: [number, number, number][]): string {
  const quantity = pick(choose, [1, 2, 3, 4, 9999, 0, -1, 1e21, '1', null])
  const unit = pick(choose, [
    {},
    { quantity_unit: { unit: 'C62', scale: 0 } },
    { quantity_unit: { unit: 'KGM', scale: 2 } }
  ])
  const cart = {
    line_items: Array.from({ length: choose(4) }, () => ({
      item: { id: pick(choose, ['MUG', 'MUG', 'MUG', 'MUG', 'NONE', '', '\0']), ...unit },
      quantity
    })),
    ...pick<object>(choose, [
      {},
      { currency: 'USD' },
      { __proto__: 1, constructor: { prototype: 1 } },
      { signals: { 'a.b': 'c' } }
    ]),
    context: pick(choose, [{}, { currency: 'EUR', language: 'x' }, { address_country: 'GB' }, [], 'GB', null]),
    buyer: pick(choose, [{}, { email: 'ada@example.com', first_name: '\u202e' }, 1])
  }
  const text = JSON.stringify(cart)
  return pick(choose, [text, text, mutate(text, damage), mutate(text, damage), pick(choose, DEEP)])
}

const damage = fc.array(fc.tuple(fc.nat(), fc.nat(), fc.nat()), { maxLength: 3 })

export const anyUcpRequest: fc.Arbitrary<FuzzCase> = fc.tuple(anyNumbers, damage).map(([numbers, changes]) => {
  const choose = chooser(numbers)
  const { path } = shopOf('ucp')
  const carts = `${path}/cart/carts`
  const cart = `${carts}/${pick(choose, IDS)}`
  const [method, target] = pick(choose, [
    ...[
      ['POST', carts],
      ['POST', carts],
      ['PUT', cart],
      ['GET', cart],
      ['POST', `${cart}/cancel`]
    ],
    ...[
      ['GET', `${cart}/continue`],
      ['GET', '/.well-known/ucp'],
      ['GET', '/.well-known/ucp/2026-04-08']
    ]
  ]) as [string, string]
  const isKnown = choose(3) > 0
  const profile = isKnown ? pick(choose, [exampleProfile(), exampleProfile('2026-04-08')]) : pick(choose, REFUSED)
  const headers = [`UCP-Agent: profile="${profile}"`]
  if (choose(3) === 0)
    headers.push(
      `Idempotency-Key: ${pick(choose, ['k', 'x'.repeat(500), mutate('key', changes).replace(/[^!-~]/g, '!')])}`
    )
  if (choose(3) === 0) {
    const components = Array.from({ length: choose(5) }, () => pick(choose, COMPONENTS))
    headers.push(
      `Signature-Input: sig1=(${components.join(' ')});keyid="k"${pick(choose, ['', ';created=1', ';tag="web-bot-auth"'])}`
    )
    headers.push(`Signature: ${pick(choose, VALUES)}`, `Content-Digest: ${pick(choose, VALUES)}`)
  }
  const body = method === 'GET' ? undefined : bodyOf(choose, changes)
  const request = {
    method,
    target,
    headers: body === undefined ? headers : ['Content-Type: application/json', ...headers]
  }
  const isCall = target.startsWith(carts) && !target.endsWith('/continue')
  const answers = [isCall && !isKnown ? { status: 400 } : {}]
  const send = [writeRequest(body === undefined ? request : { ...request, body }, choose)]
  return { option: 'ucp', kind: 'mutated', what: `${method} of a platform`, send, answers }
})
