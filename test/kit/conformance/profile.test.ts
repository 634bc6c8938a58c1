// Profiles: mistakes are reported with file, line, key, what is wrong and what would be right.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv } from 'ajv'
import t, { type Test } from 'tap'
import { OperatorError } from '../../../src/errors.ts'
import { DEFAULT_SELECTORS, INDEXED_NAMES, profileSchema, readProfile } from '../../../src/kit/conformance/profile.ts'
import { transferOptions } from '../../../src/transfer/index.ts'

const CONFIG = join(import.meta.dirname, '../../../config')

const VALID = `{
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

/** Reads the valid profile after replacing a part of its text. */
function read(t: Test, search = '', replacement = '') {
  if (!VALID.includes(search)) throw new Error(`the valid profile does not contain ${search}`)
  const file = join(t.testdir({}), 'profile.json')
  writeFileSync(file, VALID.replace(search, replacement))
  return readProfile(file, transferOptions)
}

function mistakesOf(t: Test, search: string, replacement: string): string {
  try {
    read(t, search, replacement)
    return 'none'
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error
    return error.message.replaceAll(`${t.testdirName}/`, '')
  }
}

t.test('the defaults are those of our own pages and responses', async t => {
  t.match(read(t), {
    option: '2A',
    names: 'index-free',
    reference: 'plain',
    bigBag: 60,
    maxQuantity: 9999,
    timeoutSeconds: 30,
    skus: { outOfStock: [] },
    page: { ...DEFAULT_SELECTORS, settleSeconds: 0 },
    expect: { malformed: '4xx', otherCart: '2xx', describedMethod: 'POST', sameSku: 'apart' }
  })
  t.equal(read(t, '"names": "index-free",', '').names, INDEXED_NAMES)
  t.equal(read(t, '"unknown"', '"outOfStock": "none", "unknown"').skus.outOfStock, 'none')
})

t.test('the address may have a query if the option does not write one, and Meta’s the shop’s own', async t => {
  t.equal(read(t, '/cart', '/cart?shop=7').url, 'https://shop.example/cart?shop=7')
  const withQuery = (option: string) =>
    mistakesOf(
      t,
      '"option": "2A",\n  "url": "https://shop.example/cart"',
      `"option": "${option}", "url": "https://shop.example/cart?a=1"`
    )
  const mistake =
    'profile.json:3: url: it is "https://shop.example/cart?a=1"; give an http or https address without query'
  for (const option of ['2B', 'permalink']) t.match(withQuery(option), mistake, option)
  t.notMatch(withQuery('meta'), 'url:')
})

t.test('a SKU that Meta’s links cannot write is a mistake', async t => {
  const file = join(t.testdir({}), 'profile.json')
  const read = (sku: string, option: string) => {
    writeFileSync(
      file,
      VALID.replace('"2A"', `"${option}"`).replace('"B"', `"${sku}"`).replace('index-free', 'indexed')
    )
    return readProfile(file, transferOptions)
  }
  t.match(read('B', 'meta'), { option: 'meta' })
  t.match(read('B:1', 'permalink'), { option: 'permalink' })
  t.throws(() => read('B:1', 'meta'), {
    message: /:6: skus: An id with "," or ":" cannot be sent; Meta supports none\./
  })
})

/** A mistake: the line of the file where it is, and how its report begins. */
const CASES: [rule: string, search: string, replacement: string, mistake: string][] = [
  ['invalid JSON', '"name"', '// "name"', "2: column 3: expected property name or '}'; give a profile in plain JSON: "],
  ['a list instead of an object', VALID, '[]', '1: the file: it is []; give an object with name, option'],
  ['a missing key', '"currency": "GBP",', '', '1: currency: missing; give an ISO 4217 code'],
  ['an unknown key', '"name"', '"colour": 1, "name"', '2: colour: unknown key'],
  ['a key twice', '"name"', '"name": "x", "name"', '2: name: duplicate key; keep one'],
  ['an unknown option', '"2A"', '"none"', '3: option: it is "none"; give how a cart arrives: "1", "2A", "2B"'],
  ['too few SKUs', '"A", ', '', '7: skus.exist: it is ["B","C"]; give a list of at least three SKUs'],
  ['no unknown SKU', '["N"]', '[]', '8: skus.unknown: it is []; give a list of at least one SKU'],
  ['an unknown SKU that exists', '"N"', '"N", "B"', '8: skus.unknown[1]: it is "B"; give a SKU that is not also in'],
  [
    'a word but none',
    '"unknown"',
    '"outOfStock": "no", "unknown"',
    '8: skus.outOfStock: it is "no"; give a list of SKUs'
  ],
  ['an address that is not a URL', 'https://', '', '4: url: it is "shop.example/cart"; give an http or https'],
  ['an address with a fragment', '/cart', '/cart?a=1#b', '4: url: '],
  ['another scheme', 'https://shop', 'ftp://shop', '4: url: '],
  ['an unknown currency', '"GBP"', '"XXX"', '5: currency: it is "XXX"; give an ISO 4217 code'],
  [
    'names of another option',
    '"2A"',
    '"2B"',
    '10: names: it is "index-free"; give one that option 2B supports: indexed'
  ],
  ['codes of an option without', '"names"', '"codes": {}, "names"', '10: codes: option 2A sends none; leave it out'],
  [
    'a platform of an option without',
    '"names"',
    '"platform": "https://a.example", "names"',
    '10: platform: option 2A sends none; leave it out'
  ],
  ['an origin with a path', 'cdn.example', 'cdn.example/x', '11: origins[0]: it is "https://cdn.example/x"'],
  ['an origin that is not one', 'https://cdn', 'cdn', '11: origins[0]: '],
  ['no status', '"names"', '"expect": { "unknownSku": "no" }, "names"', '10: expect.unknownSku: it is "no"'],
  // A web view follows it.
  ['a redirect', '"names"', '"expect": { "otherCart": "3xx" }, "names"', '10: expect.otherCart: it is "3xx"']
]

t.test('a mistake is reported with file, line and key, what is wrong and what would be right', async t => {
  for (const [rule, search, replacement, mistake] of CASES) {
    const [first = ''] = mistakesOf(t, search, replacement).split('\n')
    t.ok(first.startsWith(`profile.json:${mistake}`), `${rule}: ${first}`)
  }
})

t.test('config/conform.schema.json is up to date, and the profiles of the demo shops are valid', async t => {
  const schema = JSON.parse(readFileSync(join(CONFIG, 'conform.schema.json'), 'utf8'))
  t.strictSame(schema, JSON.parse(JSON.stringify(profileSchema(transferOptions))), 'run `npm run schema`')
  const validate = new Ajv({ allErrors: true }).compile(schema)
  for (const [name, path = 'cart', kind = ''] of [
    ['harbour'],
    ['harbour', 'meta', '-meta'],
    ['harbour', 'buy', '-permalink'],
    ['harbour', 'ucp', '-ucp'],
    ['werft'],
    ['kissa'],
    ['orchard']
  ] as const) {
    const file = join(CONFIG, name, `conform${kind}.json`)
    const profile = JSON.parse(readFileSync(file, 'utf8'))
    t.ok(validate(profile), `${name}: ${JSON.stringify(validate.errors)}`)
    t.equal(profile.$schema, '../conform.schema.json')
    t.match(readProfile(file, transferOptions), { url: `http://127.0.0.1:3000/${name}/${path}` })
  }
})
