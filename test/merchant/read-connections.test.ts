// What a merchant is connected with, as its file names it: how the platform proves who it is, where orders are sent, where
// carts lead. The file names the variables of the secrets, never a secret itself.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { destinations } from '../../src/integrations/destination/index.ts'
import { paymentProviders } from '../../src/integrations/payment/index.ts'
import { transferOptions } from '../../src/transfer/index.ts'
import { merchantFile } from '../build.ts'
import { readMerchantFiles } from '../read-merchants.ts'
import { accepts, changed, mistakesIn, readContents, refuses, type Settings } from './settings.ts'

const TOKEN = 'a-token-of-at-least-thirty-two-characters'
const SECRET = `whsec_${Buffer.alloc(32, 1).toString('base64')}`
const variables: Record<string, string> = {
  TOKEN,
  SECRET,
  OLD: `whsec_${Buffer.alloc(64, 9).toString('base64')}`,
  EMPTY: '',
  SPACED: `${TOKEN} ${TOKEN}`,
  TRAILING: `${TOKEN}\r`,
  AGAIN: TOKEN,
  WORD: 'sesame',
  BYTES_23: `whsec_${Buffer.alloc(23, 7).toString('base64')}`
}
const file = merchantFile('1')

function readWith(t: Test, settings: Settings) {
  return readContents(t, [changed(settings, file)], variables)[0]
}

t.test('one or two secrets are read from the environment, in the order of the file', async t => {
  const authenticated = (authentication: unknown) =>
    readWith(t, { 'transfer.authentication': authentication })?.ways[0].authentication
  t.strictSame(authenticated({ type: 'bearer', secretVariables: ['TOKEN'] }), {
    type: 'bearer',
    secrets: [{ variable: 'TOKEN', value: TOKEN }]
  })
  t.strictSame(authenticated({ type: 'standard-webhooks', secretVariables: ['SECRET', 'OLD'] }), {
    type: 'standard-webhooks',
    secrets: [
      { variable: 'SECRET', value: SECRET },
      { variable: 'OLD', value: variables.OLD }
    ]
  })
  t.equal(authenticated(undefined), undefined, 'by default there is none')
})

t.test('an authentication that cannot work is refused', async t => {
  const key = 'transfer.authentication'
  const list = `${key}.secretVariables`
  const bearer = (...secretVariables: string[]) => ({ type: 'bearer', secretVariables })
  const signed = (...secretVariables: string[]) => ({ type: 'standard-webhooks', secretVariables })
  refuses(
    t,
    key,
    [
      [
        { secretVariables: ['TOKEN'] },
        'missing; give the way in which the platform proves who it is: "bearer" or "standard-webhooks"',
        `${key}.type`
      ],
      [
        { ...bearer('TOKEN'), type: 'basic' },
        'it is "basic"; give the way in which the platform proves who it is: "bearer" or',
        `${key}.type`
      ],
      [{ type: 'bearer' }, 'missing; give a list of one or two names', list],
      [bearer(), 'it is []; give a list', list],
      [bearer('A', 'B', 'C'), 'one or two names', list],
      [bearer('A', 'A'), 'each once', list],
      [{ ...bearer('TOKEN'), secret: 'x' }, 'unknown key', `${key}.secret`],
      [bearer('TOKEN', 'NONE'), 'the environment variable NONE is not set; give it 32 to 512 random', `${list}[1]`],
      [bearer('EMPTY'), 'EMPTY is not set', `${list}[0]`],
      [bearer('WORD'), 'WORD is not a bearer token; give it 32', `${list}[0]`],
      [bearer('TRAILING'), 'TRAILING has white space at its start or end; give it 32 to 512 random', `${list}[0]`],
      [bearer('SPACED'), 'SPACED is not a bearer token', `${list}[0]`],
      [
        bearer('TOKEN', 'AGAIN'),
        'the environment variable AGAIN holds the same secret as TOKEN; give it another',
        `${list}[1]`
      ],
      [
        signed('BYTES_23'),
        'BYTES_23 is not a Standard Webhooks secret; give it "whsec_" and 24 to 64 random bytes in base64',
        `${list}[0]`
      ],
      [signed('TOKEN'), 'TOKEN is not a Standard Webhooks secret', `${list}[0]`]
    ],
    { file, variables }
  )
  // A web view can keep no secret.
  for (const option of ['2A', '2B']) {
    const whose = `it is for option "1" only, and this is "${option}"; leave it out`
    refuses(t, key, [[bearer('TOKEN'), whose]], { file: merchantFile(option), variables })
  }
})

const url = 'https://acme.example/hooks'

const HOOK = { type: 'hook', url: 'https://shop.example/carts', secretVariable: 'SECRET' }

/** What is in a file whose bags lead to a shop. */
const LEADING: Settings = { 'checkout.path': undefined, 'checkout.destination': HOOK }

t.test('a webhook is read with its secret; there is none by default', async t => {
  t.strictSame(readWith(t, { webhook: { url, secretVariable: 'SECRET' } })?.webhook, { url, secret: SECRET })
  t.equal(readWith(t, {})?.webhook, undefined)
  const webhook = { settings: { webhook: { url, secretVariable: 'SECRET' } }, file, variables }
  const local = ['http://127.0.0.1:9/hooks', 'http://localhost/hooks', 'http://192.168.1.5/hooks']
  accepts(t, 'webhook.url', [`${url}?shop=1&x=%20`, 'https://acme.example:8443', ...local], webhook)
})

t.test('a webhook that cannot work is refused', async t => {
  const webhook = { settings: { webhook: { url, secretVariable: 'SECRET' } }, file, variables }
  refuses(
    t,
    'webhook.url',
    [
      ['http://acme.example/', 'use https'],
      ['/hooks', 'give an address'],
      ['ftp://acme.example', 'give an address'],
      [
        'https://me@acme.example',
        'it is "https://…@acme.example"; give an address such as "https://acme.example/hooks", without user and fragment'
      ],
      ['https://:pw@acme.example', 'it is "https://…@acme.example"; give'],
      ['https://acme.example/#x', 'fragment'],
      [undefined, 'missing']
    ],
    webhook
  )
  refuses(
    t,
    'webhook.secretVariable',
    [
      [undefined, 'missing'],
      ['NONE', 'NONE is not set; give it "whsec_"'],
      ['EMPTY', 'EMPTY is not set'],
      ['BYTES_23', 'BYTES_23 is not a Standard Webhooks secret']
    ],
    webhook
  )
  refuses(t, 'webhook.secret', [['x', 'unknown key']], webhook)
})

t.test('a secret where the name of its variable belongs is not printed', async t => {
  const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
  const right = 'it is not the name of an environment variable; put the secret into one, and give the name of'
  const list = 'transfer.authentication.secretVariables'
  const cases: [key: string, settings: Settings, value?: unknown, place?: string, more?: typeof variables][] = [
    ['webhook.secretVariable', { webhook: { url } }],
    ['checkout.destination.secretVariable', { ...LEADING, catalogue: undefined }],
    ['catalogue.credentialsVariable', { 'catalogue.feed': 'https://a.example/' }],
    [list, { 'transfer.authentication': { type: 'bearer' } }, [secret], `${list}[0]`],
    [list, { 'transfer.authentication': { type: 'bearer' } }, ['A', { secret }], `${list}[1]`, { A: TOKEN }]
  ]
  for (const [key, settings, value = secret, place = key, more = {}] of cases) {
    refuses(t, key, [[value, right, place]], { settings, file, variables: { secret, ...more } })
  }
  for (const value of [secret, ['A', 'B', secret]]) {
    const content = changed({ 'transfer.authentication': { type: 'bearer', secretVariables: value } }, file)
    const [mistake] = mistakesIn(t, [content])
    t.match(mistake, /secretVariables: it is not the name of an environment variable; put .* and give a list of/)
    t.notMatch(mistake, 'MfKQ9r8')
  }
})

t.test('a secret is in the environment, or in a file that it names', async t => {
  const folder = t.testdir({ secret: `${SECRET}\n`, 'shop.json': '' })
  const path = join(folder, 'shop.json')
  writeFileSync(path, JSON.stringify({ ...file, webhook: { url, secretVariable: 'TEST_HOOK' } }))
  const read = () => readMerchantFiles([path], { options: transferOptions, destinations, providers: paymentProviders })
  t.throws(read, {
    message: /shop\.json:1: webhook\.secretVariable: .* TEST_HOOK is not set; .* TEST_HOOK_FILE to the path/
  })
  process.env.TEST_HOOK_FILE = join(folder, 'none')
  t.throws(read, {
    message: /shop\.json:1: webhook\.secretVariable: the file ".*none", which TEST_HOOK_FILE names, cannot/
  })
  process.env.TEST_HOOK_FILE = join(folder, 'secret')
  t.match(read(), [{ webhook: { secret: SECRET } }])
})

t.test('a destination is read with its secret and the default limits', async t => {
  t.match(readWith(t, LEADING)?.destination, {
    adapter: { name: 'hook' },
    settings: { ...HOOK, timeoutSeconds: 5, maxInProgress: 100 },
    secret: SECRET
  })
  const without = readWith(t, { ...LEADING, publicUrl: '/shop', catalogue: undefined, 'transfer.path': '/checkout' })
  t.match(without, {
    destination: { secret: SECRET },
    ways: [{ transfer: { path: '/checkout' } }],
    catalogue: undefined
  })
  t.equal(without?.pictures, join(t.testdirName, 'pictures'))
  const slow = { ...HOOK, timeoutSeconds: 10 }
  t.match(readWith(t, { ...LEADING, 'checkout.destination': slow })?.destination?.settings, { timeoutSeconds: 10 })
})

t.test('our own page is the default, and may be named; it needs a feed', async t => {
  t.equal(readWith(t, {})?.destination, undefined)
  const settings = { 'checkout.destination': { type: 'page' } }
  t.match(readWith(t, settings), { destination: undefined, checkout: { path: file.checkout.path } })
  refuses(t, 'catalogue', [[undefined, 'missing; give an object with feed']], { settings, file })
  const inPage = { type: 'page', url: 'https://shop.example/' }
  refuses(t, 'checkout.destination', [[inPage, 'only, and this is "page"; leave it out', 'checkout.destination.url']], {
    file
  })
})

t.test('a destination that cannot work is refused, with a feed and without', async t => {
  const key = 'checkout.destination'
  for (const catalogue of [file.catalogue, undefined]) {
    const settings = { ...LEADING, catalogue }
    refuses(
      t,
      key,
      [
        [{ ...HOOK, type: 'magento' }, 'it is "magento"; give one of "page", "hook"', `${key}.type`],
        [{ url: 'https://shop.example/' }, 'missing; give one of "page", "hook",', `${key}.type`],
        ['hook', 'it is "hook"; give an object'],
        [{ ...HOOK, token: 'x' }, 'unknown key', `${key}.token`],
        [{ ...HOOK, url: undefined }, 'missing; give the address', `${key}.url`],
        [{ ...HOOK, url: 'http://shop.example/' }, 'it is http, ', `${key}.url`],
        [{ ...HOOK, secretVariable: undefined }, 'missing', `${key}.secretVariable`],
        [{ ...HOOK, secretVariable: 'UNSET' }, 'variable UNSET is not set', `${key}.secretVariable`],
        [{ ...HOOK, secretVariable: 'BYTES_23' }, 'BYTES_23 is not a Standard Webhooks', `${key}.secretVariable`],
        [
          { ...HOOK, timeoutSeconds: 11 },
          'it is 11; give the seconds that your shop has to answer',
          `${key}.timeoutSeconds`
        ],
        [{ ...HOOK, timeoutSeconds: 0 }, 'a whole number from 1 to 10;', `${key}.timeoutSeconds`],
        [
          { ...HOOK, maxInProgress: 901 },
          'it is 901; give the most carts that your shop gets at a time',
          `${key}.maxInProgress`
        ]
      ],
      { settings, file, variables }
    )
    const path = '"/shop/orders" lies in "/shop/orders", the server\'s own path; give another'
    refuses(t, 'transfer.path', [['/orders', path]], { settings, file, variables })
  }
  const misplaced = { settings: { 'checkout.path': undefined }, file }
  refuses(t, 'destination', [[HOOK, 'unknown key; did you mean "checkout.destination"?']], misplaced)
})

const KEY = 'sk_test_4eC39HqLyjWDarjtT1zdp7dc'
const SIGNING = `whsec_${'a1B2'.repeat(8)}`
const NEXT = `whsec_${'c3D4'.repeat(8)}`
const ofStripe: typeof variables = {
  KEY,
  LIVE: 'sk_live_4eC39HqLyjWDarjtT1zdp7dc',
  RESTRICTED: 'rk_live_4eC39HqLyjWDarjtT1zdp7dc',
  PUBLISHABLE: 'pk_test_TYooMQauvdEDq54NiTphI7jx',
  SIGNING,
  BOTH: `${SIGNING} ${NEXT}`,
  TWICE: `${SIGNING} ${SIGNING}`,
  THREE: `${SIGNING} ${NEXT} ${SIGNING}x`,
  TWO_LINES: `${SIGNING}\n${NEXT}`
}
const PAYMENT = { provider: 'stripe', secretVariable: 'KEY', webhookSecretVariable: 'SIGNING' }

t.test('a payment provider is read with its secrets; there is none by default', async t => {
  const read = (payment: object, more: Settings = {}) =>
    readContents(t, [changed({ 'checkout.payment': payment, ...more }, file)], ofStripe)[0]
  t.equal(readWith(t, {})?.payment, undefined)
  const merchant = read(PAYMENT)
  t.match(merchant?.payment, { provider: { name: 'stripe' }, settings: { ...PAYMENT, expiresAfterMinutes: 60 } })
  t.strictSame([merchant?.payment?.secret, merchant?.payment?.webhookSecrets], [KEY, [SIGNING]])
  const rotating = read({ ...PAYMENT, secretVariable: 'RESTRICTED', webhookSecretVariable: 'BOTH' })
  t.match(rotating?.payment, { secret: ofStripe.RESTRICTED, webhookSecrets: [SIGNING, NEXT] })
  const origins = ['http://127.0.0.1:4242', 'http://localhost', 'https://10.0.0.7', 'http://[::1]:8080']
  accepts(t, 'checkout.payment.apiUrl', origins, {
    settings: { 'checkout.payment': PAYMENT },
    file,
    variables: ofStripe
  })
  t.ok(read({ ...PAYMENT, pageOrigin: 'https://pay.shop.example' }), 'pages may be at a domain of the merchant')
  t.ok(read(PAYMENT, { payment: { text: 'You pay by card.' } }), 'a text about payment is another setting')
})

t.test('a payment provider that cannot work is refused, with nothing secret in the message', async t => {
  const key = 'checkout.payment'
  const secret = `${key}.secretVariable`
  const webhook = `${key}.webhookSecretVariable`
  const apiUrl = `${key}.apiUrl`
  const right = 'give an origin on a loopback or private address, such as "http://127.0.0.1:4242", or leave it out'
  const surroundings = { file, variables: ofStripe }
  refuses(
    t,
    key,
    [
      ['stripe', 'it is "stripe"; give an object'],
      [
        { ...PAYMENT, provider: 'paypal' },
        'it is "paypal"; give on whose page shoppers pay: "stripe"',
        `${key}.provider`
      ],
      [{ ...PAYMENT, provider: undefined }, 'missing; give on whose page', `${key}.provider`],
      [{ ...PAYMENT, publishableKey: 'x' }, 'unknown key', `${key}.publishableKey`],
      [{ ...PAYMENT, secretVariable: undefined }, 'missing; give the name of the environment variable', secret],
      [{ ...PAYMENT, secretVariable: KEY }, 'it is not the name of an environment variable', secret],
      [
        { ...PAYMENT, secretVariable: 'NONE' },
        'NONE is not set; give it the one that begins with "sk_" or "rk_"',
        secret
      ],
      [{ ...PAYMENT, secretVariable: 'PUBLISHABLE' }, 'is not a secret key of Stripe; give it the one', secret],
      [{ ...PAYMENT, secretVariable: 'PUBLISHABLE' }, 'not the publishable one ("pk_")', secret],
      [{ ...PAYMENT, secretVariable: 'SIGNING' }, 'SIGNING is not a secret key of Stripe', secret],
      [{ ...PAYMENT, webhookSecretVariable: undefined }, 'missing', webhook],
      [{ ...PAYMENT, webhookSecretVariable: SIGNING }, 'it is not the name of an environment variable', webhook],
      [
        { ...PAYMENT, webhookSecretVariable: 'NONE' },
        'give it the one that begins with "whsec_", or two with',
        webhook
      ],
      [{ ...PAYMENT, webhookSecretVariable: 'KEY' }, 'KEY is not the signing secret of a webhook endpoint', webhook],
      [{ ...PAYMENT, webhookSecretVariable: 'THREE' }, 'or two with a space between them', webhook],
      [{ ...PAYMENT, webhookSecretVariable: 'TWO_LINES' }, 'or two with a space between them', webhook],
      [{ ...PAYMENT, webhookSecretVariable: 'TWICE' }, 'TWICE holds the same secret twice; leave one out', webhook],
      [
        { ...PAYMENT, expiresAfterMinutes: 30 },
        'it is 30; give the minutes that a shopper has to pay',
        `${key}.expiresAfterMinutes`
      ],
      [{ ...PAYMENT, expiresAfterMinutes: 1440 }, 'from 35 to 1435', `${key}.expiresAfterMinutes`],
      [{ ...PAYMENT, apiUrl: 'https://stripe.example' }, right, apiUrl],
      [{ ...PAYMENT, apiUrl: 'http://127.0.0.1:4242/' }, right, apiUrl],
      [{ ...PAYMENT, apiUrl: 'ws://127.0.0.1:4242' }, right, apiUrl],
      [{ ...PAYMENT, apiUrl: '127.0.0.1:4242' }, right, apiUrl],
      [{ ...PAYMENT, apiUrl: 'http://127.0.0.1:4242', secretVariable: 'LIVE' }, 'a stand-in gets no live key', apiUrl],
      [
        { ...PAYMENT, apiUrl: 'http://127.0.0.1:4242', secretVariable: 'RESTRICTED' },
        'give the variable a test key',
        apiUrl
      ],
      ...['http://pay.shop.example', 'https://pay.shop.example/', 'pay.shop.example'].map(
        (pageOrigin): [unknown, string, string] => [
          { ...PAYMENT, pageOrigin },
          'give an origin such as "https://pay.shop.example", or leave it out',
          `${key}.pageOrigin`
        ]
      )
    ],
    surroundings
  )
  const currencies = { currencies: ['GBP', 'IQD', 'IRR'], countries: undefined, delivery: undefined }
  const settings: Settings = { ...currencies, 'checkout.maxTotal': undefined }
  const problem = 'Stripe charges no IQD, IRR, of "currencies"; leave it out there, or take no payment here'
  refuses(t, key, [[PAYMENT, problem, `${key}.provider`]], { ...surroundings, settings })
  // What is wrong with the key says nothing about the currencies, and is told with them.
  const both = mistakesIn(t, [changed({ ...settings, [key]: { ...PAYMENT, secretVariable: 'NONE' } }, file)], ofStripe)
  t.match(both, [/secretVariable: .* NONE is not set/, /provider: Stripe charges no IQD/].toReversed(), 'both are told')
})

t.test('where platforms ask for their bags belongs to the server if one proves who it is', async t => {
  const authentication = { type: 'bearer', secretVariables: ['A'] }
  const surroundings = { settings: { 'transfer.authentication': authentication }, variables: { A: TOKEN } }
  const taken = 'lies in "/app/transfers", the server\'s own path; give another'
  for (const key of ['transfer.path', 'checkout.path']) {
    refuses(
      t,
      key,
      ['/transfers', '/transfers/x'].map(path => [path, taken]),
      surroundings
    )
    accepts(t, key, ['/transfer'], surroundings)
    accepts(t, key, ['/transfers'])
  }
})

t.test('the address of notifications belongs to the server where a payment is taken', async t => {
  const surroundings = { settings: { 'checkout.payment': PAYMENT }, file, variables: ofStripe }
  const taken = 'lies in "/shop/payments", the server\'s own path; give another'
  for (const key of ['transfer.path', 'checkout.path']) {
    refuses(
      t,
      key,
      [
        ['/payments', taken],
        ['/payments/x', taken]
      ],
      surroundings
    )
    accepts(t, key, ['/payments'], { file })
  }
})

t.test('a setting of our own page is refused where bags lead to a shop', async t => {
  const ours: Settings = {
    delivery: [],
    countries: ['GB'],
    payment: { text: 'x' },
    'checkout.payment': { provider: 'stripe', secretVariable: 'KEY', webhookSecretVariable: 'SECRET' },
    orders: {},
    webhook: { url: 'https://a.example/', secretVariable: 'SECRET' },
    'transfer.description': { httpMethod: 'GET' },
    'checkout.path': '/checkout',
    'checkout.completeTitle': 'Done',
    'checkout.maxTotal': '1',
    'checkout.taxText': 'x',
    'checkout.trustText': 'x',
    'checkout.giftNote': true,
    'checkout.deliveryDates': { timeZone: 'UTC' },
    'theme.hero': 'https://a.example/hero.jpg'
  }
  const about = 'it is about our own page, and bags go to "hook"; leave it out'
  for (const [key, value] of Object.entries(ours)) {
    refuses(t, key, [[value, about]], { settings: LEADING, file, variables })
  }
})

t.test('a login in an address is not printed, wherever the address is and whatever else is wrong with it', async t => {
  const passwords = ['s3cret', 's3:c@r"e/t', `${'x'.repeat(100)}s3cret`]
  const own = { path: undefined, destination: HOOK }
  const keys: [key: string, settings?: Settings][] = [
    ['publicUrl'],
    ['checkout.continueShoppingUrl'],
    ['catalogue.feed'],
    ['catalogue'],
    ['links.terms'],
    ['links.terms.en'],
    ['links.contact'],
    ['theme.logo'],
    ['webhook.url', { webhook: { url, secretVariable: 'SECRET' } }],
    ['webhook'],
    ['currencies'],
    ['checkout.destination.url', { checkout: { ...file.checkout, ...own } }],
    ['checkout.destination.pageUrl', { checkout: { ...file.checkout, ...own } }]
  ]
  for (const password of passwords) {
    const logins = ['https://ada:', 'http://ada:', 'https:ada:', ' https://ada:', 'ftp://ada:', 'https:/\\ada:'].map(
      start => `${start}${password}@shop.example/x`
    )
    for (const [key, settings = {}] of keys) {
      for (const value of [...logins, [`https://ada:${password}@shop.example`]]) {
        const found = mistakesIn(t, [changed({ ...settings, [key]: value }, file)], variables).join('\n')
        t.notMatch(found, /s3|c@r|xxx|ada/, `${key}: ${JSON.stringify(value)}`)
      }
    }
  }
})
