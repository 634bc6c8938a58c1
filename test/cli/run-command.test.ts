// Arguments that several commands have: the period, and the credentials of a site.
import t from 'tap'
import { readCredentials, readPeriod, UsageError } from '../../src/cli/run-command.ts'
import { readSimulateRequest } from '../../src/cli/simulate.ts'
import { formPost } from '../../src/transfer/form-post/form-post.ts'
import { jsonDescription } from '../../src/transfer/json-description/json-description.ts'
import type { TransferOption } from '../../src/transfer/option.ts'

const periods: [string | undefined, string | undefined, string | undefined, string | undefined][] = [
  [undefined, undefined, undefined, undefined],
  ['2026-11-01', undefined, '2026-11-01T00:00:00.000Z', undefined],
  [undefined, '2026-11-10', undefined, '2026-11-11T00:00:00.000Z'],
  ['2026-11-10', '2026-11-10', '2026-11-10T00:00:00.000Z', '2026-11-11T00:00:00.000Z'],
  ['2026-12-31', '2026-12-31', '2026-12-31T00:00:00.000Z', '2027-01-01T00:00:00.000Z'],
  ['2028-02-29', '2028-02-29', '2028-02-29T00:00:00.000Z', '2028-03-01T00:00:00.000Z'],
  ['2026-11-10T08:00Z', '2026-11-10T09:30:15.5Z', '2026-11-10T08:00:00.000Z', '2026-11-10T09:30:15.500Z'],
  ['2026-11-10T08:00:00+02:00', '2026-11-10T08:00:00-02:00', '2026-11-10T06:00:00.000Z', '2026-11-10T10:00:00.000Z']
]

for (const [from, to, first, before] of periods) {
  t.test(`from ${from} to ${to}`, t => {
    t.match(readPeriod(from, to), { from: first, before })
    t.end()
  })
}

const invalid = [
  '',
  'yesterday',
  '20.11.2026',
  '2026-11',
  '2026-13-01',
  '2026-02-30',
  '2026-02-30T10:00:00Z',
  '2026-11-10T08:00',
  '2026-11-10T25:00Z',
  '2026-11-10 08:00Z',
  ' 2026-11-10'
]

t.test('anything but a date, or a time with its offset, is refused with an example', t => {
  for (const text of invalid) {
    for (const [from, to, flag] of [
      [text, undefined, '--from'],
      [undefined, text, '--to']
    ] as const) {
      t.throws(
        () => readPeriod(from, to),
        { constructor: UsageError, message: new RegExp(`^${flag} is .*such as 2026-11-20`) },
        `${flag} ${text}`
      )
    }
  }
  t.end()
})

t.test('a period that ends before it begins is refused', t => {
  for (const [from, to] of [
    ['2026-11-11', '2026-11-10'],
    ['2026-11-10T08:00Z', '2026-11-10T08:00Z']
  ] as const) {
    t.throws(() => readPeriod(from, to), { constructor: UsageError, message: /is not before the end/ })
  }
  t.end()
})

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
