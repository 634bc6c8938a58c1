// The platforms that may keep UCP carts, as a merchant file lists them: whose copies and secrets are there.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { CART } from '../../src/ucp/versions.ts'
import { merchantFile } from '../build.ts'
import { newSigner } from '../ucp/sign-request.ts'
import { changed, mistakesIn, readContents, refuses } from './settings.ts'

const TOKEN = 'a-token-of-at-least-thirty-two-characters'
const variables = { TOKEN, AGAIN: TOKEN, WORD: 'sesame' }
const file = merchantFile('ucp')
const KEY = 'transfer.platforms'
const A = 'https://a.example/ucp.json'

const VERSION = '2026-04-08'
const key = newSigner('a').jwk
const profile = {
  ucp: { version: VERSION, services: {}, capabilities: { [CART]: [{ version: VERSION }] }, payment_handlers: {} },
  signing_keys: [key]
}

function platformsOf(t: Test, platforms: unknown) {
  return readContents(t, [changed({ [KEY]: platforms }, file)], variables)[0]?.ways[0].platforms
}

t.test('any platform, or a list by the addresses of their profiles', async t => {
  t.testdir({ 'a.profile.json': JSON.stringify(profile) })
  t.equal(platformsOf(t, undefined), undefined)
  t.equal(platformsOf(t, 'any'), undefined)
  const bearer = { type: 'bearer', secretVariables: ['TOKEN'] }
  const read = platformsOf(t, [
    { profile: 'HTTPS://A.example', copy: 'a.profile.json', authentication: bearer },
    { profile: A, authentication: { type: 'signature' } },
    { profile: 'https://b.example/' }
  ])
  t.strictSame(
    [...(read ?? [])],
    [
      [
        'https://a.example/',
        {
          copy: { version: VERSION, capabilities: [CART], keys: [key] },
          authentication: { type: 'bearer', secrets: [{ variable: 'TOKEN', value: TOKEN }] }
        }
      ],
      [A, { authentication: { type: 'signature', secrets: [] } }],
      ['https://b.example/', {}]
    ]
  )
})

t.test('a list that cannot work is refused', async t => {
  t.testdir({})
  const write = (name: string, text: string) => writeFileSync(join(t.testdirName, name), text)
  write('page.html', '<html>')
  write('older.json', JSON.stringify({ ucp: { version: '2026-01-23' } }))
  write('none.keys', JSON.stringify({ ...profile, signing_keys: [] }))
  write('other.keys', JSON.stringify({ ...profile, signing_keys: undefined, keys: [key] }))
  const unfit = [
    { ...key, kid: undefined },
    { ...key, use: 'enc' },
    { kid: 'r', kty: 'RSA', n: 'AQ', e: 'AQAB' }
  ]
  write('unfit.keys', JSON.stringify({ ...profile, signing_keys: unfit }))
  write('private.keys', JSON.stringify({ ...profile, signing_keys: [{ ...key, d: 'AQ' }] }))
  write('text.keys', JSON.stringify({ ...profile, signing_keys: ['a'] }))
  const one = (more: object) => [{ profile: A, ...more }]
  const proof = (type: string, ...secretVariables: string[]) => one({ authentication: { type, secretVariables } })
  const secrets = `${KEY}[0].authentication.secretVariables`
  refuses(
    t,
    KEY,
    [
      [
        'all',
        'it is "all"; give who may send carts: "any" (default), or a list such as [{ "profile": "https://platform.example/profile.json" }]'
      ],
      [[], 'it is []; give who may send carts: "any" (default), or a list'],
      [[{}], 'missing; give the https address of its profile', `${KEY}[0].profile`],
      [['https://a.example/'], 'it is "https://a.example/"; give an object such as { "profile": ', `${KEY}[0]`],
      [one({ profil: A }), 'unknown key', `${KEY}[0].profil`],
      [
        [{ profile: 'http://a.example/' }],
        'it is "http://a.example/"; give the https address of its profile, without user and fragment, as the platform',
        `${KEY}[0].profile`
      ],
      [[{ profile: 'https://a:b@a.example/' }], 'it has a password; give the https address', `${KEY}[0].profile`],
      [[...one({}), ...one({})], 'it is listed before; list each platform once', `${KEY}[1].profile`],
      [
        one({ copy: 'none.json' }),
        'it is "none.json": there is no such file; give the path of a file with what is at',
        `${KEY}[0].copy`
      ],
      [one({ copy: 'page.html' }), 'it is "page.html": The profile is not JSON; give the path', `${KEY}[0].copy`],
      [
        one({ copy: 'older.json' }),
        'it is "older.json": Version "2026-01-23" of UCP is not supported; 2026-08-25 and 2026-04-08 are; give',
        `${KEY}[0].copy`
      ],
      [
        one({ copy: 'none.keys', authentication: { type: 'signature' } }),
        'it is "none.keys", which has no key to sign with; give a profile whose "signing_keys" (in version 2026-04-08) have one for ES256, ES384 or EdDSA, with a kid',
        `${KEY}[0].copy`
      ],
      ...['other.keys', 'unfit.keys'].map((copy): [unknown, string, string] => [
        one({ copy, authentication: { type: 'signature' } }),
        `it is "${copy}", which has no key to sign with; give a profile whose "signing_keys"`,
        `${KEY}[0].copy`
      ]),
      [
        one({ copy: 'private.keys' }),
        'it is "private.keys", which has a private key; anybody can read a profile: have the platform replace that key',
        `${KEY}[0].copy`
      ],
      [
        one({ copy: 'text.keys' }),
        'it is "text.keys": The profile is not one of UCP: /signing_keys/0 must be an object; give',
        `${KEY}[0].copy`
      ],
      [
        one({ authentication: 'bearer' }),
        'it is "bearer"; give an object such as { "type": "bearer", "secretVariables": ["ACME_TOKEN"] } or { "type": "signature" }',
        `${KEY}[0].authentication`
      ],
      [
        [...proof('bearer', 'TOKEN'), { ...proof('x-api-key', 'AGAIN')[0], profile: 'https://b.example/' }],
        `the environment variable AGAIN holds the secret of ${A}, too; give each platform one of its own`,
        `${KEY}[1].authentication.secretVariables[0]`
      ],
      [proof('basic', 'TOKEN'), 'it is "basic"; give the way in which the platform', `${KEY}[0].authentication.type`],
      [
        one({ authentication: { type: 'bearer' } }),
        '"bearer" needs secretVariables: a list of one or two names of environment variables, such as ["ACME_TOKEN"]',
        `${KEY}[0].authentication`
      ],
      [proof('signature', 'TOKEN'), 'a signature needs no secret of yours', `${KEY}[0].authentication`],
      [proof('bearer'), 'it is []; give a list of one or two names', secrets],
      [
        proof('x-api-key', 'NONE'),
        'the environment variable NONE is not set; give it 32 to 512 random',
        `${secrets}[0]`
      ],
      [proof('x-api-key', 'WORD'), 'WORD is not an API key; give it 32', `${secrets}[0]`],
      [proof('bearer', 'TOKEN', 'AGAIN'), 'AGAIN holds the same secret as TOKEN', `${secrets}[1]`]
    ],
    { file, variables }
  )
})

t.test('secrets that are both missing are not said to be the same', async t => {
  const platforms = ['a', 'b'].map(name => ({
    profile: `https://${name}.example/`,
    authentication: { type: 'bearer', secretVariables: [`NONE_${name.toUpperCase()}`] }
  }))
  const found = mistakesIn(t, [changed({ [KEY]: platforms }, file)], variables)
  t.match(found, [/NONE_A is not set/, /NONE_B is not set/])
  t.equal(found.length, 2)
})
