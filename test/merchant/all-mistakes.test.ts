// The mistakes of a file come all at once, whatever finds them; what depends on a wrong setting waits until that is right.
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
    look: {},
    orders: {}
  },
  VALID
)

/** A setting, a wrong value of it, and the settings that are needed to see that it is wrong. */
type Wrong = [key: string, value: unknown, needs?: string[]]

const WRONG: Wrong[] = [
  ['id', 'Shop'],
  ['name', ''],
  ['publicUrl', 'https://shop.example/app/'],
  ['locale', 'en_GB'],
  ['locales', ['de', 'it-IT']],
  ['currencies', ['GBP', 'EURO']],
  ['countries', ['GB', 'UK']],
  ['transfer.option', '9'],
  ['transfer.path', '/checkout/cart', ['checkout.path']],
  ['transfer.maxItems', 0],
  ['transfer.description.headers[0].name', 'Content-Type', ['transfer.option']],
  ['catalogue.feed', 'ftp://shop.example/feed'],
  ['catalogue.refreshMinutes', 0],
  ['catalogue.credentialsVariable', 'NOWHERE'],
  ['checkout.path', 'checkout'],
  ['checkout.continueShoppingUrl', 'continue'],
  ['checkout.completeTitle', 'Checkout', ['name', 'locale', 'locales']],
  ['checkout.maxTotal', { GBP: 'x', EUR: '1' }],
  ['checkout.taxText', 5],
  ['checkout.payment.secretVariable', 'NOWHERE'],
  ['checkout.payment.webhookSecretVariable', 'KEY'],
  ['checkout.payment.apiUrl', 'https://stripe.example'],
  ['checkout.payment.pageOrigin', 'http://pay.example'],
  ['checkout.payment.expiresAfterMinutes', 5],
  ['checkout.deliveryDates.timeZone', 'CET'],
  ['checkout.deliveryDates.daysOff', ['02-30']],
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
  ['look.hero', 'none.jpg'],
  ['look.fontFile', 'none.woff2'],
  ['look.weight', 350],
  ['look.headings', 'huge'],
  ['look.pictures', 'round'],
  ['look.radius', 25],
  ['orders.eraseAfterDays', 0],
  ['views', 'nowhere'],
  ['colour', 'blue']
]

function checkAll(t: Test, file: object, wrong: Wrong[], samples: number) {
  const found = (settings: Record<string, unknown>) =>
    mistakesIn(t, [changed(settings, file)], variables).map(line => line.replace(/^a\.json:\d+: /, ''))
  t.strictSame(found({}), [])
  const alone = new Map(wrong.map(([key, value]) => [key, found({ [key]: value })]))
  for (const [key, mistakes] of alone) t.ok(mistakes.length > 0 && mistakes.every(one => one.startsWith(key)), key)
  const check = (some: Wrong[]) => {
    const keys = some.map(([key]) => key)
    const seen = some.filter(([, , needs = []]) => !needs.some(key => keys.includes(key)))
    const expected = seen.flatMap(([key]) => alone.get(key) ?? [])
    t.strictSame(found(Object.fromEntries(some)).sort(), expected.sort(), keys.join())
  }
  check(wrong)
  for (const [key, value, needs = []] of wrong)
    check([[key, value, needs], ...wrong.filter(([other]) => needs.includes(other))])
  for (const some of fc.sample(fc.subarray(wrong, { minLength: 2 }), samples)) check(some)
}

t.test('any mistakes in a file are all found, and none that only follows from another', async t => {
  checkAll(t, FILE, WRONG, 100)
})

t.test('where currencies are missing, only what needs them waits', async t => {
  const settings: Wrong[] = [
    ['publicUrl', '/simulator'],
    ['currencies', undefined],
    ['transfer.path', 'cart'],
    ['checkout.payment.secretVariable', 'NOWHERE'],
    ['checkout.payment.webhookSecretVariable', 'KEY'],
    ['checkout.payment.pageOrigin', 'http://pay.example'],
    ['delivery[0].price', { GBP: '1' }, ['currencies']]
  ]
  checkAll(t, FILE, settings, 20)
})

t.test('where it is not known on whose page shoppers check out, only what needs that waits', async t => {
  for (const [key, value] of [
    ['checkout', 5],
    ['checkout.destination', { type: 'shopify' }]
  ] as const) {
    const others: Wrong[] = [
      ['publicUrl', '/simulator'],
      ['transfer.path', '/checkout', [key]]
    ]
    checkAll(t, VALID, [[key, value], ...others], 5)
  }
})

t.test('the same where bags lead to a shop', async t => {
  const page = 'https://shop.example/checkout'
  const region = (id: string) => ({ id, pageUrl: `${page}/{cart}` })
  const medusa = { publishableKey: 'pk_1', regions: { GBP: region('reg_1'), EUR: region('reg_2') } }
  const kinds: Record<string, [settings: object, ...wrong: Wrong[]]> = {
    hook: [{}],
    woocommerce: [{}],
    medusa: [
      medusa,
      ['publishableKey', ''],
      ['regions.EUR.pageUrl', 'http://shop.example/{cart}'],
      ['regions.USD', region('reg_3'), ['currencies']]
    ],
    vendure: [
      { pageUrl: `${page}/{token}` },
      ['pageUrl', 'http://shop.example/{token}', ['checkout.destination.tokenCookie']],
      ['tokenCookie', 'a=b']
    ]
  }
  for (const [type, [more, ...wrong]] of Object.entries(kinds)) {
    const destination = { type, url: 'https://shop.example', secretVariable: 'SECRET', ...more }
    const { continueShoppingUrl } = VALID.checkout
    const file = { ...VALID, currencies: ['GBP', 'EUR'], look: {}, checkout: { continueShoppingUrl, destination } }
    const own: Wrong[] = [
      ...wrong,
      ['url', 'http://shop.example'],
      ['secretVariable', 'NOWHERE'],
      ['timeoutSeconds', 11]
    ]
    const settings: Wrong[] = [
      ['publicUrl', '/simulator'],
      ['currencies', undefined],
      ['transfer', { path: '/cart' }],
      ['look.logo', 'none.svg'],
      ['checkout.expiresAfterMinutes', 0],
      ...own.map(([key, ...others]): Wrong => [`checkout.destination.${key}`, ...others])
    ]
    checkAll(t, changed({ 'transfer.description': undefined }, file), settings, 20)
    checkAll(
      t,
      changed({ 'transfer.description': undefined }, file),
      settings.with(1, ['currencies', ['GBP', 'X']]),
      20
    )
  }
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
