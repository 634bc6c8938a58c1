// Profiles: what cannot be used is refused with file, line, key, what is wrong and what would be right.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv } from 'ajv'
import t, { type Test } from 'tap'
import { OWN_SELECTORS } from '../../../src/kit/browser/shown-lines.ts'
import { INDEXED, ProfileError, readProfile } from '../../../src/kit/conformance/profile.ts'
import { profileSchema } from '../../../src/kit/conformance/profile-schema.ts'
import { transferOptions } from '../../../src/transfer/index.ts'

const CONFIG = join(import.meta.dirname, '../../../config')

const RIGHT = `{
  "name": "Harbour",
  "option": "2A",
  "url": "https://shop.example/cart",
  "currency": "GBP",
  "skus": {
    "exist": ["A", "B", "C"],
    "unknown": ["N"]
  },
  "names": "index-free",
  "origins": ["https://cdn.example"]
}`

/** The right profile with an edit: what to find in its text, and what to put there. */
function read(t: Test, find = '', put = '') {
  if (!RIGHT.includes(find)) throw new Error(`the right profile holds no ${find}`)
  const file = join(t.testdir({}), 'profile.json')
  writeFileSync(file, RIGHT.replace(find, put))
  return readProfile(file, transferOptions)
}

function mistakesOf(t: Test, find: string, put: string): string {
  try {
    read(t, find, put)
    return 'none'
  } catch (error) {
    if (!(error instanceof ProfileError)) throw error
    return error.message.replaceAll(`${t.testdirName}/`, '')
  }
}

t.test('what a profile leaves out has a default, which is our own pages and answers', async t => {
  t.match(read(t), {
    option: '2A',
    names: 'index-free',
    reference: 'plain',
    bigBag: 50,
    timeoutSeconds: 30,
    skus: { outOfStock: [] },
    page: { ...OWN_SELECTORS, settleSeconds: 0 },
    expect: { malformed: '4xx', otherCart: '2xx', describedMethod: 'POST' }
  })
  t.equal(read(t, '"names": "index-free",', '').names, INDEXED)
})

t.test('an address may have a query where the option writes none', async t => {
  t.equal(read(t, '/cart', '/cart?shop=7').url, 'https://shop.example/cart?shop=7')
  t.match(
    mistakesOf(
      t,
      '"option": "2A",\n  "url": "https://shop.example/cart"',
      '"option": "2B", "url": "https://shop.example/cart?a=1"'
    ),
    'profile.json:3: url: it is "https://shop.example/cart?a=1"; give an http or https address without query'
  )
})

const CASES: [rule: string, find: string, put: string, mistake: string][] = [
  ['what is no JSON', '"name"', '// "name"', 'profile.json: '],
  ['a list in place of an object', RIGHT, '[]', 'profile.json:1: the file: it is []; give an object with name, option'],
  ['a missing key', '"currency": "GBP",', '', 'profile.json:1: currency: missing; give an ISO 4217 code'],
  ['an unknown key', '"name"', '"colour": 1, "name"', 'profile.json:2: colour: unknown key'],
  ['a key twice', '"name"', '"name": "x", "name"', 'profile.json:2: name: duplicate key; keep one'],
  ['an unknown option', '"2A"', '"3"', 'profile.json:3: option: it is "3"; give how a cart arrives: "1", "2A", "2B"'],
  ['too few SKUs', '"A", ', '', 'profile.json:7: skus.exist: it is ["B","C"]; give a list of at least three SKUs'],
  ['no unknown SKU', '["N"]', '[]', 'profile.json:8: skus.unknown: it is []; give a list of at least one SKU'],
  [
    'an unknown SKU that exists',
    '"N"',
    '"N", "B"',
    'profile.json:8: skus.unknown[1]: it is "B"; give a SKU that is not'
  ],
  ['an address that is none', 'https://', '', 'profile.json:4: url: it is "shop.example/cart"; give an http or https'],
  ['an address with a fragment', '/cart', '/cart?a=1#b', 'profile.json:4: url: '],
  ['another scheme', 'https://shop', 'ftp://shop', 'profile.json:4: url: '],
  ['a currency that is none', '"GBP"', '"XXX"', 'profile.json:5: currency: it is "XXX"; give an ISO 4217 code'],
  [
    'names of another option',
    '"2A"',
    '"2B"',
    'profile.json:10: names: it is "index-free"; give one that option 2B has: indexed'
  ],
  [
    'an origin with a path',
    'cdn.example',
    'cdn.example/x',
    'profile.json:11: origins[0]: it is "https://cdn.example/x"'
  ],
  ['an origin that is none', 'https://cdn', 'cdn', 'profile.json:11: origins[0]: '],
  [
    'a status that is none',
    '"names"',
    '"expect": { "unknownSku": "no" }, "names"',
    'profile.json:10: expect.unknownSku: it is "no"'
  ],
  [
    'a redirect, which a web view follows',
    '"names"',
    '"expect": { "otherCart": "3xx" }, "names"',
    'profile.json:10: expect.otherCart: it is "3xx"'
  ]
]

for (const [rule, find, put, mistake] of CASES) {
  t.test(`refused: ${rule}`, async t => {
    const [first = ''] = mistakesOf(t, find, put).split('\n')
    t.ok(first.startsWith(mistake), `${first} starts with ${mistake}`)
  })
}

t.test(
  'config/conform.schema.json is the schema that the kit checks by, and the profiles of the demos keep it',
  async t => {
    const schema = JSON.parse(readFileSync(join(CONFIG, 'conform.schema.json'), 'utf8'))
    t.strictSame(schema, JSON.parse(JSON.stringify(profileSchema(transferOptions))), 'run `npm run schema`')
    const validate = new Ajv({ allErrors: true }).compile(schema)
    for (const name of ['harbour', 'werft', 'kissa']) {
      const file = join(CONFIG, name, 'conform.json')
      const profile = JSON.parse(readFileSync(file, 'utf8'))
      t.ok(validate(profile), `${name}: ${JSON.stringify(validate.errors)}`)
      t.equal(profile.$schema, '../conform.schema.json')
      t.match(readProfile(file, transferOptions), { url: `http://127.0.0.1:3000/${name}/cart` })
    }
  }
)
