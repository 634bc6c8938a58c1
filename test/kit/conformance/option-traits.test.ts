// Which checks an option meets: those of the way in which its bags travel, whatever its name.
import t from 'tap'
import { checks } from '../../../src/kit/conformance/checks/checks.ts'
import { concerning } from '../../../src/kit/conformance/run-checks.ts'
import { transferOptions } from '../../../src/transfer/index.ts'
import type { TransferOption } from '../../../src/transfer/option.ts'

const idsOf = (option: TransferOption) => concerning(checks, option).map(({ id }) => id)

t.test('the options of the contract say how their carts travel', async t => {
  t.match(transferOptions, [
    { name: '1', answer: 'description', encoding: 'json', sendsPrices: false },
    { name: '2A', answer: 'page', encoding: 'form', sendsPrices: true },
    { name: '2B', answer: 'page', encoding: 'query', sendsPrices: false }
  ])
})

t.test('and that is true of their requests', async t => {
  const cart = { reference: 'r', currency: 'GBP', items: [{ sku: 'MUG', quantity: 1, price: '9.87' }] }
  for (const { name, encoding, sendsPrices, request } of transferOptions) {
    const { url, headers, body } = request(cart, 'https://shop.example/cart')
    const types = { json: 'application/json', form: 'application/x-www-form-urlencoded', query: undefined, other: '' }
    t.equal(headers.find(header => header.name === 'Content-Type')?.value, types[encoding], name)
    t.equal(body === undefined, encoding === 'query', name)
    t.equal(`${url} ${body}`.includes('9.87'), sendsPrices, name)
  }
})

t.test('an option that is added meets the checks of its kind, whatever its name', async t => {
  for (const option of transferOptions) t.strictSame(idsOf({ ...option, name: '3' }), idsOf(option), option.name)
})

t.test('one whose bags the kit cannot change meets no check that would change them', async t => {
  const [option] = transferOptions as [TransferOption]
  const ids = idsOf({ ...option, encoding: 'other' })
  for (const id of ['missing-field', 'wrong-type', 'unknown-fields-ignored', 'url-2048']) t.notOk(ids.includes(id), id)
  for (const id of ['description-json', 'exact-items', 'wrong-content-type']) t.ok(ids.includes(id), id)
})
