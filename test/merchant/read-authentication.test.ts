// `transfer.authentication` in a merchant file: how the platform proves who it is, and the variables with the secrets.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { destinations } from '../../src/destination/index.ts'
import { readMerchantFiles } from '../../src/merchant/merchant-file.ts'
import { transferOptions } from '../../src/transfer/index.ts'
import { merchantFile } from '../build.ts'

const TOKEN = 'a-token-of-at-least-thirty-two-characters'
const SECRET = `whsec_${Buffer.alloc(32, 1).toString('base64')}`
const SHORT = `whsec_${Buffer.alloc(23, 1).toString('base64')}`
const VARIABLES: Record<string, string> = {
  TOKEN,
  SECRET,
  SHORT,
  EMPTY: '',
  SPACED: `${TOKEN} ${TOKEN}`,
  TRAILING: `${TOKEN}\r`,
  AGAIN: TOKEN,
  WORD: 'sesame'
}

function read(t: Test, authentication: unknown, option = '1') {
  const file = join(t.testdir({}), 'shop.json')
  writeFileSync(file, JSON.stringify(merchantFile(option, { transfer: { authentication } }), undefined, 2))
  const [merchant] = readMerchantFiles([file], {
    options: transferOptions,
    destinations,
    secretOf: name => VARIABLES[name]
  })
  return merchant?.authentication
}

t.test('one or two secrets are read from the environment, in the order of the file', async t => {
  t.strictSame(read(t, { type: 'bearer', secretVariables: ['TOKEN'] }), {
    type: 'bearer',
    secrets: [{ variable: 'TOKEN', value: TOKEN }]
  })
  VARIABLES.OLD = `whsec_${Buffer.alloc(64, 9).toString('base64')}`
  t.strictSame(read(t, { type: 'standard-webhooks', secretVariables: ['SECRET', 'OLD'] }), {
    type: 'standard-webhooks',
    secrets: [
      { variable: 'SECRET', value: SECRET },
      { variable: 'OLD', value: VARIABLES.OLD }
    ]
  })
  t.equal(read(t, undefined), undefined, 'by default there is none')
})

const KEY = 'transfer\\.authentication'
const refused: [what: string, authentication: unknown, message: string][] = [
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
for (const [what, authentication, message] of refused) {
  t.test(`the file is refused for ${what}`, async t => {
    try {
      read(t, authentication)
      t.fail('it was accepted')
    } catch (error) {
      t.match(error, { message: new RegExp(message) })
      if (what === 'a secret in the file') return
      for (const secret of [TOKEN, SECRET, SHORT, 'sesame'])
        t.notOk(String(error).includes(secret), 'nothing is revealed')
    }
  })
}

t.test('a web view can keep no secret: options 2A and 2B do not know the setting', async t => {
  for (const option of ['2A', '2B']) {
    t.throws(() => read(t, { type: 'bearer', secretVariables: ['TOKEN'] }, option), {
      message: /transfer\.authentication: unknown key/
    })
  }
})
