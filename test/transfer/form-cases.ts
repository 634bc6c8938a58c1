// What options 2A and 2B have in common, as tables: forms that break the contract, that cannot be sold, that are
// accepted. The options differ in how they name the fields of a line.
import { FEED } from '../build.ts'

/** The name of a field of a line, as the platform writes it. */
export type FieldName = (field: 'sku' | 'quantity' | 'price', line: number | string) => string

/** A form as sent: each character is one byte, percent-encoded where necessary. */
export type BrokenForm = [rule: string, form: string, ...mistakes: string[]]

const LONG = 'x'.repeat(128)
const ASTRAL = '𝒳'.repeat(128)
const ENCODED_ASTRAL = '%F0%9D%92%B3'.repeat(128)

/** The feed of all tests, plus the longest allowed SKUs and SKUs that encodings could corrupt. */
export const FORM_FEED = [
  FEED,
  `${LONG}\tLong\t\tin_stock\t1.00 GBP\t`,
  `${ASTRAL}\tAstral\t\tin_stock\t1.00 GBP\t`,
  '100%\tAll of it\t\tin_stock\t1.00 GBP\t',
  'B\ufeffOM\tMarked\t\tin_stock\t1.00 GBP\t'
].join('\n')

/** Helpers that write forms for one option. */
export function formWriter(name: FieldName) {
  const line = (sku: string, quantity: string | number, at: number | string = 0) =>
    `${name('sku', at)}=${sku}&${name('quantity', at)}=${quantity}`
  const cart = (...fields: string[]) => [...fields, 'currency=GBP', 'reference=r-1'].join('&')
  return { line, cart }
}

/** Every way for a form to break the contract that does not depend on how an option names its fields. */
export function brokenForms(name: FieldName): BrokenForm[] {
  const { line, cart } = formWriter(name)
  const mug = line('MUG', 1)
  const sku = name('sku', 0)
  const quantity = name('quantity', 0)
  const withSku = (text: string) => cart(line(text, 1))
  const withQuantity = (text: string) => cart(line('MUG', text))
  const withCurrency = (text: string) => `${mug}&currency=${text}&reference=r-1`
  const withReference = (text: string) => `${mug}&currency=GBP&reference=${text}`
  return [
    // items
    ['an empty form', '', 'items items-empty', 'currency field-missing', 'reference field-missing'],
    ['no line', cart(), 'items items-empty'],
    ['fields that only look like lines', cart('items=MUG', 'item=MUG', 'sku=MUG', 'quantity=1'), 'items items-empty'],
    // sku
    ['sku missing', cart(`${quantity}=1`), `${sku} field-missing`],
    ['sku in upper case', cart(`${sku.replace('sku', 'SKU')}=MUG`, `${quantity}=1`), `${sku} field-missing`],
    ['sku empty', withSku(''), `${sku} sku-invalid`],
    ['sku without an equals sign', cart(sku, `${quantity}=1`), `${sku} sku-invalid`],
    ['sku of 129 characters', withSku(`${LONG}x`), `${sku} sku-invalid`],
    ['sku of 129 code points', withSku(`${ENCODED_ASTRAL}x`), `${sku} sku-invalid`],
    ['sku with a tab', withSku('MUG%09'), `${sku} sku-invalid`],
    ['sku with a line break', withSku('MUG%0D%0A'), `${sku} sku-invalid`],
    ['sku with DEL', withSku('MUG%7F'), `${sku} sku-invalid`],
    ['sku with a C1 control', withSku('MUG%C2%85'), `${sku} sku-invalid`],
    // quantity
    ['quantity missing', cart(`${sku}=MUG`), `${quantity} field-missing`],
    ['quantity 0', withQuantity('0'), `${quantity} quantity-invalid`],
    ['quantity 10000', withQuantity('10000'), `${quantity} quantity-invalid`],
    ['quantity of 40 digits', withQuantity('1'.repeat(40)), `${quantity} quantity-invalid`],
    ['quantity of 400 digits', withQuantity('1'.repeat(400)), `${quantity} quantity-invalid`],
    ...['', '-1', '%2B1', '+1', '1+', '%201', '1%0A', '01', '00', '1.0', '1.5', '1,0', '1e1', '0x1', 'one'].map(
      (text): BrokenForm => [`quantity "${text}"`, withQuantity(text), `${quantity} quantity-invalid`]
    ),
    ['quantity in full-width digits', withQuantity('%EF%BC%91'), `${quantity} quantity-invalid`],
    ['quantity in Arabic digits', withQuantity('%D9%A1'), `${quantity} quantity-invalid`],
    // currency
    ['currency missing', `${mug}&reference=r-1`, 'currency field-missing'],
    ...['', 'gbp', 'Gbp', 'GB', 'GBPP', '+GBP', 'GBP%20', 'ZZZ', '826', '%C2%A3'].map(
      (text): BrokenForm => [`currency "${text}"`, withCurrency(text), 'currency currency-invalid']
    ),
    // reference
    ['reference missing', `${mug}&currency=GBP`, 'reference field-missing'],
    ['reference empty', withReference(''), 'reference reference-invalid'],
    ['reference of 33 characters', withReference('r'.repeat(33)), 'reference reference-invalid'],
    [
      'reference of 36 characters',
      withReference('0f8fad5b-d9cb-469f-a165-70867728950e'),
      'reference reference-invalid'
    ],
    ['reference with + (a space)', withReference('a+b'), 'reference reference-invalid'],
    ['reference with %20', withReference('a%20b'), 'reference reference-invalid'],
    ['reference with a line feed', withReference('a%0A'), 'reference reference-invalid'],
    ['reference with DEL', withReference('a%7F'), 'reference reference-invalid'],
    ['reference with non-ASCII', withReference('%C3%A9'), 'reference reference-invalid'],
    // indexes
    ['indexes from 1', cart(line('MUG', 1, 1)), `${sku} index-gap`],
    ['a gap', cart(mug, line('MUG', 1, 2)), `${name('sku', 1)} index-gap`],
    [
      'two gaps',
      cart(mug, line('MUG', 1, 6), line('MUG', 1, 2)),
      `${name('sku', 1)} index-gap`,
      `${name('sku', 3)} index-gap`
    ],
    ['a huge index', cart(mug, line('MUG', 1, 999_999_999)), `${name('sku', 1)} index-gap`],
    ...['00', '01', '1.0', '1e0', '0x1', '-1', '%2B1', '+1', '1+', '%201', '%EF%BC%91', '9'.repeat(30)].map(
      (index): BrokenForm => [
        `index "${index}"`,
        cart(mug, `${name('sku', index)}=MUG`),
        `${decodeForm(name('sku', index))} index-malformed`
      ]
    ),
    [
      'a malformed index on two fields',
      cart(mug, line('MUG', 1, '01')),
      `${name('sku', '01')} index-malformed`,
      `${name('quantity', '01')} index-malformed`
    ],
    ['a SKU on its own is a line', cart(mug, `${name('sku', 1)}=MUG`), `${name('quantity', 1)} field-missing`],
    ['a quantity on its own is a line', cart(mug, `${name('quantity', 1)}=1`), `${name('sku', 1)} field-missing`],
    [
      'a price on its own is a line',
      cart(mug, `${name('price', 1)}=1`),
      `${name('sku', 1)} field-missing`,
      `${name('quantity', 1)} field-missing`
    ],
    ['a price on its own makes a gap', cart(mug, line('MUG', 1, 1), `${name('price', 3)}=1`), ...gapBeforePrice(name)],
    // repeated fields
    ['an index twice', cart(mug, line('THROW', 2)), `${sku} field-repeated`, `${quantity} field-repeated`],
    ['an index twice, identical', cart(mug, mug), `${sku} field-repeated`, `${quantity} field-repeated`],
    ['sku twice', cart(mug, `${sku}=MUG`), `${sku} field-repeated`],
    ['sku twice, one name encoded', cart(mug, `${sku.replace('sku', '%73ku')}=MUG`), `${sku} field-repeated`],
    ['quantity twice', cart(mug, `${quantity}=1`), `${quantity} field-repeated`],
    ['quantity three times', cart(mug, `${quantity}=1`, `${quantity}=1`), `${quantity} field-repeated`],
    ['currency twice', cart(mug, 'currency=GBP'), 'currency field-repeated'],
    ['currency twice, one value undecodable', cart(mug, 'currency=%zz'), 'currency field-repeated'],
    ['reference twice', cart(mug, 'reference=r-1'), 'reference field-repeated'],
    // encoding
    ['sku with a stray %', withSku('100%'), `${sku} encoding-malformed`],
    ['sku with an incomplete escape', withSku('MUG%4'), `${sku} encoding-malformed`],
    ['sku with an escape that is not hexadecimal', withSku('%zz'), `${sku} encoding-malformed`],
    ['sku with a JavaScript escape', withSku('%u2615'), `${sku} encoding-malformed`],
    ['sku in Latin-1', withSku('caf%E9'), `${sku} encoding-malformed`],
    ['sku with a truncated UTF-8 sequence', withSku('%E2%98'), `${sku} encoding-malformed`],
    ['sku with an overlong slash', withSku('%C0%AF'), `${sku} encoding-malformed`],
    ['sku with half of a surrogate pair', withSku('%ED%A0%80'), `${sku} encoding-malformed`],
    ['sku with NUL', withSku('MUG%00'), `${sku} encoding-malformed`],
    ['quantity with NUL', withQuantity('1%00'), `${quantity} encoding-malformed`],
    ['quantity with a stray %', withQuantity('1%'), `${quantity} encoding-malformed`],
    ['currency with NUL', withCurrency('GBP%00'), 'currency encoding-malformed'],
    ['currency with invalid UTF-8', withCurrency('%FF'), 'currency encoding-malformed'],
    ['reference with a stray %', withReference('r%'), 'reference encoding-malformed'],
    ['reference with invalid UTF-8', withReference('%80'), 'reference encoding-malformed'],
    ['a name with a stray %', cart(mug, 'x%zz=1'), 'x%zz encoding-malformed'],
    ['a name with invalid UTF-8', cart(mug, '%FF=1'), '%FF encoding-malformed'],
    ['a name with NUL', cart(mug, 'currency%00=1'), 'currency%00 encoding-malformed'],
    // combined
    [
      'everything at once',
      `${line('', 'x')}&${line('caf%E9', 1, 2)}&${name('sku', 2)}=y&${name('sku', '03')}=z&currency=gbp&%FF=&reference=+`,
      `${sku} sku-invalid`,
      `${quantity} quantity-invalid`,
      `${name('sku', 1)} index-gap`,
      `${name('sku', 2)} field-repeated`,
      `${name('sku', '03')} index-malformed`,
      'currency currency-invalid',
      '%FF encoding-malformed',
      'reference reference-invalid'
    ],
    ['contract mistakes are reported before catalogue mistakes', cart(line('NONE', 0)), `${quantity} quantity-invalid`]
  ]
}

function gapBeforePrice(name: FieldName): string[] {
  return [`${name('sku', 2)} index-gap`, `${name('sku', 3)} field-missing`, `${name('quantity', 3)} field-missing`]
}

/** A decoded field name. */
function decodeForm(text: string): string {
  return decodeURIComponent(text.replaceAll('+', ' '))
}

/** Carts that keep the contract but cannot be sold: each mistake, and what the page names. */
export function unsellableForms(name: FieldName): [rule: string, form: string, mistakes: string[], named: string[]][] {
  const { line, cart } = formWriter(name)
  return [
    ['an unknown SKU', cart(line('NONE', 1)), [`${name('sku', 0)} sku-unknown`], ['NONE']],
    ['a SKU in lower case', cart(line('mug', 1)), [`${name('sku', 0)} sku-unknown`], ['mug']],
    ['a SKU with a trailing space', cart(line('MUG+', 1)), [`${name('sku', 0)} sku-unknown`], ['MUG ']],
    ['a SKU with markup', cart(line('%3Cb%3E', 1)), [`${name('sku', 0)} sku-unknown`], ['&lt;b&gt;']],
    ['sold out', cart(line('LAMP', 1)), [`${name('sku', 0)} out-of-stock`], ['Brass lantern', 'LAMP']],
    [
      'no price in the currency',
      cart(line('DOLLAR', 1)),
      [`${name('sku', 0)} price-missing`],
      ['Dollar only', 'DOLLAR']
    ],
    [
      'a currency that the merchant does not sell in',
      `${line('MUG', 1)}&currency=USD&reference=r-1`,
      ['currency currency-not-sold'],
      ['We don’t sell in the currency of your bag']
    ],
    [
      'every unsellable line, and no other',
      cart(line('NONE', 1), line('MUG', 1, 1), line('LAMP', 1, 2), line('NO', 1, 3)),
      [`${name('sku', 0)} sku-unknown`, `${name('sku', 2)} out-of-stock`, `${name('sku', 3)} sku-unknown`],
      ['NONE', 'Brass lantern', 'LAMP', 'NO']
    ]
  ]
}

/** Carts that are accepted exactly as sent. */
export function validForms(name: FieldName): [rule: string, form: string, items: object[], reference?: string][] {
  const { line, cart } = formWriter(name)
  const mug = line('MUG', 2)
  const oneMug = [{ sku: 'MUG', quantity: 2 }]
  const withReference = (text: string) => `${mug}&currency=GBP&reference=${text}`
  return [
    ['one line', cart(mug), oneMug],
    ['quantity 1', cart(line('MUG', 1)), [{ sku: 'MUG', quantity: 1 }]],
    ['quantity 9999', cart(line('MUG', 9999)), [{ sku: 'MUG', quantity: 9999 }]],
    ['quantity percent-encoded', cart(line('MUG', '%31%30')), [{ sku: 'MUG', quantity: 10 }]],
    ['sku of 128 characters', cart(line(LONG, 1)), [{ sku: LONG, quantity: 1 }]],
    ['sku of 128 code points', cart(line(ENCODED_ASTRAL, 1)), [{ sku: ASTRAL, quantity: 1 }]],
    ['+ is a space, %2B a plus', cart(line('a%2Bb+c', 1)), [{ sku: 'a+b c', quantity: 1 }]],
    ['%20 is a space too', cart(line('a%2bb%20c', 1)), [{ sku: 'a+b c', quantity: 1 }]],
    ['a percent sign', cart(line('100%25', 1)), [{ sku: '100%', quantity: 1 }]],
    ['other scripts', cart(line('%E3%82%BD-%e2%98%95', 1)), [{ sku: 'ソ-☕', quantity: 1 }]],
    ['a BOM is part of a SKU', cart(line('B%EF%BB%BFOM', 1)), [{ sku: 'B\ufeffOM', quantity: 1 }]],
    [
      'markup',
      cart(line('%3Cscript%3Ealert(%22sku%22)%3C/script%3E', 1)),
      [{ sku: '<script>alert("sku")</script>', quantity: 1 }]
    ],
    [
      'lines are ordered by index, whatever the order of the fields; one SKU on two lines',
      cart(line('MUG', 3, 2), `${name('quantity', 1)}=2`, line('MUG', 1, 0), `${name('sku', 1)}=THROW`),
      [
        { sku: 'MUG', quantity: 1 },
        { sku: 'THROW', quantity: 2 },
        { sku: 'MUG', quantity: 3 }
      ]
    ],
    [
      'indexes are compared as numbers, not text',
      cart(...Array.from({ length: 11 }, (_, i) => line('MUG', i + 1, i)).reverse()),
      Array.from({ length: 11 }, (_, i) => ({ sku: 'MUG', quantity: i + 1 }))
    ],
    ['currency and reference first', `reference=r-1&currency=GBP&${mug}`, oneMug],
    ['names percent-encoded', `%63urrency=GBP&re%66erence=r-1&${mug.replace('sku', 's%6Bu')}`, oneMug],
    ['extra fields', cart(mug, 'utm_source=app', 'userId=5', 'Currency=USD', '=', 'location'), oneMug],
    ['extra fields, repeated', cart('a=1', 'a=2', mug, 'item=', 'item='), oneMug],
    ['extra fields with undecodable values', cart(mug, 'a=%zz', 'b=%FF', 'c=%00', 'd=%', 'a=%C3'), oneMug],
    ['empty fields', `&&${mug}&&currency=GBP&reference=r-1&`, oneMug],
    ['extra fields of a line', cart(mug, `${name('sku', 0).replace('sku', 'name')}=%zz`), oneMug],
    ['extra fields do not make a line', cart(mug, `${name('sku', 7).replace('sku', 'name')}=x`), oneMug],
    ['a reference of one character', withReference('!'), oneMug, '!'],
    ['a reference of 32 characters', withReference('~'.repeat(32)), oneMug, '~'.repeat(32)],
    ['a reference of 32 hexadecimal digits', withReference('0f8FAD5B'.repeat(4)), oneMug, '0f8FAD5B'.repeat(4)],
    ['a reference with punctuation', withReference('a-b_c.d/e:%2B%26%3D%25%22%3C'), oneMug, 'a-b_c.d/e:+&=%"<']
  ]
}
