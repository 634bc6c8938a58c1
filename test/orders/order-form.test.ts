// The order form: its fields, and the little that is refused in them.
import t from 'tap'
import { createTranslator } from '../../src/messages/translator.ts'
import { type FormValues, orderFormOf, readCustomer, readEntry } from '../../src/orders/order-form.ts'
import { fieldMessage } from '../../src/pages/form-view.ts'

const EN = createTranslator('en-GB')
const VALID = { email: 'a@b', name: 'Ada', address1: '12 Square', city: 'London', postcode: 'SW1Y 4JH' }

const POST = { id: 'post', label: 'Post', price: 450 }
const VAN = { id: 'van', label: 'Van', price: 995 }
const FORM = orderFormOf({ countries: ['GB', 'FR', 'DE', 'HK'], delivery: { GBP: [POST, VAN], JPY: [] } })

const formFields = (country: string) => readEntry(FORM, { country }, 'GBP').fields
const readOrderForm = (values: FormValues, country: string) =>
  readCustomer(readEntry(FORM, { ...values, country }, 'GBP'))

/** The mistakes of a form for Britain with changes, as `field: message`. */
function mistakesOf(changes: FormValues): string[] {
  const read = readOrderForm({ ...VALID, ...changes }, 'GB')
  return 'mistakes' in read ? read.mistakes.map(mistake => `${mistake.field}: ${fieldMessage(mistake, EN)}`) : []
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
    return 'mistakes' in read && read.mistakes.map(mistake => fieldMessage(mistake, EN))
  }
  t.strictSame(messages('GB'), [
    'Enter your email',
    'Enter your full name',
    'Enter your address',
    'Enter your town or city',
    'Enter your postcode'
  ])
  t.strictSame(messages('HK'), ['Enter your email', 'Enter your area', 'Enter your address', 'Enter your full name'])
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
    [{ name: 'a\u0000b' }, 'name: Full name has a character that we can’t use. Please type it again.'],
    [{ phone: '1\n2' }, 'phone: Phone number has a character that we can’t use. Please type it again.'],
    [{ city: 'a\u009fb' }, 'city: Town or city has a character that we can’t use. Please type it again.'],
    [{ postcode: 'a\ud800' }, 'postcode: Postcode has a character that we can’t use. Please type it again.'],
    [{ email: 'a\u0007@b' }, 'email: Email has a character that we can’t use. Please type it again.'],
    [{ address2: 'x'.repeat(201) }, 'address2: Flat, floor or building must be 200 characters or fewer']
  ]
  for (const [typed, mistake] of cases) t.strictSame(mistakesOf(typed), [mistake])
  t.end()
})

t.test('country and delivery are those chosen, or else the first', t => {
  const entry = (values: FormValues, currency = 'GBP') => readEntry(FORM, values, currency)
  t.strictSame(
    ['FR', 'GB', 'US', '', undefined].map(country => entry(country === undefined ? {} : { country }).country),
    ['FR', 'GB', 'GB', 'GB', 'GB']
  )
  t.strictSame(
    ['van', 'post', 'x', undefined].map(delivery => entry(delivery === undefined ? {} : { delivery }).delivery),
    [VAN, POST, POST, POST]
  )
  t.equal(entry({ delivery: 'van' }, 'JPY').delivery, undefined)
  t.strictSame(entry({}, 'EUR').deliveries, [], 'a currency without methods')
  t.end()
})
