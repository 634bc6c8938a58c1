// What the order form shows, without a browser.
import t from 'tap'
import { createTranslator } from '../../src/messages/translator.ts'
import {
  asksForCountry,
  type FieldMistake,
  type FormValues,
  orderFormOf,
  readEntry
} from '../../src/orders/order-form.ts'
import { quoteDigest } from '../../src/orders/place-order.ts'
import { type FormView, formView } from '../../src/pages/form-view.ts'

const MUG = {
  item: { sku: 'MUG', quantity: 2 },
  product: { sku: 'MUG', title: 'Mug', offers: {} },
  unitPrice: 1250,
  lineTotal: 2500,
  availability: 'in_stock',
  isSellable: true
} as const

const DELIVERIES = [
  { id: 'post', label: 'Post', price: 450 },
  { id: 'van', label: 'Van', price: 0 }
]

type Changes = {
  countries?: string[]
  deliveries?: typeof DELIVERIES
  typed?: FormValues
  mistakes?: FieldMistake[]
  locale?: string
}

function entryOf({ countries = ['GB', 'DE', 'CI'], deliveries = DELIVERIES, typed = {} }: Changes) {
  return readEntry(orderFormOf({ countries, delivery: { GBP: deliveries } }), typed, 'GBP')
}

function view(changes: Changes = {}) {
  const { mistakes = [], locale = 'en-GB' } = changes
  return formView(entryOf(changes), mistakes, [MUG], createTranslator(locale))
}

const rowsOf = ({ address }: Pick<FormView, 'address'>) =>
  address.map(({ fields }) => fields.map(({ name }) => name).join(' '))

const fieldsOf = ({ contact, address }: Pick<FormView, 'contact' | 'address'>) => [
  ...contact,
  ...address.flatMap(({ fields }) => fields)
]

t.test('a new form has the empty fields of the first country', async t => {
  const { contact, address, ...form } = view()
  t.strictSame(form, {
    digest: quoteDigest({ lines: [MUG], deliveries: DELIVERIES }),
    mistakes: [],
    country: 'GB',
    countries: [
      { code: 'GB', name: 'United Kingdom', isChosen: true },
      { code: 'DE', name: 'Germany', isChosen: false },
      { code: 'CI', name: 'Côte d’Ivoire', isChosen: false }
    ],
    focusesMethod: false,
    kept: []
  })
  t.strictSame(
    contact.map(({ name }) => name),
    ['email', 'phone']
  )
  t.strictSame(rowsOf({ address }), ['name', 'address1', 'organization address2', 'city', 'postcode'])
  const fields = fieldsOf({ contact, address })
  t.strictSame(new Set(fields.map(({ value }) => value)), new Set(['']))
  t.notOk(fields.some(({ mistake }) => mistake))
})

t.test('what was typed for one country is kept while another is shown that does not have the field', async t => {
  const countries = ['GB', 'HK']
  const typed = { country: 'HK', shown: 'GB', digest: 'x', postcode: 'SW1Y 4JH', city: '', name: 'Ada', other: 'x' }
  t.strictSame(view({ countries, typed }).kept, [['postcode', 'SW1Y 4JH']])
  t.strictSame(view({ countries, typed: { ...typed, country: 'GB', shown: 'HK' } }).kept, [])
})

t.test('the name is first in every country, and a postcode is beside what an envelope has beside it', async t => {
  const fold = 'organization address2'
  const cases: [string, string[]][] = [
    ['GB', ['name', 'address1', fold, 'city', 'postcode']],
    ['DE', ['name', 'address1', fold, 'postcode city']],
    ['US', ['name', 'address1', fold, 'city', 'state postcode']],
    ['ES', ['name', 'address1', fold, 'postcode city', 'state']],
    ['JP', ['name', 'postcode', 'state', 'address1', 'address2 organization']],
    ['CI', ['name', 'sorting', 'address1', fold, 'city']]
  ]
  for (const [country, rows] of cases) t.strictSame(rowsOf(view({ countries: [country] })), rows, country)
})

t.test('company and second line are folded away, unless they have a value or a mistake', async t => {
  const long = { field: 'address2', label: 'field-address2', message: 'field-too-long', maxLength: 200 } as const
  const cases: [string, Changes, boolean][] = [
    ['a new form', {}, false],
    ['other values', { typed: { name: 'Ada', organization: '' } }, false],
    ['a company', { typed: { organization: 'Engine' } }, true],
    ['a second line', { typed: { address2: 'Wing' } }, true],
    ['a mistake', { mistakes: [long] }, true]
  ]
  for (const [what, changes, isOpen] of cases) {
    const { address } = view(changes)
    const folds = address.filter(({ isFold }) => isFold)
    t.strictSame(
      folds.map(({ isOpen }) => isOpen),
      [isOpen],
      what
    )
    const autocomplete = isOpen ? 'address-line1' : 'street-address'
    t.match(address[1]?.fields, [{ name: 'address1', autocomplete }], 'until it is open, the street is the whole of it')
  }
})

t.test('each mistake is next to its field, and in the summary in the order of the fields', async t => {
  const typed = { email: ' a"b ', country: 'DE', shown: 'DE', postcode: '' }
  const mistakes: FieldMistake[] = [
    { field: 'postcode', label: 'field-postal', message: 'enter-field', maxLength: 200 },
    { field: 'email', label: 'field-email', message: 'email-shape', maxLength: 254 }
  ]
  const wrong = { name: 'email', value: ' a"b ', mistake: 'Enter an email address such as name@example.com' }
  const missing = { name: 'postcode', value: '', mistake: 'Enter your postcode' }
  const form = view({ typed, mistakes })
  t.match(form.mistakes, [
    { field: 'email', message: wrong.mistake },
    { field: 'postcode', message: missing.mistake }
  ])
  const marked = fieldsOf(form).filter(({ mistake }) => mistake !== undefined)
  t.match(marked, [wrong, missing])
})

t.test('a state that was entered is chosen, whichever its language, and text if it is none of the choices', async t => {
  const state = (typed: string, locale: string, country = 'CA') =>
    fieldsOf(view({ countries: [country], typed: { state: typed }, locale })).find(({ name }) => name === 'state')
  const chosen = (typed: string, locale: string) =>
    state(typed, locale)?.options?.flatMap(({ isChosen, label, code }) => (isChosen ? [`${code} ${label}`] : []))
  t.equal(state('', 'en-CA')?.options?.length, 13)
  t.strictSame(chosen('', 'en-CA'), [])
  for (const typed of ['BC', 'British Columbia', 'Colombie-Britannique']) {
    t.strictSame(chosen(typed, 'fr-CA'), ['BC Colombie-Britannique'], typed)
    t.strictSame(chosen(typed, 'de-DE'), ['BC British Columbia'], typed)
  }
  t.match(state('Maine', 'en-CA'), { value: 'Maine', options: undefined })
  t.match(
    state('Dubai', 'ar', 'AE')?.options?.find(({ isChosen }) => isChosen),
    { label: 'دبي', code: undefined }
  )
  t.notOk(state('', 'en-US', 'US')?.options, 'too many')
})

t.test('a form asks for the fields of another country if the country changed or the button was pressed', async t => {
  const several = ['GB', 'FR']
  const cases: [string[], Record<string, string>, boolean][] = [
    [several, { country: 'GB', shown: 'GB' }, false],
    [several, { country: 'FR', shown: 'FR' }, false],
    [several, { country: 'FR', shown: 'FR', look: '1' }, true],
    [several, { country: 'FR', shown: 'GB' }, true],
    [several, { country: 'XX', shown: 'XX' }, true],
    [several, {}, true],
    [['GB'], {}, false],
    [['GB'], { country: 'FR', shown: 'FR' }, true],
    [['GB'], { look: '1' }, true],
    [['GB'], { look: '' }, false],
    [several, { country: 'FR', shown: 'FR', look: '' }, false],
    [several, { country: 'FR', shown: 'GB', look: '' }, true]
  ]
  for (const [countries, typed, asks] of cases) {
    t.equal(asksForCountry(entryOf({ countries, typed })), asks, `${countries}: ${JSON.stringify(typed)}`)
    const sent = view({ countries, typed: { ...typed, digest: 'x' } })
    t.equal('countryNote' in sent, asks, 'the page says that it shows them')
    t.equal(sent.focusesMethod, typed.look === '' && !asks, 'Enter on a delivery method keeps the focus there')
    t.notOk('countryNote' in view({ countries, typed }), 'but not before a form is sent')
  }
  t.match(view({ typed: { country: 'CI', shown: 'GB', digest: 'x' } }), {
    countryNote: 'You chose another country: Côte d’Ivoire. Check the address and the total, then tap “Buy now”.'
  })
})
