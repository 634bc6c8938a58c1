// The reference: what counts as a UUID in 32 characters, and how two references are compared.
import fc from 'fast-check'
import t from 'tap'
import { isHyphenatedUuid, isUuid, MAX_REFERENCE, referenceKey } from '../../src/cart/reference.ts'

const BARE = '0f8fad5bd9cb469fa16570867728950e'
const HYPHENATED = '0f8fad5b-d9cb-469f-a165-70867728950e'

t.test('a UUID is 32 hexadecimal digits, or 36 characters with its hyphens, and nothing else', async t => {
  const cases: [text: string, isBare: boolean, isHyphenated: boolean][] = [
    [BARE, true, false],
    [BARE.toUpperCase(), true, false],
    ['0f8fAD5Bd9cb469fa16570867728950E', true, false],
    ['0'.repeat(32), true, false], // version and variant bits are not checked
    ['f'.repeat(32), true, false],
    [HYPHENATED, false, true],
    [HYPHENATED.toUpperCase(), false, true],
    ['', false, false],
    [BARE.slice(1), false, false],
    [`${BARE}0`, false, false],
    [`${BARE}\n`, false, false],
    [` ${BARE.slice(1)}`, false, false],
    [`g${BARE.slice(1)}`, false, false],
    [`０${BARE.slice(1)}`, false, false],
    [`{${HYPHENATED}}`, false, false],
    [`urn:uuid:${HYPHENATED}`, false, false],
    [`${HYPHENATED}\n`, false, false],
    [HYPHENATED.replaceAll('-', '–'), false, false],
    ['0f8fad5bd-9cb-469f-a165-70867728950e', false, false],
    ['0f8fad5b-d9cb-469f-a16570867728950e', false, false],
    ['0f8fad5b-d9cb-469f-a165-70867728950g', false, false]
  ]
  for (const [text, isBare, isHyphenated] of cases) {
    t.strictSame([isUuid(text), isHyphenatedUuid(text)], [isBare, isHyphenated], JSON.stringify(text))
  }
  t.equal(BARE.length, MAX_REFERENCE)
})

t.test('references that look like a UUID are the same if they differ only in case or hyphens', async t => {
  const cases: [a: string, b: string, isSame: boolean][] = [
    [BARE, BARE, true],
    [BARE, BARE.toUpperCase(), true],
    [BARE, HYPHENATED, true],
    [HYPHENATED, HYPHENATED.toUpperCase(), true],
    [BARE, `1${BARE.slice(1)}`, false],
    ['order-1', 'order-1', true],
    ['order-1', 'ORDER-1', false],
    ['order-1', 'order1', false],
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
