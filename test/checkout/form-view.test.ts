// What the order form prints, without a browser.
import t from 'tap'
import { type FormParts, formView } from '../../src/checkout/form-view.ts'
import { wordsFor } from '../../src/messages/words.ts'
import { asksForCountry } from '../../src/orders/place-order.ts'
import { digestOf } from '../../src/orders/quote.ts'

const PARTS: FormParts = {
  action: '/shop/checkout/tok',
  words: wordsFor('en-GB'),
  currency: 'GBP',
  lines: [
    {
      item: { sku: 'MUG', quantity: 2 },
      product: { sku: 'MUG', title: 'Mug', offers: {} },
      unitPrice: 1250,
      lineTotal: 2500,
      availability: 'in_stock',
      isSellable: true
    }
  ],
  subtotal: 2500,
  deliveries: [
    { id: 'post', label: { text: 'Post', lang: undefined }, price: 450 },
    { id: 'van', label: { text: 'Van', lang: undefined }, price: 0 }
  ],
  countries: ['GB', 'DE', 'CI'],
  typed: {},
  mistakes: []
}

const view = (changes: Partial<FormParts> = {}) => formView({ ...PARTS, ...changes })

t.test('the first time: empty fields of the first country, the first delivery method', t => {
  const { fields, ...form } = view()
  t.strictSame(form, {
    action: '/shop/checkout/tok',
    digest: digestOf({ lines: [{ sku: 'MUG', quantity: 2, unitPrice: 1250 }], deliveries: PARTS.deliveries }),
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
  const four = ['a', 'b', 'c', 'd'].map(id => ({ id, label: { text: id, lang: undefined }, price: 1 }))
  t.strictSame(view({ deliveries: four }).choiceTotals, [], 'of more than the style sheet can choose from, none')
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

t.test('everything typed is kept as it was typed, and what is wrong stands with its field', t => {
  const typed = { email: ' a"b ', name: '<Ada>', delivery: 'van', country: 'DE', shown: 'DE', postcode: '' }
  const mistakes = [
    { field: 'email', label: 'field-email', message: 'email-shape', most: 254 },
    { field: 'postcode', label: 'field-postal', message: 'enter-field', most: 200 }
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

t.test('the sentence about payment, where there is one', t => {
  t.match(view({ paymentText: { text: 'Pay on delivery', lang: 'en' } }), {
    paymentText: { text: 'Pay on delivery', lang: 'en' }
  })
  t.notOk('paymentText' in view())
  t.end()
})

t.test('money is written for the locale and in the currency', t => {
  t.match(view({ currency: 'JPY', words: wordsFor('ja-JP') }).deliveries, [{ price: /450$/, total: /2,950$/ }])
  t.end()
})

t.test('when a form asks for the fields of a country', t => {
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
    t.equal(asksForCountry(typed, countries), asks, `${countries}: ${JSON.stringify(typed)}`)
    const sent = view({ countries, typed: { ...typed, digest: 'x' } })
    t.equal('countryNote' in sent, asks, 'and the page says that it shows them')
    t.notOk('countryNote' in view({ countries, typed }), 'but not before a form was sent')
  }
  t.match(view({ typed: { country: 'CI', shown: 'GB', digest: 'x' } }), {
    countryNote: 'The fields below are for this country: Côte d’Ivoire. Nothing is ordered yet.'
  })
  t.end()
})
