// What a merchant is connected with, as its file names it: how the platform proves who it is, where orders are sent, where
// carts lead. The file names the variables of the secrets, never a secret itself.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { destinations } from '../../src/destination/index.ts'
import { readSecret } from '../../src/environment.ts'
import { readMerchantFiles } from '../../src/merchant/merchant-file.ts'
import { pageSettingChecks } from '../../src/pages/check-pages.ts'
import { transferOptions } from '../../src/transfer/index.ts'
import { merchantFile } from '../build.ts'
import { SHOP_SECRET } from '../destination/own-shop.ts'
import { SECRET } from '../webhook/receiver.ts'

function readWith(t: Test, content: object, variables: Record<string, string>) {
  const file = join(t.testdir({}), 'shop.json')
  writeFileSync(file, JSON.stringify(content, undefined, 2))
  const secretOf = (name: string) => variables[name]
  return readMerchantFiles([file], { options: transferOptions, destinations, secretOf, ...pageSettingChecks })[0]
}

const TOKEN = 'a-token-of-at-least-thirty-two-characters'
const STRONG = `whsec_${Buffer.alloc(32, 1).toString('base64')}`
const SHORT = `whsec_${Buffer.alloc(23, 1).toString('base64')}`
const VARIABLES: Record<string, string> = {
  TOKEN,
  SECRET: STRONG,
  SHORT,
  EMPTY: '',
  SPACED: `${TOKEN} ${TOKEN}`,
  TRAILING: `${TOKEN}\r`,
  AGAIN: TOKEN,
  WORD: 'sesame'
}

function readAuthenticated(t: Test, authentication: unknown, option = '1') {
  return readWith(t, merchantFile(option, { transfer: { authentication } }), VARIABLES)?.authentication
}

t.test('one or two secrets are read from the environment, in the order of the file', async t => {
  t.strictSame(readAuthenticated(t, { type: 'bearer', secretVariables: ['TOKEN'] }), {
    type: 'bearer',
    secrets: [{ variable: 'TOKEN', value: TOKEN }]
  })
  VARIABLES.OLD = `whsec_${Buffer.alloc(64, 9).toString('base64')}`
  t.strictSame(readAuthenticated(t, { type: 'standard-webhooks', secretVariables: ['SECRET', 'OLD'] }), {
    type: 'standard-webhooks',
    secrets: [
      { variable: 'SECRET', value: STRONG },
      { variable: 'OLD', value: VARIABLES.OLD }
    ]
  })
  t.equal(readAuthenticated(t, undefined), undefined, 'by default there is none')
})

const KEY = 'transfer\\.authentication'
const badAuthentication: [what: string, authentication: unknown, message: string][] = [
  ['no type', { secretVariables: ['TOKEN'] }, `${KEY}\\.type: missing; give "bearer" or "standard-webhooks"`],
  ['another type', { type: 'basic', secretVariables: ['TOKEN'] }, `${KEY}\\.type: it is "basic"; give "bearer" or`],
  ['no variables', { type: 'bearer' }, `${KEY}\\.secretVariables: missing; give a list of one or two names`],
  ['an empty list', { type: 'bearer', secretVariables: [] }, `${KEY}\\.secretVariables: it is \\[\\]; give a list`],
  [
    'three variables',
    { type: 'bearer', secretVariables: ['A', 'B', 'C'] },
    `secretVariables: it is .*one or two names`
  ],
  ['a variable twice', { type: 'bearer', secretVariables: ['A', 'A'] }, `secretVariables: it is .*each once`],
  [
    'a secret in the file',
    { type: 'bearer', secretVariables: [TOKEN] },
    `secretVariables\\[0\\]: it is .*the name of an env`
  ],
  ['a secret beside it', { type: 'bearer', secretVariables: ['TOKEN'], secret: 'x' }, `${KEY}\\.secret: unknown key`],
  [
    'a variable that is not set',
    { type: 'bearer', secretVariables: ['TOKEN', 'NONE'] },
    `shop\\.json:16: ${KEY}\\.secretVariables\\[1\\]: the environment variable NONE is not set; give it 32 to 512 random`
  ],
  ['an empty variable', { type: 'bearer', secretVariables: ['EMPTY'] }, 'EMPTY is not set'],
  [
    'a token that is too short',
    { type: 'bearer', secretVariables: ['WORD'] },
    'WORD is not a bearer token; give it 32'
  ],
  [
    'a token with white space at its end',
    { type: 'bearer', secretVariables: ['TRAILING'] },
    'TRAILING has white space at its start or end; give it 32 to 512 random .* and "=" at the end only'
  ],
  [
    'two variables with the same secret',
    { type: 'bearer', secretVariables: ['TOKEN', 'AGAIN'] },
    `shop\\.json:16: ${KEY}\\.secretVariables\\[1\\]: the environment variable AGAIN holds the same secret as TOKEN; give`
  ],
  ['a token with a space', { type: 'bearer', secretVariables: ['SPACED'] }, 'SPACED is not a bearer token'],
  [
    'a secret that is too short',
    { type: 'standard-webhooks', secretVariables: ['SHORT'] },
    'SHORT is not a Standard Webhooks secret; give it "whsec_" and 24 to 64 random bytes in base64'
  ],
  [
    'a token in place of a secret',
    { type: 'standard-webhooks', secretVariables: ['TOKEN'] },
    'TOKEN is not a Standard Webhooks secret'
  ]
]
for (const [what, authentication, message] of badAuthentication) {
  t.test(`the file is refused for ${what}`, async t => {
    try {
      readAuthenticated(t, authentication)
      t.fail('it was accepted')
    } catch (error) {
      t.match(error, { message: new RegExp(message) })
      if (what === 'a secret in the file') return
      for (const secret of [TOKEN, STRONG, SHORT, 'sesame'])
        t.notOk(String(error).includes(secret), 'nothing is revealed')
    }
  })
}

t.test('a web view can keep no secret: options 2A and 2B do not know the setting', async t => {
  for (const option of ['2A', '2B']) {
    t.throws(() => readAuthenticated(t, { type: 'bearer', secretVariables: ['TOKEN'] }, option), {
      message: /transfer\.authentication: unknown key/
    })
  }
})

const bytes = (length: number) => Buffer.alloc(length, 7).toString('base64')

function readHook(t: Test, webhook: unknown, secret?: string) {
  return readWith(t, { ...merchantFile('1'), webhook }, secret === undefined ? {} : { SHOP_SECRET: secret })?.webhook
}

const addresses = [
  'https://acme.example/hooks',
  'https://acme.example/hooks?shop=1&x=%20',
  'https://acme.example:8443',
  'http://127.0.0.1:9/hooks',
  'http://localhost/hooks',
  'http://192.168.1.5/hooks'
]
for (const url of addresses) {
  t.test(`${url} is accepted unchanged`, async t => {
    t.strictSame(readHook(t, { url, secretVariable: 'SHOP_SECRET' }, SECRET), { url, secret: SECRET })
  })
}

for (const secret of [`whsec_${bytes(24)}`, `whsec_${bytes(64)}`, bytes(32)]) {
  t.test(`a secret such as ${secret.slice(0, 12)}… of ${secret.length} characters is accepted`, async t => {
    t.match(readHook(t, { url: 'https://a.example', secretVariable: 'SHOP_SECRET' }, secret), { secret })
  })
}

t.test('there is no webhook by default', async t => {
  t.equal(readHook(t, undefined), undefined)
})

const url = 'https://acme.example/hooks'
const secretVariable = 'SHOP_SECRET'
const badWebhooks: [string, unknown, string | undefined, RegExp][] = [
  ['http in public', { url: 'http://acme.example/', secretVariable }, SECRET, /webhook\.url: .*use https/],
  ['no address', { url: '/hooks', secretVariable }, SECRET, /webhook\.url: .*give an address/],
  ['another scheme', { url: 'ftp://acme.example', secretVariable }, SECRET, /webhook\.url: .*give an address/],
  ['a user', { url: 'https://me@acme.example', secretVariable }, SECRET, /webhook\.url: .*without user/],
  ['a password', { url: 'https://:pw@acme.example', secretVariable }, SECRET, /webhook\.url: .*without user/],
  ['a fragment', { url: 'https://acme.example/#x', secretVariable }, SECRET, /webhook\.url: .*fragment/],
  ['no url', { secretVariable }, SECRET, /webhook\.url: missing/],
  ['no variable', { url }, SECRET, /webhook\.secretVariable: missing/],
  [
    'a secret in the file',
    { url, secretVariable: SECRET },
    SECRET,
    /webhook\.secretVariable: .*name of the environment/
  ],
  ['an unknown key', { url, secretVariable, secret: 'x' }, SECRET, /webhook\.secret: unknown key/],
  ['a variable that is not set', { url, secretVariable }, undefined, /SHOP_SECRET is not set; give it "whsec_"/],
  ['an empty variable', { url, secretVariable }, '', /SHOP_SECRET is not set/],
  ['another variable', { url, secretVariable: 'OTHER' }, SECRET, /OTHER is not set/],
  [
    'a secret that is too short',
    { url, secretVariable },
    `whsec_${bytes(23)}`,
    /SHOP_SECRET is not a Standard Webhooks secret/
  ],
  [
    'a secret that is too long',
    { url, secretVariable },
    `whsec_${bytes(65)}`,
    /SHOP_SECRET is not a Standard Webhooks secret/
  ],
  [
    'a secret that is not base64',
    { url, secretVariable },
    'a password, a long one, of sorts',
    /SHOP_SECRET is not a Standard Webhooks secret/
  ]
]
for (const [what, webhook, secret, message] of badWebhooks) {
  t.test(`the file is refused for ${what}`, async t => {
    try {
      readHook(t, webhook, secret)
      t.fail('it was accepted')
    } catch (error) {
      t.match(error, { name: 'Error', message })
      if (what !== 'a secret in the file' && secret)
        t.notOk(String(error).includes(secret), 'the secret is not revealed')
    }
  })
}

t.test('without secretOf no secret is set', async t => {
  const file = join(t.testdir({}), 'shop.json')
  writeFileSync(file, JSON.stringify({ ...merchantFile('1'), webhook: { url, secretVariable } }))
  t.throws(() => readMerchantFiles([file], { options: transferOptions, destinations }), { message: /is not set/ })
})

t.test('secrets are read from the environment', async t => {
  process.env.A_SECRET_OF_THIS_TEST = SECRET
  t.equal(readSecret('A_SECRET_OF_THIS_TEST'), SECRET)
  delete process.env.A_SECRET_OF_THIS_TEST
  t.equal(readSecret('A_SECRET_OF_THIS_TEST'), undefined)
})

const HOOK = { type: 'hook', url: 'https://shop.example/carts', secretVariable: 'SHOP_SECRET' }

/** Reads a file whose bags lead to a destination. @param changes at the top level of the file */
function readLeading(t: Test, destination: unknown, changes: object = {}) {
  const { path: _, ...checkout } = merchantFile('1').checkout
  const file = { ...merchantFile('1'), checkout: { ...checkout, destination }, ...changes }
  return readWith(t, file, { SHOP_SECRET, SHORT: 'whsec_c2hvcnQ=' })
}

t.test('a destination is read with its secret and the default time limit', async t => {
  t.match(readLeading(t, HOOK)?.destination, {
    destination: { name: 'hook' },
    settings: { ...HOOK, timeoutSeconds: 5 },
    secret: SHOP_SECRET
  })
  t.match(readLeading(t, HOOK, { publicUrl: '/shop' })?.destination, { secret: SHOP_SECRET }, 'an origin is not needed')
  t.match(readLeading(t, HOOK, { transfer: { option: '1', path: '/checkout' } })?.transfer, { path: '/checkout' })
  t.match(readLeading(t, { ...HOOK, timeoutSeconds: 10 })?.destination?.settings, { timeoutSeconds: 10 })
})

t.test('our own page is the default, and may be named', async t => {
  const { path } = merchantFile('1').checkout
  t.equal(readLeading(t, undefined, { checkout: merchantFile('1').checkout })?.destination, undefined)
  const named = readLeading(t, undefined, {
    checkout: { ...merchantFile('1').checkout, destination: { type: 'page' } }
  })
  t.match(named, { destination: undefined, checkout: { path } })
})

t.test('a feed may be left out only where a destination does without', async t => {
  t.match(readLeading(t, HOOK, { catalogue: undefined }), {
    catalogue: undefined,
    pictures: join(t.testdirName, 'pictures')
  })
  t.throws(() => readLeading(t, { type: 'page' }, { catalogue: undefined }), {
    message: /: catalogue: missing; give an object with feed/
  })
})

t.test('every mistake is named, with what would be right', async t => {
  const about = /it is about our own page, and bags go to "hook"; leave it out/
  const cases: [name: string, destination: unknown, changes: object, message: RegExp][] = [
    [
      'an unknown type',
      { ...HOOK, type: 'magento' },
      {},
      /checkout\.destination\.type: it is "magento"; give one of "page", "hook"/
    ],
    ['no type', { url: 'https://shop.example/' }, {}, /checkout\.destination/],
    [
      'one in the wrong place',
      undefined,
      { destination: HOOK },
      /: destination: unknown key; did you mean "checkout\.destination"\?$/
    ],
    ['a name alone', 'hook', {}, /checkout\.destination: it is "hook"; give an object/],
    ['another key', { ...HOOK, token: 'x' }, {}, /checkout\.destination\.token: unknown key/],
    [
      'a key of its own for our page',
      { type: 'page', url: 'https://shop.example/' },
      {},
      /checkout\.destination\.url: unknown key/
    ],
    ['no address', { ...HOOK, url: undefined }, {}, /checkout\.destination\.url: missing; give the address/],
    [
      'an address that is http',
      { ...HOOK, url: 'http://shop.example/' },
      {},
      /checkout\.destination\.url: it is http, .*; give one such as/
    ],
    ['no secret', { ...HOOK, secretVariable: undefined }, {}, /checkout\.destination\.secretVariable: missing/],
    ['a secret that is not set', { ...HOOK, secretVariable: 'UNSET' }, {}, /the environment variable UNSET is not set/],
    ['a secret that is too short', { ...HOOK, secretVariable: 'SHORT' }, {}, /SHORT is not a Standard Webhooks secret/],
    [
      'more time than a connection has',
      { ...HOOK, timeoutSeconds: 11 },
      {},
      /timeoutSeconds: it is 11; give .* 1 to 10/
    ],
    ['no time at all', { ...HOOK, timeoutSeconds: 0 }, {}, /timeoutSeconds: it is 0; give how long the shop may take/],
    [
      'transfers where orders are reported',
      HOOK,
      { transfer: { option: '1', path: '/orders' } },
      /transfer\.path: "\/shop\/orders" lies in "\/shop\/orders", the server's own path; give another/
    ],
    ['delivery', HOOK, { delivery: [] }, new RegExp(`: delivery: ${about.source}`)],
    ['countries', HOOK, { countries: ['GB'] }, new RegExp(`: countries: ${about.source}`)],
    ['payment', HOOK, { payment: { text: 'x' } }, new RegExp(`: payment: ${about.source}`)],
    ['orders', HOOK, { orders: {} }, new RegExp(`: orders: ${about.source}`)],
    [
      'a webhook',
      HOOK,
      { webhook: { url: 'https://a.example/', secretVariable: 'SHOP_SECRET' } },
      new RegExp(`: webhook: ${about.source}`)
    ],
    [
      'a described request, which is the shop’s to say',
      HOOK,
      { transfer: { option: '1', path: '/cart', description: { httpMethod: 'GET' } } },
      new RegExp(`: transfer\\.description: ${about.source}`)
    ]
  ]
  for (const [name, destination, changes, message] of cases) {
    t.throws(() => readLeading(t, destination, changes), { message }, name)
    if ((destination as { type?: string } | undefined)?.type === 'page') continue
    t.throws(
      () => readLeading(t, destination, { ...changes, catalogue: undefined }),
      { message: /^(?!.*catalogue: missing)/s },
      name
    )
  }
  const { checkout } = merchantFile('1')
  for (const [key, value] of Object.entries({
    path: '/checkout',
    completeTitle: 'Done',
    maxTotal: '1',
    taxText: 'x'
  })) {
    t.throws(
      () =>
        readLeading(t, undefined, {
          checkout: { continueShoppingUrl: checkout.continueShoppingUrl, [key]: value, destination: HOOK }
        }),
      { message: new RegExp(`: checkout\\.${key}: ${about.source}`) }
    )
  }
})
