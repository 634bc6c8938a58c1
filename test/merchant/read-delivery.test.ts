// The settings for orders in a merchant file: countries, delivery methods, their prices, and payment.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { destinations } from '../../src/destination/index.ts'
import type { Merchant } from '../../src/merchant/merchant.ts'
import { readMerchantFiles } from '../../src/merchant/merchant-file.ts'
import { transferOptions } from '../../src/transfer/index.ts'
import { merchantFile } from '../build.ts'

const POST = { id: 'post', label: 'Post', price: '4.50' }

function read(t: Test, changes: object) {
  const file = join(t.testdirName, 'shop.json')
  writeFileSync(file, JSON.stringify({ ...merchantFile('1'), ...changes }, null, 2))
  return readMerchantFiles([file], { options: transferOptions, destinations })[0]
}

t.test('by default, a merchant delivers to the country of its locale, without methods or payment text', async t => {
  t.testdir({})
  const merchant = read(t, {})
  t.match(merchant, { countries: ['GB'], delivery: [] })
  t.strictSame(merchant?.texts, {})
})

t.test('countries: those in the file, in order, or else that of the locale', async t => {
  t.testdir({})
  const cases: [object, string[]][] = [
    [{ countries: ['IE', 'GB', 'FR'] }, ['IE', 'GB', 'FR']],
    [{ locale: 'de-AT' }, ['AT']],
    [{ locale: 'ja' }, ['JP']],
    [{ locale: 'zh-Hant' }, ['TW']],
    [{ locale: 'de-AT', countries: ['CH'] }, ['CH']]
  ]
  for (const [changes, countries] of cases) t.strictSame(read(t, changes)?.countries, countries)
})

t.test('delivery methods have a price in every currency, in minor units', async t => {
  t.testdir({})
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
    [{ delivery: [{ ...POST, days: [0, 0] }] }, { GBP: [{ ...post, price: 450, days: [0, 0] }] }],
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
    ],
    [
      { ...several, delivery: [{ ...POST, price }] },
      { GBP: [{ ...post, price: 450 }], JPY: [{ ...post, price: 600 }], BHD: [{ ...post, price: 0 }] }
    ],
    [
      { delivery: [POST, { ...POST, id: 'van' }] },
      {
        GBP: [
          { ...post, price: 450 },
          { ...post, id: 'van', price: 450 }
        ]
      }
    ]
  ]
  for (const [changes, delivery] of cases) t.strictSame(read(t, changes)?.delivery, delivery, JSON.stringify(changes))
})

t.test('a payment text is read', async t => {
  t.testdir({})
  t.strictSame(read(t, { payment: { text: 'Pay on delivery' } })?.texts, { paymentText: 'Pay on delivery' })
})

t.test('invalid settings are refused with key and remedy', async t => {
  t.testdir({})
  const two = { currencies: ['GBP', 'JPY'] }
  const cases: [object, RegExp][] = [
    [{ countries: ['GB', 'UK'] }, /countries\[1\]: it is "UK"; give an ISO 3166-1 code such as "GB"/],
    [{ countries: ['gb'] }, /countries\[0\]: it is "gb"; give/],
    [{ countries: ['ZZ'] }, /countries\[0\]: it is "ZZ"; give/],
    [{ countries: [] }, /countries: it is \[\]; give a list/],
    [{ countries: ['GB', 'GB'] }, /countries: /],
    [{ countries: 'GB' }, /countries: it is "GB"; give a list/],
    [{ locale: 'nonsense!' }, /locale: it is "nonsense!"; give a language tag/],
    [{ delivery: [POST, POST] }, /delivery\[1\]\.id: "post" is another method's id too; give each its own/],
    [{ delivery: [{ ...POST, price: '4,50' }] }, /delivery\[0\]\.price: GBP is "4,50"; give an amount such as "4\.50"/],
    [{ delivery: [{ ...POST, price: '-1' }] }, /delivery\[0\]\.price: GBP is "-1"; give/],
    [{ delivery: [{ ...POST, price: '4.505' }] }, /delivery\[0\]\.price: GBP is "4\.505"; give/],
    [
      { delivery: [{ ...POST, price: {} }] },
      /delivery\[0\]\.price: there is none in GBP; give an amount such as "4\.50"/
    ],
    [{ delivery: [{ ...POST, price: 4.5 }] }, /delivery\[0\]\.price: it is 4\.5; give what it costs: an amount/],
    [{ ...two, delivery: [{ ...POST, price: '5' }] }, /delivery\[0\]\.price: give an amount for each of GBP, JPY/],
    [
      { ...two, delivery: [{ ...POST, price: { GBP: '5', JPY: '5.5' } }] },
      /delivery\[0\]\.price: JPY is "5\.5"; give an amount such as "450"/
    ],
    [{ delivery: [{ ...POST, freeFrom: 'x' }] }, /delivery\[0\]\.freeFrom: GBP is "x"; give an amount such as "4\.50"/],
    [
      { ...two, delivery: [{ ...POST, price: { GBP: '5', JPY: '5' }, freeFrom: { GBP: '9' } }] },
      /freeFrom: there is none in JPY/
    ],
    [{ delivery: [{ ...POST, countries: [] }] }, /delivery\[0\]\.countries: it is \[\]; give a list/],
    [
      { countries: ['GB', 'IE'], delivery: [{ ...POST, countries: ['GB'] }] },
      /shop\.json:\d+: countries\[1\]: no delivery method delivers to "IE"; add it to the countries of one, or leave it out/
    ],
    [
      { countries: ['GB'], delivery: [POST, { ...POST, id: 'van', countries: ['GB', 'US'] }] },
      /delivery\[1\]\.countries\[1\]: it is "US"; give one of GB, the "countries" of the shop, or add it there/
    ],
    [{ delivery: [{ ...POST, countries: ['FR'] }] }, /delivery: no delivery method delivers to "GB"/],
    [{ currencies: ['XXX'], delivery: [POST] }, /currencies\[0\]: it is "XXX"; give/],
    [{ delivery: [{ ...POST, id: 'Post 1' }] }, /delivery\[0\]\.id: it is "Post 1"; give a name for orders/],
    [{ delivery: [{ ...POST, label: '' }] }, /delivery\[0\]\.label: it is ""; give/],
    [{ delivery: [{ ...POST, hours: 3 }] }, /delivery\[0\]\.hours: unknown key/],
    [{ delivery: [{ ...POST, days: 3 }] }, /delivery\[0\]\.days: it is 3; give how many working days it takes/],
    [{ delivery: [{ ...POST, days: [3] }] }, /delivery\[0\]\.days: it is \[3\]; give how many working days it takes/],
    [{ delivery: [{ ...POST, days: [-1, 1] }] }, /delivery\[0\]\.days\[0\]: it is -1; give whole working days from 0/],
    [{ delivery: [{ ...POST, days: [5, 3] }] }, /delivery\[0\]\.days: it is \[5, 3\]; give the smaller number first/],
    [{ payment: {} }, /payment\.text: missing; give a sentence/],
    [{ payment: 'Pay' }, /payment: it is "Pay"; give an object/]
  ]
  for (const [changes, message] of cases) t.throws(() => read(t, changes), { message }, JSON.stringify(changes))
})
