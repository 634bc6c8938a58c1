// The mistakes of a file come all at once, whatever finds them; what depends on a wrong setting waits until that is right.
import fc from 'fast-check'
import t from 'tap'
import { changed, mistakesIn, VALID } from './settings.ts'

const variables = { SECRET: `whsec_${Buffer.alloc(32, 1).toString('base64')}`, KEY: 'sk_test_4eC39HqLyjWDarjtT1zdp7dc' }

const FILE = changed(
  {
    locales: ['de'],
    currencies: ['GBP', 'EUR'],
    countries: ['GB', 'IE'],
    'checkout.maxTotal': { GBP: '100', EUR: '120' },
    'checkout.taxText': { en: 'Taxes', de: 'Steuern' },
    'checkout.payment': { provider: 'stripe', secretVariable: 'KEY', webhookSecretVariable: 'SECRET' },
    delivery: [
      { id: 'post', label: 'Post', price: { GBP: '4', EUR: '5' } },
      { id: 'courier', label: 'Courier', price: { GBP: '8', EUR: '9' } }
    ],
    payment: { text: { en: 'Pay on delivery', de: 'Nachnahme' } },
    webhook: { url: 'https://acme.example/hooks', secretVariable: 'SECRET' },
    messages: { en: {}, de: {} },
    links: {},
    look: {},
    orders: {}
  },
  VALID
)

/** A setting, a wrong value of it, and the settings that are needed to see that it is wrong. */
const WRONG: [key: string, value: unknown, needs?: string[]][] = [
  ['id', 'Shop'],
  ['name', ''],
  ['publicUrl', 'https://shop.example/app/'],
  ['locale', 'en_GB'],
  ['locales', ['de', 'it-IT']],
  ['currencies', ['GBP', 'EURO']],
  ['countries', ['GB', 'UK']],
  ['transfer.option', '9'],
  ['transfer.path', '/checkout/cart', ['publicUrl', 'checkout.path']],
  ['transfer.maxItems', 0],
  ['transfer.description.headers[0].name', 'Content-Type', ['transfer.option']],
  ['catalogue.feed', 'ftp://shop.example/feed'],
  ['catalogue.refreshMinutes', 0],
  ['checkout.path', 'checkout'],
  ['checkout.continueShoppingUrl', 'continue'],
  ['checkout.completeTitle', 'Checkout', ['name', 'locale', 'locales']],
  ['checkout.maxTotal', { GBP: 'x', EUR: '1' }],
  ['checkout.taxText', 5],
  ['checkout.payment.secretVariable', 'NOWHERE'],
  ['checkout.payment.webhookSecretVariable', 'KEY'],
  ['checkout.payment.apiUrl', 'https://stripe.example', ['currencies']],
  ['checkout.payment.pageOrigin', 'http://pay.example', ['currencies']],
  ['checkout.payment.expiresAfterMinutes', 5],
  ['delivery[0].price', { GBP: '1' }, ['currencies']],
  ['delivery[0].days', [5, 2]],
  ['delivery[0].label', { en: 'Post' }],
  ['delivery[1].id', 'post'],
  ['delivery[1].countries', ['FR'], ['countries']],
  ['delivery[1].freeFrom', 20],
  ['payment.text', { en: 'Pay', de: 'Zahlen', fr: 'Payer' }, ['locale', 'locales']],
  ['webhook.url', 'ftp://acme.example'],
  ['webhook.secretVariable', 'NOWHERE'],
  ['messages.en.total', '{'],
  ['messages.en.order', '{nummer}'],
  ['messages.fr', {}, ['locale', 'locales']],
  ['links.terms', 'http://shop.example'],
  ['links.imprint', { en: '/imprint', de: 'https://shop.example' }],
  ['look.light', { accent: '#767676' }],
  ['look.dark', true],
  ['look.logo', 'none.svg'],
  ['look.radius', 25],
  ['orders.eraseAfterDays', 0],
  ['views', 'nowhere'],
  ['colour', 'blue']
]

t.test('any mistakes in a file are all found, and none that only follows from another', async t => {
  const found = (settings: Record<string, unknown>) =>
    mistakesIn(t, [changed(settings, FILE)], variables).map(line => line.replace(/^a\.json:\d+: /, ''))
  t.strictSame(found({}), [])
  const alone = new Map(WRONG.map(([key, value]) => [key, found({ [key]: value })]))
  for (const [key, mistakes] of alone) t.ok(mistakes.length > 0 && mistakes.every(one => one.startsWith(key)), key)
  const check = (some: typeof WRONG) => {
    const keys = some.map(([key]) => key)
    const seen = some.filter(([, , needs = []]) => !needs.some(key => keys.includes(key)))
    const expected = seen.flatMap(([key]) => alone.get(key) ?? [])
    t.strictSame(found(Object.fromEntries(some)).sort(), expected.sort(), keys.join())
  }
  check(WRONG)
  for (const [key, value, needs = []] of WRONG)
    check([[key, value, needs], ...WRONG.filter(([other]) => needs.includes(other))])
  for (const some of fc.sample(fc.subarray(WRONG, { minLength: 2 }), 100)) check(some)
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
    t.match(found, /^a\.json:\d+: transfer\.option: it is "1A"; give one of "1", "2A", "2B"$/)
    t.strictSame(others, [])
  }
})

t.test('mistakes are told in the order of the files and of their lines', async t => {
  const contents = [
    changed({ name: '', 'checkout.path': 'checkout', currencies: ['X'] }, FILE),
    changed({ id: 'B', locale: '' }, FILE)
  ]
  const lines = mistakesIn(t, contents, variables).map(line => line.replace(/: .*/, ''))
  t.strictSame(
    lines,
    lines.toSorted((a, b) => a.localeCompare(b, 'en', { numeric: true }))
  )
  t.equal(lines.length, 6, lines.join())
})
