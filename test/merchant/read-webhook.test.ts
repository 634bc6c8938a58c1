// `webhook` in a merchant file: an address, and the name of the variable with the secret, never the secret itself.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { destinations } from '../../src/destination/index.ts'
import { readSecret } from '../../src/environment.ts'
import { readMerchantFiles } from '../../src/merchant/merchant-file.ts'
import { transferOptions } from '../../src/transfer/index.ts'
import { merchantFile } from '../build.ts'
import { SECRET } from '../webhook/receiver.ts'

const bytes = (length: number) => Buffer.alloc(length, 7).toString('base64')

function read(t: Test, webhook: unknown, secret?: string) {
  const file = join(t.testdir({}), 'shop.json')
  writeFileSync(file, JSON.stringify({ ...merchantFile('1'), webhook }))
  const [merchant] = readMerchantFiles([file], {
    options: transferOptions,
    destinations,
    secretOf: name => (name === 'SHOP_SECRET' ? secret : undefined)
  })
  return merchant?.webhook
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
    t.strictSame(read(t, { url, secretVariable: 'SHOP_SECRET' }, SECRET), { url, secret: SECRET })
  })
}

for (const secret of [`whsec_${bytes(24)}`, `whsec_${bytes(64)}`, bytes(32)]) {
  t.test(`a secret such as ${secret.slice(0, 12)}… of ${secret.length} characters is accepted`, async t => {
    t.match(read(t, { url: 'https://a.example', secretVariable: 'SHOP_SECRET' }, secret), { secret })
  })
}

t.test('there is no webhook by default', async t => {
  t.equal(read(t, undefined), undefined)
})

const url = 'https://acme.example/hooks'
const secretVariable = 'SHOP_SECRET'
const refused: [string, unknown, string | undefined, RegExp][] = [
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
for (const [what, webhook, secret, message] of refused) {
  t.test(`the file is refused for ${what}`, async t => {
    try {
      read(t, webhook, secret)
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
