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
import { quoteDigest } from '../../src/orders/quote.ts'
import { formView } from '../../src/pages/form-view.ts'

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
  currency?: string
  locale?: string
}

function entryOf({ countries = ['GB', 'DE', 'CI'], deliveries = DELIVERIES, typed = {}, currency = 'GBP' }: Changes) {
  return readEntry(orderFormOf({ countries, delivery: { [currency]: deliveries } }), typed, currency)
}

function view(changes: Changes = {}) {
  const { mistakes = [], currency = 'GBP', locale = 'en-GB' } = changes
  return formView(entryOf(changes), mistakes, { currency, lines: [MUG], subtotal: 2500 }, createTranslator(locale))
}

t.test('a new form has the empty fields of the first country, and the first delivery method selected', t => {
  const { fields, ...form } = view()
  t.strictSame(form, {
    digest: quoteDigest({ lines: [MUG], deliveries: DELIVERIES }),
    mistakes: [],
    country: 'GB',
    countries: [
      { code: 'GB', name: 'United Kingdom', isChosen: true },
      { code: 'DE', name: 'Germany', isChosen: false },
      { code: 'CI', name: 'Côte d’Ivoire', isChosen: false }
    ],
    deliveries: [
      { id: 'post', label: { text: 'Post', lang: undefined }, price: '£4.50', total: '£29.50', isChosen: true },
      { id: 'van', label: { text: 'Van', lang: undefined }, price: '£0.00', total: '£25.00', isChosen: false }
    ],
    choiceTotals: ['£29.50', '£25.00']
  })
  t.strictSame(view({ deliveries: [] }).choiceTotals, ['£25.00'], 'without methods there is one total')
  const four = ['a', 'b', 'c', 'd'].map(id => ({ id, label: id, price: 1 }))
  t.strictSame(
    view({ deliveries: four }).choiceTotals,
    [],
    'none if there are more methods than the style sheet can switch between'
  )
  t.strictSame(
    fields.map(({ name, value }) => [name, value]),
    [
      ['email', ''],
      ['name', ''],
      ['organization', ''],
      ['address1', ''],
      ['address2', ''],
      ['city', ''],
      ['postcode', ''],
      ['phone', '']
    ]
  )
  t.notOk(fields.some(field => 'mistake' in field))
  t.end()
})

t.test('everything is kept as typed, and each mistake is next to its field', t => {
  const typed = { email: ' a"b ', name: '<Ada>', delivery: 'van', country: 'DE', shown: 'DE', postcode: '' }
  const mistakes = [
    { field: 'email', label: 'field-email', message: 'email-shape', maxLength: 254 },
    { field: 'postcode', label: 'field-postal', message: 'enter-field', maxLength: 200 }
  ] as const
  const [wrong, missing] = ['Enter an email address such as name@example.com', 'Enter your postcode']
  const form = view({ typed, mistakes: [...mistakes] })
  t.match(form, {
    country: 'DE',
    mistakes: [{ message: wrong }, { message: missing }],
    deliveries: [{ isChosen: false }, { isChosen: true }]
  })
  const { fields } = form
  t.strictSame(
    fields.map(({ name, value, mistake }) => [name, value, mistake]),
    [
      ['email', ' a"b ', wrong],
      ['name', '<Ada>', undefined],
      ['organization', '', undefined],
      ['address1', '', undefined],
      ['address2', '', undefined],
      ['postcode', '', missing],
      ['city', '', undefined],
      ['phone', '', undefined]
    ]
  )
  t.end()
})

t.test('money is written in the currency, in the format of the locale', t => {
  t.match(view({ currency: 'JPY', locale: 'ja-JP' }).deliveries, [{ price: /450$/, total: /2,950$/ }])
  t.end()
})

t.test('a form asks for the fields of another country if the country changed or the button was pressed', t => {
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
    [['GB'], { look: '1' }, true]
  ]
  for (const [countries, typed, asks] of cases) {
    t.equal(asksForCountry(entryOf({ countries, typed })), asks, `${countries}: ${JSON.stringify(typed)}`)
    const sent = view({ countries, typed: { ...typed, digest: 'x' } })
    t.equal('countryNote' in sent, asks, 'the page says that it shows them')
    t.notOk('countryNote' in view({ countries, typed }), 'but not before a form is sent')
  }
  t.match(view({ typed: { country: 'CI', shown: 'GB', digest: 'x' } }), {
    countryNote: 'The fields below are for this country: Côte d’Ivoire. Nothing is ordered yet.'
  })
  t.end()
})
