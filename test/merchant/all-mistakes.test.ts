// The mistakes of files come in two rounds: all that are wrong by the schema, of every file; then, if there are none, all that
// a schema cannot know. None only follows from another.
import fc from 'fast-check'
import t, { type Test } from 'tap'
import { transferOptions } from '../../src/transfer/index.ts'
import { changed, mistakesIn, VALID } from './settings.ts'

const variables = { SECRET: `whsec_${Buffer.alloc(32, 1).toString('base64')}`, KEY: 'sk_test_4eC39HqLyjWDarjtT1zdp7dc' }

const FILE = changed(
  {
    locales: ['de'],
    currencies: ['GBP', 'EUR'],
    countries: ['GB', 'IE'],
    'catalogue.feed': 'https://shop.example/feed',
    'checkout.maxTotal': { GBP: '100', EUR: '120' },
    'checkout.taxText': { en: 'Taxes', de: 'Steuern' },
    'checkout.deliveryDates': { timeZone: 'UTC' },
    'checkout.payment': { provider: 'stripe', secretVariable: 'KEY', webhookSecretVariable: 'SECRET' },
    delivery: [
      { id: 'post', label: 'Post', price: { GBP: '4', EUR: '5' }, days: [1, 2] },
      { id: 'courier', label: 'Courier', price: { GBP: '8', EUR: '9' } }
    ],
    payment: { text: { en: 'Pay on delivery', de: 'Nachnahme' } },
    webhook: { url: 'https://acme.example/hooks', secretVariable: 'SECRET' },
    messages: { en: {}, de: {} },
    links: {},
    theme: {},
    orders: {}
  },
  VALID
)

/** A setting, and a wrong value of it. */
type Wrong = [key: string, value: unknown]

const BY_SCHEMA: Wrong[] = [
  ['id', 'Shop'],
  ['name', ''],
  ['publicUrl', 'https://shop.example/app/'],
  ['locale', 'en_GB'],
  ['locales', ['de', 'it-IT']],
  ['currencies', ['GBP', 'EURO']],
  ['countries', ['GB', 'UK']],
  ['transfer.path', '/cart/'],
  ['transfer.maxItems', 0],
  ['catalogue.feed', 5],
  ['catalogue.refreshMinutes', 0],
  ['checkout.path', 'checkout'],
  ['checkout.continueShoppingUrl', 'continue'],
  ['checkout.shopUrl', 'shop://continue'],
  ['checkout.taxText', 5],
  ['checkout.payment.expiresAfterMinutes', 5],
  ['checkout.deliveryDates.timeZone', 'CET'],
  ['checkout.deliveryDates.daysOff', ['02-30']],
  ['delivery[0].days', [5, 2]],
  ['delivery[1].freeFrom', 20],
  ['webhook.url', 'ftp://acme.example'],
  ['messages.en.total', '{'],
  ['messages.de.order', '{nummer}'],
  ['messages.it', { total: '{' }],
  ['links.terms', 'http://shop.example'],
  ['links.imprint', { en: '/imprint', de: 'https://shop.example' }],
  ['theme.dark', true],
  ['theme.weight', 350],
  ['theme.headings', 'huge'],
  ['orders.eraseAfterDays', 0],
  ['colour', 'blue']
]

const BEYOND_SCHEMA: Wrong[] = [
  ['publicUrl', '/simulator'],
  ['locales', ['de', 'de-DE', 'de-de']],
  ['transfer.path', '/checkout/cart'],
  ['transfer.description.headers[0].name', 'Content-Type'],
  ['catalogue.feed', 'ftp://shop.example/feed'],
  ['catalogue.credentialsVariable', 'NOWHERE'],
  ['checkout.completeTitle', 'Checkout'],
  ['checkout.maxTotal', { GBP: 'x', EUR: '1' }],
  ['checkout.payment.secretVariable', 'NOWHERE'],
  ['checkout.payment.webhookSecretVariable', 'KEY'],
  ['checkout.payment.apiUrl', 'https://stripe.example'],
  ['checkout.payment.pageOrigin', 'http://pay.example'],
  ['delivery[0].price', { GBP: '1' }],
  ['delivery[0].label', { en: 'Post' }],
  ['delivery[1].id', 'post'],
  ['delivery[1].countries', ['FR']],
  ['payment.text', { en: 'Pay', de: 'Zahlen', fr: 'Payer' }],
  ['webhook.secretVariable', 'NOWHERE'],
  ['messages.fr', {}],
  ['theme.light', { accent: '#767676' }],
  ['theme.logo', 'none.svg'],
  ['theme.hero', 'none.jpg'],
  ['theme.fontFile', 'none.woff2'],
  ['views', 'nowhere']
]

function checkAll(t: Test, file: object, wrong: Wrong[], samples: number) {
  const found = (settings: Record<string, unknown>) =>
    mistakesIn(t, [changed(settings, file)], variables).map(line => line.replace(/^a\.json:\d+: /, ''))
  t.strictSame(found({}), [])
  const alone = new Map(wrong.map(([key, value]) => [key, found({ [key]: value })]))
  for (const [key, mistakes] of alone) t.ok(mistakes.length > 0 && mistakes.every(one => one.startsWith(key)), key)
  const check = (some: Wrong[]) => {
    const expected = some.flatMap(([key]) => alone.get(key) ?? [])
    t.strictSame(found(Object.fromEntries(some)).sort(), expected.sort(), some.map(([key]) => key).join())
  }
  check(wrong)
  for (const some of fc.sample(fc.subarray(wrong, { minLength: 2 }), samples)) check(some)
  return alone
}

t.test('any mistakes of a round are all found, and none that only follows from another', async t => {
  const first = checkAll(t, FILE, BY_SCHEMA, 50)
  checkAll(t, FILE, BEYOND_SCHEMA, 50)
  const isFirst = (key: string) => BY_SCHEMA.some(([other]) => other.startsWith(key) || key.startsWith(other))
  const second = Object.fromEntries(BEYOND_SCHEMA.filter(([key]) => !isFirst(key)))
  for (const [key, value] of BY_SCHEMA) {
    const found = mistakesIn(t, [changed({ ...second, [key]: value }, FILE)], variables)
    t.strictSame(
      found.map(line => line.replace(/^a\.json:\d+: /, '')),
      first.get(key),
      `${key}: the second round waits`
    )
  }
})

t.test('the same where bags lead to a shop', async t => {
  const region = (id: string) => ({ id, pageUrl: 'https://shop.example/checkout/{cart}' })
  const regions = { GBP: region('reg_1'), EUR: region('reg_2') }
  const shop = { type: 'medusa', url: 'https://shop.example', publishableKey: 'pk_1', regions }
  const { continueShoppingUrl } = VALID.checkout
  const checkout = { continueShoppingUrl, destination: { ...shop, secretVariable: 'SECRET' } }
  const content = { ...VALID, currencies: ['GBP', 'EUR'], theme: {}, checkout }
  const file = changed({ 'transfer.description': undefined }, content)
  const bySchema: Wrong[] = [
    ['currencies', undefined],
    ['transfer', { path: '/cart' }],
    ['theme.hero', 'none.svg'],
    ['orders', {}],
    ['checkout.expiresAfterMinutes', 0],
    ['checkout.destination.url', 5],
    ['checkout.destination.timeoutSeconds', 11],
    ['checkout.destination.token', 'x']
  ]
  checkAll(t, file, bySchema, 20)
  const beyondSchema: Wrong[] = [
    ['publicUrl', '/simulator'],
    ['theme.logo', 'none.svg'],
    ['checkout.destination.publishableKey', 'sk_1'],
    ['checkout.destination.regions.EUR.pageUrl', 'http://shop.example/{cart}'],
    ['checkout.destination.regions.USD', region('reg_3')],
    ['checkout.destination.url', 'http://shop.example'],
    ['checkout.destination.secretVariable', 'NOWHERE']
  ]
  checkAll(t, file, beyondSchema, 20)
})

t.test('of a part whose kind is unknown, only the kind is reported, whatever else is in it', async t => {
  for (const authentication of [
    { type: 'bearer', secretVariable: 'X' },
    { type: 'bearer', secretVariables: 5 },
    { type: 'bearer', secretVariables: [{}] },
    5
  ]) {
    const content = changed({ transfer: { option: '1A', path: '/cart', authentication, description: 5 } }, FILE)
    const [found, ...others] = mistakesIn(t, [content], variables)
    const names = transferOptions.map(({ name }) => `"${name}"`).join(', ')
    t.match(found, new RegExp(`^a\\.json:\\d+: transfer\\.option: it is "1A"; give one of ${names}$`))
    t.strictSame(others, [])
  }
})

t.test('mistakes are told in the order of the files and of their lines, each round for all files', async t => {
  const placesOf = (...contents: (object | string)[]) =>
    mistakesIn(t, contents, variables).map(line => line.split(': ').slice(0, 2).join(' '))
  const other = changed({ id: 'shop', publicUrl: '/app/inside', views: 'nowhere' })
  t.strictSame(placesOf(changed({ name: '', 'checkout.path': 'checkout', currencies: ['X'] }), 'no JSON', other), [
    ...['a.json:3 name', 'a.json:7 currencies[0]', 'a.json:32 checkout.path'],
    'b.json:1 column 1'
  ])
  t.strictSame(placesOf(changed({ 'theme.logo': 'none.svg' }), other), [
    ...['a.json:36 theme.logo', 'b.json:2 id', 'b.json:4 publicUrl', 'b.json:35 views']
  ])
})
