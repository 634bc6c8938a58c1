// The settings for orders in a merchant file: countries, delivery methods, their prices, and payment.
import t from 'tap'
import type { Merchant } from '../../src/merchant/merchant.ts'
import { merchantFile } from '../build.ts'
import { mistakesIn, readContents, refuses } from './settings.ts'

const POST = { id: 'post', label: 'Post', price: '4.50' }

t.test('countries: those in the file, in order, or else that of the locale', async t => {
  const cases: [object, string[]][] = [
    [{}, ['GB']],
    [{ countries: ['IE', 'GB', 'FR'] }, ['IE', 'GB', 'FR']],
    [{ locale: 'de-AT' }, ['AT']],
    [{ locale: 'ja' }, ['JP']],
    [{ locale: 'zh-Hant' }, ['TW']],
    [{ locale: 'de-AT', countries: ['CH'] }, ['CH']],
    [{ locale: 'es-419', countries: ['MX'] }, ['MX']]
  ]
  for (const [changes, countries] of cases) {
    t.strictSame(readContents(t, [{ ...merchantFile('1'), ...changes }])[0]?.countries, { GBP: countries })
  }
  for (const delivery of [undefined, [{ ...POST, countries: ['MX'] }]]) {
    refuses(t, 'locale', [['es-419', '"es-419" names no country; give "countries"']], { settings: { delivery } })
  }
  refuses(t, 'countries', [
    [['GB', 'UK'], 'it is "UK"; give an ISO 3166-1 code such as "GB"', 'countries[1]'],
    [['gb'], 'it is "gb"; give', 'countries[0]'],
    [['ZZ'], 'it is "ZZ"; give', 'countries[0]'],
    [[], 'it is []; give a list'],
    [['GB', 'GB'], 'each once'],
    ['GB', 'it is "GB"; give a list']
  ])
})

t.test('countries are a list for all currencies, or one for each', async t => {
  const swiss = merchantFile('1', { currencies: ['EUR', 'CHF'], locale: 'de-DE' })
  const lists = { EUR: ['DE', 'AT'], CHF: ['CH', 'LI', 'DE'] }
  const cases: [object, Record<string, string[]>][] = [
    [{}, { EUR: ['DE'], CHF: ['DE'] }],
    [{ countries: ['AT', 'CH'] }, { EUR: ['AT', 'CH'], CHF: ['AT', 'CH'] }],
    [{ countries: lists }, lists]
  ]
  for (const [changes, countries] of cases) {
    t.strictSame(readContents(t, [{ ...swiss, ...changes }])[0]?.countries, countries)
  }
  const right =
    'a list of the countries delivered to, such as ["GB", "IE"], each once and the first preselected, or one for each currency such as ' +
    '{ "EUR": ["DE", "AT"], "CHF": ["CH"] }; by default that of locale'
  const price = { EUR: '5', CHF: '5' }
  const delivery = (...countries: string[]) => [{ id: 'post', label: 'Post', price, countries }]
  const refused: [changes: object, ...mistakes: string[]][] = [
    [
      { countries: { EUR: ['DE'], USD: ['US'] } },
      'countries: there is no list for CHF, which is in currencies; add one',
      'countries.USD: "USD" is not in currencies; add it there, or leave this list out'
    ],
    [
      { countries: {}, delivery: delivery('DE') },
      'countries: there is no list for EUR, which is in currencies; add one',
      'countries: there is no list for CHF, which is in currencies; add one'
    ],
    [
      { countries: { EUR: ['DE', 'AT'] }, delivery: delivery('DE', 'CH') },
      'countries: there is no list for CHF, which is in currencies; add one'
    ],
    [
      { countries: { EUR: ['DE', 'UK'], CHF: ['CH'] } },
      'countries.EUR[1]: it is "UK"; give an ISO 3166-1 code such as "GB"'
    ],
    [{ countries: { EUR: ['DE'], CHF: [] } }, `countries: it is {"EUR":["DE"],"CHF":[]}; give ${right}`],
    [{ countries: { EUR: 'DE', CHF: ['CH'] } }, `countries: it is {"EUR":"DE","CHF":["CH"]}; give ${right}`],
    [{ countries: [] }, `countries: it is []; give ${right}`],
    [
      { countries: lists, delivery: delivery('DE', 'AT', 'CH', 'FR') },
      'delivery[0].countries[3]: it is "FR"; give one of DE, AT, CH, LI, the "countries" of the shop, or add it there'
    ],
    [
      { countries: lists, delivery: delivery('DE', 'AT', 'CH') },
      'countries.CHF[1]: no delivery method delivers to "LI"; add it to the countries of one, or leave it out here'
    ],
    [
      { delivery: delivery('AT') },
      'delivery[0].countries[0]: it is "AT"; give one of DE, the "countries" of the shop, or add it there'
    ]
  ]
  for (const [changes, ...mistakes] of refused) {
    const found = mistakesIn(t, [{ ...swiss, ...changes }]).map(line => line.replace(/^a\.json:\d+: /, ''))
    t.strictSame(found, mistakes)
  }
})

t.test('delivery methods have a price in every currency, in minor units', async t => {
  const several = { currencies: ['GBP', 'JPY', 'BHD'] }
  const price = { GBP: '4.50', JPY: '600', BHD: '0' }
  const post = { id: 'post', label: 'Post' }
  const cases: [object, Merchant['delivery']][] = [
    [{ delivery: [POST] }, { GBP: [{ ...post, price: 450 }] }],
    [{ delivery: [] }, { GBP: [] }],
    [{}, { GBP: [] }],
    [{ delivery: [{ ...POST, price: '0' }] }, { GBP: [{ ...post, price: 0 }] }],
    [{ delivery: [{ ...POST, price: { GBP: '5' } }] }, { GBP: [{ ...post, price: 500 }] }],
    [{ delivery: [{ ...POST, days: [3, 5] }] }, { GBP: [{ ...post, price: 450, days: [3, 5] }] }],
    [
      {
        countries: ['GB', 'IE'],
        delivery: [
          { ...POST, countries: ['IE'], freeFrom: '50' },
          { ...POST, id: 'van' }
        ]
      },
      {
        GBP: [
          { ...post, price: 450, freeFrom: 5000, countries: ['IE'] },
          { ...post, id: 'van', price: 450 }
        ]
      }
    ],
    [
      { ...several, delivery: [{ ...POST, price, freeFrom: { GBP: '50', JPY: '9000', BHD: '0' } }] },
      {
        GBP: [{ ...post, price: 450, freeFrom: 5000 }],
        JPY: [{ ...post, price: 600, freeFrom: 9000 }],
        BHD: [{ ...post, price: 0, freeFrom: 0 }]
      }
    ]
  ]
  for (const [changes, delivery] of cases) {
    const [merchant] = readContents(t, [{ ...merchantFile('1'), ...changes }])
    t.strictSame(merchant?.delivery, delivery, JSON.stringify(changes))
  }
})

t.test('a payment text is read', async t => {
  const texts = (payment?: { text: string }) =>
    readContents(t, [merchantFile('1', payment && { payment })]).map(({ texts }) => texts)
  t.strictSame(texts(), [{}])
  t.strictSame(texts({ text: 'Pay on delivery' }), [{ paymentText: 'Pay on delivery' }])
  refuses(t, 'payment', [
    [{}, 'missing; give a note', 'payment.text'],
    ['Pay', 'it is "Pay"; give an object']
  ])
})

t.test('a delivery method that cannot work is refused', async t => {
  const delivery = { settings: { delivery: [POST] } }
  const two = { settings: { currencies: ['GBP', 'JPY'], delivery: [{ ...POST, price: { GBP: '5', JPY: '5' } }] } }
  refuses(
    t,
    'delivery[0].price',
    [
      ['4,50', 'GBP is "4,50"; give an amount such as "4.50"'],
      ['-1', 'GBP is "-1"; give'],
      ['4.505', 'GBP is "4.505"; give'],
      [{}, 'there is none in GBP; give an amount such as "4.50"'],
      [4.5, 'it is 4.5; give the charge, "0" if it is free: an amount']
    ],
    delivery
  )
  refuses(t, 'delivery[0].price', [[{ GBP: '5', JPY: '5.5' }, 'JPY is "5.5"; give an amount such as "450"']], two)
  const [eachCurrency] = mistakesIn(t, [merchantFile('1', { currencies: ['GBP', 'JPY'], delivery: [POST] })])
  t.match(eachCurrency, /delivery\[0\]\.price: give an amount for each of GBP, JPY/)
  refuses(t, 'delivery[0].freeFrom', [['x', 'GBP is "x"; give an amount such as "4.50"']], delivery)
  refuses(t, 'delivery[0].freeFrom', [[{ GBP: '9' }, 'there is none in JPY']], two)
  refuses(t, 'delivery[0].countries', [[[], 'it is []; give a list']], delivery)
  refuses(t, 'delivery[0].id', [['Post 1', 'it is "Post 1"; give a name for orders']], delivery)
  refuses(t, 'delivery[0].label', [['', 'it is ""; give']], delivery)
  refuses(t, 'delivery[0].hours', [[3, 'unknown key']], delivery)
  refuses(
    t,
    'delivery[0].days',
    [
      [3, 'it is 3; give the fewest and the most working days it takes'],
      [[3], 'it is [3]; give the fewest and the most working days it takes'],
      [[-1, 1], 'it is -1; give whole working days from 0', 'delivery[0].days[0]'],
      [[5, 3], 'it is [5, 3]; give the smaller number first'],
      [[[5], 3], 'it is [5]; give whole working days', 'delivery[0].days[0]']
    ],
    delivery
  )
  refuses(t, 'delivery', [
    [[POST, POST], `"post" is another method's id too; give each its own`, 'delivery[1].id'],
    [
      [POST, { ...POST, id: 'van', countries: ['GB', 'US'] }],
      'it is "US"; give one of GB, the "countries" of the shop, or add it there',
      'delivery[1].countries[1]'
    ]
  ])
})

t.test('a delivery method delivers to each country', async t => {
  const only = (...countries: string[]) => ({ settings: { delivery: [{ ...POST, countries }] } })
  const remedy = 'no delivery method delivers to "IE"; add it to the countries of one, or leave it out here'
  refuses(t, 'countries', [[['GB', 'IE'], remedy, 'countries[1]']], only('GB'))
  const onlyIreland = { countries: ['GB', 'IE'], delivery: [{ ...POST, countries: ['IE'] }] }
  const nowhere = mistakesIn(t, [merchantFile('1', onlyIreland)])
  t.match(nowhere.join('\n'), /countries\[0\]: no delivery method delivers to "GB"/)
  const misspelt = mistakesIn(t, [merchantFile('1', { delivery: [{ ...POST, countries: ['UK'] }] })])
  t.match(misspelt, [/delivery\[0\]\.countries\[0\]: it is "UK"; give an ISO 3166-1 code such as "GB"$/])
  t.equal(misspelt.length, 1, 'a misspelt country is not also one without delivery')
  refuses(t, 'currencies', [[['XXX'], 'it is "XXX"; give', 'currencies[0]']], { settings: { delivery: [POST] } })
})

t.test('delivery has dates in a time zone that exists, without days off that are real', async t => {
  const delivery = [POST, { ...POST, id: 'van', days: [1, 2] }]
  const datesOf = (deliveryDates: object) =>
    readContents(t, [merchantFile('1', { checkout: { deliveryDates }, delivery })])[0]?.checkout.deliveryDates
  const timeZone = 'Asia/Tokyo'
  t.strictSame(datesOf({ timeZone }), { timeZone, daysOff: ['sat', 'sun'] })
  const daysOff = ['fri', '02-29', '12-25', '2026-12-28']
  t.strictSame(datesOf({ timeZone, daysOff }), { timeZone, daysOff })
  const nothingToDate = 'no method in "delivery" has "days"; give it some, or leave this out'
  for (const undated of [undefined, [POST]]) {
    refuses(t, 'checkout.deliveryDates', [[{ timeZone }, nothingToDate]], { settings: { delivery: undated } })
  }
  const dated = { settings: { delivery } }
  refuses(
    t,
    'checkout.deliveryDates',
    [
      [{}, 'missing; give the time zone of delivery dates, such as "Europe/London"', 'checkout.deliveryDates.timeZone'],
      [
        { timeZone: 'Europe/Atlantis' },
        'it is "Europe/Atlantis"; give a time zone such as "Europe/London"',
        'checkout.deliveryDates.timeZone'
      ],
      [{ timeZone: 'BST' }, 'it is "BST"; give a time zone', 'checkout.deliveryDates.timeZone']
    ],
    dated
  )
  const week = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun']
  const cases: [daysOff: string[], mistake: string, key?: string][] = [
    [['sunday'], 'it is "sunday"; give a weekday such as "sun", a date', '[0]'],
    [['sat', '02-30'], 'there is no "02-30"; give a date such as "12-25"', '[1]'],
    [['2026-02-29'], 'there is no "2026-02-29"; give a date such as "12-25"', '[0]'],
    [['13-01'], 'there is no "13-01"', '[0]'],
    [week, 'it has every day of the week; leave out those on which something is sent', '']
  ]
  for (const [daysOff, mistake, key] of cases) {
    const place = `checkout.deliveryDates.daysOff${key}`
    refuses(t, 'checkout.deliveryDates', [[{ timeZone, daysOff }, mistake, place]], dated)
  }
})
