// The bag file of `npm run simulate`.
import t from 'tap'
import { OperatorError } from '../../../src/errors.ts'
import { readBag } from '../../../src/kit/client/bag-file.ts'

const items = [{ sku: 'MUG', quantity: 2, price: '12.50' }]

t.test('a bag is read as written; a reference is generated if there is none', t => {
  t.strictSame(readBag(JSON.stringify({ items, currency: 'GBP', reference: 'r' }), 'bag.json'), {
    items,
    currency: 'GBP',
    reference: 'r'
  })
  t.match(readBag(JSON.stringify({ items, currency: 'GBP' }), 'bag.json'), { reference: /^[0-9a-f]{32}$/ })
  t.end()
})

const mistakes: [string, RegExp][] = [
  ['', /not valid JSON/],
  ['[]', /bag.json: the file: .*[\s\S]*give \{ "items"/],
  ['{"currency":"GBP"}', /\/items: /],
  ['{"items":[{"sku":1,"quantity":"2"}],"currency":"GBP"}', /\/items\/0\/sku: [\s\S]*\/items\/0\/quantity: /],
  ['{"items":[],"currency":"GBP","refrence":"r"}', /\/refrence: /]
]
for (const [text, message] of mistakes) {
  t.test(`refused: ${text || 'an empty file'}`, t => {
    t.throws(() => readBag(text, 'bag.json'), { constructor: OperatorError, message })
    t.end()
  })
}
