// The flags that say what the platform's servers prove themselves with to a site.
import t from 'tap'
import { readCredentials } from '../../src/cli/read-credentials.ts'
import { formPost } from '../../src/transfer/form-post/form-post.ts'
import { jsonDescription } from '../../src/transfer/json-description/json-description.ts'
import type { TransferOption } from '../../src/transfer/option.ts'
import { ucp } from '../../src/transfer/ucp/ucp.ts'
import { newSigner } from '../ucp/sign-request.ts'

const SECRET = `whsec_${Buffer.alloc(32, 1).toString('base64')}`
const { privateKey, jwk } = newSigner('key-1')
const KEY = JSON.stringify({ kid: 'key-1', ...privateKey.export({ format: 'jwk' }) })
const VARIABLES = {
  TEST_TOKEN: 'short',
  TEST_SECRET: SECRET,
  TEST_KEY: KEY,
  TEST_BROKEN: 'two words',
  TEST_EMPTY: '',
  TEST_PUBLIC: JSON.stringify(jwk),
  TEST_NAMELESS: JSON.stringify({ ...JSON.parse(KEY), kid: undefined }),
  TEST_RSA: JSON.stringify({ ...JSON.parse(KEY), alg: 'RS256' })
}
Object.assign(process.env, VARIABLES)
t.teardown(() => {
  for (const name of Object.keys(VARIABLES)) delete process.env[name]
})
const option = jsonDescription as TransferOption
const carts = ucp as TransferOption

t.test('a flag names the variable with the token, key or secret', async t => {
  t.equal(readCredentials({}, option), undefined)
  const cases = [
    ['token-from', 'TEST_TOKEN', 'bearer'],
    ['api-key-from', 'TEST_TOKEN', 'x-api-key'],
    ['secret-from', 'TEST_SECRET', 'standard-webhooks'],
    ['signing-key-from', 'TEST_KEY', 'signature']
  ] as const
  for (const [flag, variable, type] of cases) {
    t.strictSame(readCredentials({ [flag]: variable }, carts), { type, variable, value: VARIABLES[variable] })
  }
  const asks = readCredentials({ 'secret-from': 'TEST_SECRET' }, formPost as TransferOption, true)
  t.match(asks, { type: 'standard-webhooks' }, 'the platform asks what became of a bag that a web view has sent')
})

t.test('credentials that cannot be sent are refused, without printing a secret', async t => {
  const page = formPost as TransferOption
  const noKey = /is not a private key in JSON that can sign; give it a private JWK with the kid .*"d":"…"}$/
  const refused: [Parameters<typeof readCredentials>, RegExp | string][] = [
    [
      [{ 'token-from': 'TEST_TOKEN', 'secret-from': 'TEST_SECRET' }, option],
      'give --token-from or --secret-from, not both'
    ],
    [
      [{ 'token-from': 'TEST_NONE' }, option],
      'the environment variable TEST_NONE is not set; give it the token, in printable ASCII without spaces, or set TEST_NONE_FILE to the path of a file with it'
    ],
    [[{ 'secret-from': 'TEST_EMPTY' }, option], /TEST_EMPTY is not set; give it "whsec_"/],
    [
      [{ 'token-from': 'TEST_BROKEN' }, option],
      'the environment variable TEST_BROKEN is not a token; give it the token, in printable ASCII without spaces'
    ],
    [[{ 'api-key-from': 'TEST_BROKEN' }, carts], /TEST_BROKEN is not an API key; give it the API key/],
    [[{ 'secret-from': 'TEST_TOKEN' }, option], /TEST_TOKEN is not a Standard Webhooks secret; (?!.*short)/],
    [[{ 'token-from': 'TEST_TOKEN' }, page], /with option 2A a web view/],
    [
      [{ 'signing-key-from': 'TEST_KEY' }, option],
      'option 1 has no platform with a profile and keys: leave out --signing-key-from'
    ],
    ...['TEST_TOKEN', 'TEST_PUBLIC', 'TEST_NAMELESS', 'TEST_RSA'].map((variable): (typeof refused)[number] => [
      [{ 'signing-key-from': variable }, carts],
      noKey
    ])
  ]
  for (const [args, message] of refused) {
    t.throws(() => readCredentials(...args), { message })
  }
})
