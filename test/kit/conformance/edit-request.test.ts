// Edits of valid requests, as the options write them.
import t from 'tap'
import {
  editField,
  editJson,
  editPairs,
  editText,
  hasJsonBody,
  percentEncodeAll
} from '../../../src/kit/conformance/edit-request.ts'
import { formPost } from '../../../src/transfer/form-post/form-post.ts'
import { jsonDescription } from '../../../src/transfer/json-description/json-description.ts'
import { queryGet } from '../../../src/transfer/query-get/query-get.ts'

const CART = {
  reference: 'r1',
  currency: 'GBP',
  items: [
    { sku: 'A', quantity: 1 },
    { sku: 'B', quantity: 2 }
  ]
}
const URL = 'https://shop.example/cart'
const json = jsonDescription.request(CART, URL)
const form = formPost.request(CART, URL)
const query = queryGet.request(CART, URL)

t.test('a field is dropped or changed; a field of a line in the first line', async t => {
  t.ok(hasJsonBody(json))
  t.notOk(hasJsonBody(form))
  t.equal(
    editField(json, { field: 'sku' }).body,
    '{"items":[{"quantity":1},{"sku":"B","quantity":2}],"currency":"GBP","reference":"r1"}'
  )
  t.match(editField(json, { field: 'currency', value: 7 }).body, '"currency":7')
  t.match(editField(json, { field: 'items' }).body, /^{"currency"/)
  t.equal(
    decodeURIComponent(String(editField(form, { field: 'quantity', value: -1 }).body)),
    'items[0][sku]=A&items[0][quantity]=-1&items[1][sku]=B&items[1][quantity]=2&currency=GBP&reference=r1'
  )
  t.equal(
    editField(query, { field: 'sku' }).url,
    `${URL}?item_0_quantity=1&item_1_sku=B&item_1_quantity=2&currency=GBP&reference=r1`
  )
  t.notMatch(editField(query, { field: 'reference' }).url, 'reference')
})

t.test('of index-free names, the first is changed', async t => {
  const free = formPost.variants?.['index-free']?.(CART, URL) ?? form
  t.equal(
    decodeURIComponent(String(editField(free, { field: 'sku' }).body)),
    'items[][quantity]=1&items[][sku]=B&items[][quantity]=2&currency=GBP&reference=r1'
  )
})

t.test('fields are added, and text is encoded differently, in bodies and queries', async t => {
  t.match(editJson(json, cart => Object.assign(cart, { more: true })).body, '"more":true')
  t.match(editPairs(query, pairs => [...pairs, ['more', 'a b']]).url, /&more=a\+b$/)
  t.equal(editText({ ...form, body: 'a=b' }, percentEncodeAll).body, '%61=%62')
  t.equal(editText({ ...query, url: `${URL}?a=%C3%BC+` }, percentEncodeAll).url, `${URL}?%61=%C3%BC%20`)
})
