// When two carts count as the same cart, and two references as the same; what counts as a UUID.
import fc from 'fast-check'
import t from 'tap'
import {
  type Cart,
  cartDigest,
  type Item,
  isHyphenatedUuid,
  isSameCart,
  isUuid,
  MAX_REFERENCE,
  referenceKey,
  unitsBySku
} from '../../src/cart/cart.ts'

const mug: Item = { sku: 'MUG', quantity: 2, price: '12.50' }
const throwRug: Item = { sku: 'THROW', quantity: 1 }

/** A cart with these lines and, by default, the same currency and reference. */
function cart(items: Item[], currency = 'GBP', reference = 'r-1'): Cart {
  return { reference, currency, items }
}

t.test('carts are the same if the currency and the lines are, in the same order, price claims included', async t => {
  const cases: [name: string, other: Cart, isSame: boolean][] = [
    ['identical', cart([{ ...mug }, { ...throwRug }]), true],
    ['another reference does not matter', cart([mug, throwRug], 'GBP', 'r-2'), true],
    ['another currency', cart([mug, throwRug], 'USD'), false],
    ['another order', cart([throwRug, mug]), false],
    ['one line fewer', cart([mug]), false],
    ['one line more', cart([mug, throwRug, throwRug]), false],
    ['no line', cart([]), false],
    ['another SKU', cart([{ ...mug, sku: 'mug' }, throwRug]), false],
    ['another quantity', cart([{ ...mug, quantity: 3 }, throwRug]), false],
    ['another claim', cart([{ ...mug, price: '12.5' }, throwRug]), false],
    ['one claim fewer', cart([{ sku: 'MUG', quantity: 2 }, throwRug]), false],
    ['one claim more', cart([mug, { ...throwRug, price: '64.95' }]), false],
    [
      'two lines with one SKU for one line with both',
      cart([
        { ...mug, quantity: 1 },
        { ...mug, quantity: 1 }
      ]),
      false
    ],
    ['an empty claim is a claim', cart([mug, { ...throwRug, price: '' }]), false]
  ]
  for (const [name, other, isSame] of cases) {
    t.equal(isSameCart(cart([mug, throwRug]), other), isSame, name)
    t.equal(isSameCart(other, cart([mug, throwRug])), isSame, `${name}, the other way round`)
    t.equal(cartDigest(other) === cartDigest(cart([mug, throwRug])), isSame, `${name}, by their digests`)
  }
})

const BARE = '0f8fad5bd9cb469fa16570867728950e'
const HYPHENATED = '0f8fad5b-d9cb-469f-a165-70867728950e'

t.test('a UUID is 32 hexadecimal digits, or 36 characters with its hyphens, and nothing else', async t => {
  const cases: [text: string, isBare: boolean, isHyphenated: boolean][] = [
    [BARE, true, false],
    [BARE.toUpperCase(), true, false],
    ['0'.repeat(32), true, false], // version and variant bits are not checked
    [HYPHENATED, false, true],
    [HYPHENATED.toUpperCase(), false, true],
    ['', false, false],
    [BARE.slice(1), false, false],
    [`${BARE}0`, false, false],
    [`${BARE}\n`, false, false],
    [`g${BARE.slice(1)}`, false, false],
    [`{${HYPHENATED}}`, false, false],
    [`${HYPHENATED}\n`, false, false],
    [HYPHENATED.replaceAll('-', '–'), false, false],
    ['0f8fad5bd-9cb-469f-a165-70867728950e', false, false],
    ['0f8fad5b-d9cb-469f-a165-70867728950g', false, false]
  ]
  for (const [text, isBare, isHyphenated] of cases) {
    t.strictSame([isUuid(text), isHyphenatedUuid(text)], [isBare, isHyphenated], JSON.stringify(text))
  }
  t.equal(BARE.length, MAX_REFERENCE)
})

t.test('references that look like a UUID are the same if they differ only in case or hyphens', async t => {
  const cases: [a: string, b: string, isSame: boolean][] = [
    [BARE, HYPHENATED.toUpperCase(), true],
    [BARE, `1${BARE.slice(1)}`, false],
    ['order-1', 'ORDER-1', false],
    ['a-b', 'ab', false],
    // With hyphens in other places it does not look like a UUID.
    [BARE, '0f8fad5b-d9cb469fa16570867728950e', false]
  ]
  for (const [a, b, isSame] of cases) t.equal(referenceKey(a) === referenceKey(b), isSame, `${a} and ${b}`)
})

t.test('a UUID has one key, however it is written; any other reference is its own key', async () => {
  fc.assert(
    fc.property(fc.uuid(), uuid => {
      const bare = uuid.replaceAll('-', '')
      const forms = [uuid, uuid.toUpperCase(), bare, bare.toUpperCase()]
      return new Set(forms.map(referenceKey)).size === 1
    })
  )
  fc.assert(fc.property(fc.string({ maxLength: 31 }), text => referenceKey(text) === text))
})

t.test('a SKU on two lines counts once, with the units of both', async t => {
  const lines = [mug, { ...mug, sku: 'mug' }, throwRug, mug]
  t.strictSame(Object.fromEntries(unitsBySku(lines)), { MUG: 4, mug: 2, THROW: 1 })
})
