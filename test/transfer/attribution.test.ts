// Where a shopper comes from, by every option of the contract: what is kept of it, and that it is never a reason to refuse a cart.
import t from 'tap'
import type { Cart } from '../../src/cart/cart.ts'
import { formPost } from '../../src/transfer/form-post/form-post.ts'
import { jsonDescription } from '../../src/transfer/json-description/json-description.ts'
import type { TransferOption } from '../../src/transfer/option.ts'
import { queryGet } from '../../src/transfer/query-get/query-get.ts'
import { build, merchantFile, uuid } from '../build.ts'

const CART: Cart = { reference: uuid(), currency: 'GBP', items: [{ sku: 'MUG', quantity: 1 }] }

/** A cart is accepted whatever came with it; this is what was kept. */
function keptOf(option: TransferOption, sent: string, names: string[] = []): [name: string, value: string][] {
  const cart = option.read(Buffer.from(sent), {
    maxItems: 500,
    maxQuantity: 9999,
    settings: { attribution: names },
    warn: () => {}
  })
  const { attribution = {}, ...rest } = cart
  t.strictSame(rest, CART, sent)
  t.equal('attribution' in cart, Object.keys(attribution).length > 0, 'none is absent')
  return Object.entries(attribution)
}

const bodyOf = ({ request }: TransferOption) => request(CART, '').body ?? request(CART, '').url.slice(1)

const many = Array.from({ length: 30 }, (_, i) => [`utm_${i}`, 'x'] as [string, string])

/** Values by name, and what is kept of them; by default all. */
const VALUES: [what: string, sent: [string, string][], kept?: [string, string][]][] = [
  ['none', []],
  [
    'each name that is known, in the order sent',
    ['utm_source', 'utm_id', 'gclid', 'fbclid', 'ttclid', 'msclkid', 'cart_origin'].map(name => [
      name,
      `${name} ☕ +&=%`
    ])
  ],
  ['an empty value', [['utm_source', '']], []],
  [
    'a control character',
    [
      ['utm_source', 'a\nb'],
      ['utm_term', 'a\u0085']
    ],
    []
  ],
  ['a long value', [['utm_source', 'x'.repeat(600)]], [['utm_source', 'x'.repeat(512)]]],
  ['a long value, cut before a character', [['utm_source', `${'x'.repeat(511)}😀`]], [['utm_source', 'x'.repeat(511)]]],
  [
    'one that is far too long',
    [
      ['utm_source', 'x'.repeat(3000)],
      ['utm_term', 'y']
    ],
    [['utm_term', 'y']]
  ],
  [
    'a long name',
    [
      [`utm_${'x'.repeat(61)}`, '1'],
      [`utm_${'x'.repeat(60)}`, '2']
    ],
    [[`utm_${'x'.repeat(60)}`, '2']]
  ],
  [
    'a name twice',
    [
      ['utm_source', 'a'],
      ['utm_source', 'b']
    ],
    [['utm_source', 'a']]
  ],
  ['too many', many, many.slice(0, 20)]
]

for (const option of [formPost, queryGet]) {
  const read = (fields: string, names?: string[]) => keptOf(option, `${fields}&${bodyOf(option)}`, names)

  t.test(`${option.name}: fields of attribution are kept`, async t => {
    for (const [what, sent, kept = sent] of VALUES) {
      t.strictSame(read(new URLSearchParams(sent).toString()), kept, what)
    }
    const others = 'UTM_source=1&utm_=2&utm-source=3&ref=4&__proto__=5&gclid2=6&xgclid=7&utm_%5B=8'
    t.strictSame(read(others), [], 'other names')
    t.strictSame(read(others, ['ref']), [['ref', '4']], 'a name of the merchant’s own')
    t.strictSame(
      read('utm_source=%zz&utm_term=%FF&utm_id=%00&ut%6D_medium=a%20b'),
      [['utm_medium', 'a b']],
      'what cannot be read'
    )
    const { body, url } = option.request({ ...CART, attribution: { utm_source: 'a b', ref: 'c' } }, '')
    t.strictSame(
      keptOf(option, body ?? url.slice(1), ['ref']),
      [
        ['utm_source', 'a b'],
        ['ref', 'c']
      ],
      'and sent'
    )
  })
}

t.test('1: the texts in the object attribution are kept, by any name', async t => {
  const read = (attribution: string) =>
    keptOf(jsonDescription, bodyOf(jsonDescription).replace(/}$/, `,${attribution}}`))
  for (const [what, sent, kept = sent] of VALUES) {
    const members = sent.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`)
    t.strictSame(read(`"attribution":{${members}}`), kept, what)
  }
  const cases: [attribution: string, kept?: [string, string][]][] = [
    [
      '"attribution":{"ref":"a","\\u0072ef":"b","x.y-z":"c"}',
      [
        ['ref', 'a'],
        ['x.y-z', 'c']
      ]
    ],
    ['"attribution":{"__proto__":"a","1":"b","a b":"c","":"d","constructor":"e"}', [['constructor', 'e']]],
    ['"attribution":{"a":1,"b":null,"c":["d"],"e":{"f":"g"},"h":true,"i":"\\ud800","j":"k"}', [['j', 'k']]],
    [
      '"attribution":{"a":"b"},"attribution":{"a":"c","d":"e"}',
      [
        ['a', 'b'],
        ['d', 'e']
      ]
    ],
    ...['null', '"utm_source"', '[]', '[{"a":"b"}]', '1', '{}'].map((one): [string] => [`"attribution":${one}`]),
    ['"utm_source":"a"']
  ]
  for (const [attribution, kept = []] of cases) t.strictSame(read(attribution), kept, attribution)
  const { body = '' } = jsonDescription.request({ ...CART, attribution: { ref: 'a' } }, '')
  t.strictSame(keptOf(jsonDescription, body), [['ref', 'a']], 'and sent')
})

t.test('it is stored with the checkout, and a repeat opens the same one', async t => {
  const { app, store } = await build(t, { merchants: [merchantFile('2B', { transfer: { attribution: ['ref'] } })] })
  const send = (query: string) => app.inject(`/shop/cart?${bodyOf(queryGet)}&${query}`)
  const first = await send('utm_source=a&ref=b')
  t.equal(first.statusCode, 200)
  t.equal((await send('utm_source=c')).body, first.body)
  t.strictSame((await store.newestCheckout('shop', uuid()))?.cart, {
    ...CART,
    attribution: { utm_source: 'a', ref: 'b' }
  })
})
