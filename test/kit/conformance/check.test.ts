// Which checks apply to an option: those for the way in which its carts travel, whatever its name.
import t from 'tap'
import { checks } from '../../../src/kit/conformance/checks/checks.ts'
import type { Profile } from '../../../src/kit/conformance/profile.ts'
import { applicableChecks } from '../../../src/kit/conformance/run-checks.ts'
import { transferOptions } from '../../../src/transfer/index.ts'
import { jsonDescription } from '../../../src/transfer/json-description/json-description.ts'
import type { TransferOption } from '../../../src/transfer/option.ts'

const PROFILE = { names: 'indexed', skus: { outOfStock: [] as string[] } } as Profile

const idsOf = (option: TransferOption) => applicableChecks(checks, option, PROFILE).map(({ id }) => id)

t.test('the requests of the options match what they declare', async t => {
  const cart = { reference: 'r', currency: 'GBP', items: [{ sku: 'MUG', quantity: 1, price: '9.87' }] }
  for (const { name, encoding, sendsPrices, request } of transferOptions) {
    const { url, headers, body } = request(cart, 'https://shop.example/cart')
    const type = headers.find(header => header.name === 'Content-Type')?.value
    t.equal(type, encoding.includes('/') ? encoding : undefined, name)
    t.equal(body === undefined, !encoding.includes('/'), name)
    t.equal(`${url} ${body}`.includes('9.87'), sendsPrices, name)
  }
})

t.test('a shop that never has anything out of stock is not asked for it', async t => {
  const ids = applicableChecks(checks, jsonDescription, { ...PROFILE, skus: { outOfStock: 'none' } } as Profile).map(
    ({ id }) => id
  )
  const left = idsOf(jsonDescription).filter(id => !ids.includes(id))
  t.strictSame(left, ['out-of-stock-refused', 'out-of-stock-named'])
})

t.test('a new option gets the checks of its kind, whatever its name', async t => {
  for (const option of transferOptions) t.strictSame(idsOf({ ...option, name: '3' }), idsOf(option), option.name)
})

t.test('an option whose requests the kit cannot edit gets no check that would edit them', async t => {
  const ids = idsOf({ ...jsonDescription, encoding: 'text/plain' })
  for (const id of ['missing-field', 'wrong-type', 'unknown-fields-ignored', 'url-2048']) t.notOk(ids.includes(id), id)
  for (const id of ['description-json', 'exact-items', 'wrong-content-type']) t.ok(ids.includes(id), id)
})
