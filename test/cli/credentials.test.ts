// The flags that name the variable with a secret.
import t from 'tap'
import { readCredentials } from '../../src/cli/credentials.ts'
import { UsageError } from '../../src/cli/run-command.ts'
import { readSimulateRequest } from '../../src/cli/simulate.ts'
import { formPost } from '../../src/transfer/form-post/form-post.ts'
import { jsonDescription } from '../../src/transfer/json-description/json-description.ts'
import type { TransferOption } from '../../src/transfer/option.ts'

const SECRET = `whsec_${Buffer.alloc(32, 1).toString('base64')}`
const VARIABLES = { TEST_TOKEN: 'short', TEST_SECRET: SECRET, TEST_BROKEN: 'two words', TEST_EMPTY: '' }
Object.assign(process.env, VARIABLES)
t.teardown(() => {
  for (const name of Object.keys(VARIABLES)) delete process.env[name]
})
const option = jsonDescription as TransferOption

t.test('a flag names the variable with the token or the secret', async t => {
  t.equal(readCredentials({}, option), undefined)
  t.strictSame(readCredentials({ 'token-from': 'TEST_TOKEN' }, option), {
    type: 'bearer',
    variable: 'TEST_TOKEN',
    value: 'short'
  })
  const signing = { type: 'standard-webhooks', variable: 'TEST_SECRET', value: SECRET }
  t.strictSame(readCredentials({ 'secret-from': 'TEST_SECRET' }, option), signing)
  const flags = ['--option', '1', '--cart', 'bag.json', '--secret-from', 'TEST_SECRET']
  t.match(readSimulateRequest(['http://x/cart', ...flags]), { credentials: signing })
})

const refused: [string, Parameters<typeof readCredentials>, RegExp][] = [
  ['both flags', [{ 'token-from': 'TEST_TOKEN', 'secret-from': 'TEST_SECRET' }, option], /not both/],
  ['a variable that is not set', [{ 'token-from': 'TEST_NONE' }, option], /TEST_NONE is not set; give it the token/],
  ['an empty variable', [{ 'secret-from': 'TEST_EMPTY' }, option], /TEST_EMPTY is not set; give it "whsec_"/],
  ['a token with a space', [{ 'token-from': 'TEST_BROKEN' }, option], /TEST_BROKEN is not valid/],
  ['a secret that is none', [{ 'secret-from': 'TEST_TOKEN' }, option], /TEST_TOKEN is not valid/],
  [
    'an option of the web view',
    [{ 'token-from': 'TEST_TOKEN' }, formPost as TransferOption],
    /with option 2A a web view/
  ]
]
for (const [what, args, message] of refused) {
  t.test(`refused: ${what}`, async t => {
    t.throws(() => readCredentials(...args), { constructor: UsageError, message })
    try {
      readCredentials(...args)
    } catch (error) {
      t.notMatch(String(error), /short|two words|AQEB/, 'no secret is printed')
    }
  })
}
