// The totals of a page: one for each delivery method, of which the style sheet shows that of the chosen one.
import t from 'tap'
import type { DeliveryMethod } from '../../src/merchant/merchant.ts'
import { createTranslator } from '../../src/messages/translator.ts'
import { choiceSheet, daysText, totalsView } from '../../src/pages/totals-view.ts'

const METHODS = [
  { id: 'post', label: 'Post', price: 450 },
  { id: 'van', label: 'Van', price: 0 }
]
const english = createTranslator('en-GB')

t.test('each method has its total; only methods that can be chosen have a key', async t => {
  const post = {
    id: 'post',
    label: { text: 'Post', lang: undefined },
    price: '£4.50',
    total: 2950,
    totalText: '£29.50'
  }
  const van = { id: 'van', label: { text: 'Van', lang: undefined }, price: 'Free', total: 2500, totalText: '£25.00' }
  t.strictSame(totalsView(2500, METHODS, 'van', 'GBP', english), {
    subtotal: 2500,
    subtotalText: '£25.00',
    choices: [
      { key: 'm0', ...post, isChosen: false },
      { key: 'm1', ...van, isChosen: true }
    ]
  })
  t.strictSame(totalsView(2500, METHODS.slice(0, 1), 'post', 'GBP', english).choices, [{ ...post, isChosen: true }])
})

t.test('without a method the total is that of the goods', async t => {
  t.strictSame(totalsView(2500, [], undefined, 'GBP', english).choices, [
    { total: 2500, totalText: '£25.00', isChosen: true }
  ])
})

t.test('money is written in the currency, in the format of the locale', async t => {
  t.match(totalsView(2500, METHODS, 'post', 'JPY', createTranslator('ja-JP')).choices, [
    { price: /450$/, totalText: /2,950$/ },
    { totalText: /2,500$/ }
  ])
})

t.test('a method that costs nothing is free, in the language of the page', async t => {
  const texts = ['en', 'de', 'fr', 'es', 'ja', 'ar'].map(
    locale => totalsView(2500, METHODS, 'van', 'GBP', createTranslator(locale)).choices[1]?.price
  )
  t.strictSame(texts, ['Free', 'Kostenlos', 'Gratuit', 'Gratis', '無料', 'مجانًا'])
  const before = { subtotal: 2500, deliveries: [0, 300] }
  const [post, van] = totalsView(2500, METHODS, 'van', 'GBP', english, before).choices
  t.match(
    [post, van],
    [
      { price: '£4.50', priceBefore: 'Free' },
      { price: 'Free', priceBefore: '£3.00' }
    ]
  )
})

t.test('there is a rule for each method, if there is a choice', async t => {
  t.equal(
    choiceSheet(2),
    ':has(#m0:checked) .m0,:has(#m1:checked) .m1{display:flex}',
    'more specific than the rule that hides the others'
  )
  t.equal(choiceSheet(1), '')
  t.equal(choiceSheet(0), '')
})

t.test('how long a method takes is said in the language of the page', async t => {
  const cases: [locale: string, ...texts: string[]][] = [
    ['en', 'Same day', '1 working day', '2 working days', '1 to 2 working days', '3 to 5 working days'],
    ['de', 'Am selben Tag', '1 Werktag', '2 Werktage', '1 bis 2 Werktage', '3 bis 5 Werktage'],
    ['fr', 'Le jour même', '1 jour ouvré', '2 jours ouvrés', '1 à 2 jours ouvrés', '3 à 5 jours ouvrés'],
    [
      'es',
      'El mismo día',
      '1 día laborable',
      '2 días laborables',
      'de 1 a 2 días laborables',
      'de 3 a 5 días laborables'
    ],
    ['ja', '当日', '1営業日', '2営業日', '1～2営業日', '3～5営業日'],
    ['ar', 'في اليوم نفسه', 'يوم عمل واحد', 'يومي عمل', 'من 1 إلى يومي عمل', 'من 3 إلى 5 أيام عمل']
  ]
  for (const [locale, ...texts] of cases) {
    const translator = createTranslator(locale)
    const found = (
      [
        [0, 0],
        [1, 1],
        [2, 2],
        [1, 2],
        [3, 5]
      ] as const
    ).map(([from, to]) => daysText([from, to], translator))
    t.strictSame(
      found.map(text => text.replace(/[\u2068\u2069]/g, '')),
      texts,
      locale
    )
  }
  const [choice] = totalsView(2500, [{ ...METHODS[0], days: [3, 5] } as DeliveryMethod], 'post', 'GBP', english).choices
  t.equal(choice?.days, '3 to 5 working days')
})
