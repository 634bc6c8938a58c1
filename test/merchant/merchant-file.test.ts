// Merchant files: what cannot work is refused before the server starts, with file, line, key and remedy. Each case is
// an edit of a valid file: the text to find, its replacement, and where and how the result is refused.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { destinations } from '../../src/destination/index.ts'
import { MerchantFileError, readMerchantFiles } from '../../src/merchant/merchant-file.ts'
import { defaultTheme } from '../../src/merchant/theme.ts'
import { pageSettingChecks } from '../../src/pages/check-pages.ts'
import { formPost } from '../../src/transfer/form-post/form-post.ts'
import { transferOptions } from '../../src/transfer/index.ts'
import { jsonDescription } from '../../src/transfer/json-description/json-description.ts'
import { type MerchantChanges, merchantFile } from '../build.ts'

/** As messages list them. */
const OPTIONS = transferOptions.map(({ name }) => JSON.stringify(name)).join(', ')

const VALID = `{
  "id": "shop",
  "name": "The Shop",
  "publicUrl": "https://shop.example/app",
  "locale": "en-GB",
  "currencies": ["GBP"],
  "transfer": {
    "option": "1",
    "path": "/cart",
    "description": {
      "headers": [{ "name": "X-Channel", "value": "app" }],
      "cookies": [
        { "name": "channel", "value": "app", "path": "/" }
      ]
    }
  },
  "catalogue": { "feed": "feed.tsv" },
  "checkout": {
    "path": "/checkout",
    "continueShoppingUrl": "shop://continue"
  }
}
`

type Edit = [find: string, replacement: string]
type Refused = [rule: string, edit: Edit, line: number, key: string, remedy: string]

function edited([find, replacement]: Edit): string {
  if (!VALID.includes(find)) throw new Error(`the valid file has no ${find}`)
  return VALID.replace(find, () => replacement)
}

/** Reads files with these contents, named a.json, b.json and so on, in the test's folder. */
function read(t: Test, ...contents: (string | Uint8Array | object)[]) {
  const folder = t.testdirName
  mkdirSync(folder, { recursive: true })
  const files = contents.map((content, i) => {
    const file = join(folder, `${String.fromCharCode(97 + i)}.json`)
    const isRaw = typeof content === 'string' || content instanceof Uint8Array
    writeFileSync(file, isRaw ? content : JSON.stringify(content, null, 2))
    return file
  })
  return readMerchantFiles(files, { options: transferOptions, destinations, ...pageSettingChecks })
}

/** The mistakes that files with these contents are refused for, without the folder in the path. */
function mistakesOf(t: Test, ...contents: (string | Uint8Array | object)[]): string[] {
  try {
    read(t, ...contents)
    return []
  } catch (error) {
    if (!(error instanceof MerchantFileError)) throw error
    return error.message.replaceAll(`${t.testdirName}/`, '').split('\n')
  }
}

/** Checks that each edit is refused with one mistake, which names file, line, key and remedy. */
function refuses(t: Test, cases: Refused[]): void {
  t.testdir({})
  for (const [rule, edit, line, key, remedy] of cases) {
    const found = mistakesOf(t, edited(edit))
    const [place, ...problem] = found.join('\n').split(': ')
    t.strictSame([place, problem[0]], [`a.json:${line}`, key], rule)
    t.ok(found.length === 1 && found[0]?.includes(remedy), `${rule}: ${remedy}`, { found, remedy })
  }
}

/** Checks that each edit is accepted. */
function accepts(t: Test, cases: [rule: string, edit: Edit][]): void {
  t.testdir({})
  for (const [rule, edit] of cases) t.strictSame(mistakesOf(t, edited(edit)), [], rule)
}

t.test('a valid file is accepted', async t => accepts(t, [['unedited', ['', '']]]))

const UNKNOWN = 'unknown key; leave it out, or look it up in config/README.md'

t.test('an unknown key is refused, wherever it is', async t =>
  refuses(t, [
    ['at the top', ['"id"', '"colour": 1, "id"'], 2, 'colour', UNKNOWN],
    ['in transfer', ['"option"', '"colour": 1, "option"'], 8, 'transfer.colour', UNKNOWN],
    ['in the description', ['"headers"', '"Headers": [], "headers"'], 11, 'transfer.description.Headers', UNKNOWN],
    ['in a header', ['"X-Channel",', '"X-Channel", "a": 1,'], 11, 'transfer.description.headers[0].a', UNKNOWN],
    ['in a cookie', ['"channel",', '"channel", "Domain": "x",'], 13, 'transfer.description.cookies[0].Domain', UNKNOWN],
    ['in catalogue', ['"feed"', '"Feed": "x", "feed"'], 17, 'catalogue.Feed', UNKNOWN],
    ['in checkout', ['"path": "/checkout"', '"path": "/checkout",\n"colour": 1'], 20, 'checkout.colour', UNKNOWN],
    ['a numeric name', ['"id"', '"7": 1, "id"'], 2, '7', UNKNOWN],
    ['a name with a slash and a tilde', ['"id"', '"a/b~c": 1, "id"'], 2, 'a/b~c', UNKNOWN],
    ['__proto__', ['"id"', '"__proto__": {}, "id"'], 2, '__proto__', UNKNOWN]
  ])
)

t.test('an unknown key gets the name that was probably meant', async t => {
  const meant = (name: string) => `unknown key; did you mean "${name}"?`
  refuses(t, [
    ['with a letter too few', ['"name"', '"link": {}, "name"'], 3, 'link', meant('links')],
    ['with two letters swapped', ['"option"', '"maxItmes": 5, "option"'], 8, 'transfer.maxItmes', meant('maxItems')],
    ['in other case', ['"option"', '"MAXITEMS": 5, "option"'], 8, 'transfer.MAXITEMS', meant('maxItems')],
    ['that is elsewhere', ['"id"', '"taxText": "x", "id"'], 2, 'taxText', meant('checkout.taxText')],
    ['and is there already', ['"id"', '"feed": "x", "id"'], 2, 'feed', UNKNOWN]
  ])
})

t.test('an unknown key does not hide other mistakes', async t => {
  t.testdir({})
  const { name, ...rest } = JSON.parse(VALID)
  const places = (content: object) =>
    mistakesOf(t, content).map(mistake => mistake.replace(/^a\.json:\d+: (.*?): .*$/, '$1'))
  const found = {
    ...rest,
    nmae: name,
    look: { colour: 1, dark: { txt: 1, accent: 'red' } },
    delivery: [{ id: 'X', hours: 3 }]
  }
  t.strictSame(places(found), [
    'name',
    'nmae',
    'delivery[0].label',
    'delivery[0].price',
    'delivery[0].hours',
    'delivery[0].id',
    'look.colour',
    'look.dark.txt',
    'look.dark.accent'
  ])
  const unknownOnly = { ...rest, name, colour: 1, currencies: ['GPB'], checkout: { ...rest.checkout, tax: 1 } }
  t.strictSame(
    places(unknownOnly),
    ['colour', 'checkout.tax', 'currencies[0]'],
    'what a schema cannot find is found too'
  )
})

t.test('the keys of another option are unknown', async t => {
  t.testdir({})
  for (const option of ['2A', '2B']) {
    const file = merchantFile(option, { transfer: { acceptHyphenated: true, description: {} } })
    t.strictSame(
      mistakesOf(t, file),
      ['acceptHyphenated', 'description'].map((key, i) => `a.json:${12 + i}: transfer.${key}: ${UNKNOWN}`),
      option
    )
  }
})

t.test('a missing key is named, with what it should hold', async t =>
  refuses(t, [
    ['id', ['  "id": "shop",\n', ''], 1, 'id', 'missing; give a name for logs and tables'],
    ['name', ['  "name": "The Shop",\n', ''], 1, 'name', 'missing; give the name that shoppers know'],
    ['publicUrl', ['"publicUrl": "https://shop.example/app",', ''], 1, 'publicUrl', 'missing; give the address that'],
    ['locale', ['"locale": "en-GB",', ''], 1, 'locale', 'missing; give a language tag such as "en-GB"'],
    ['currencies', ['"currencies": ["GBP"],', ''], 1, 'currencies', 'missing; give a list of ISO 4217 codes'],
    ['catalogue', ['"catalogue": { "feed": "feed.tsv" },', ''], 1, 'catalogue', 'missing; give an object with feed'],
    ['its feed', ['"feed": "feed.tsv"', ''], 17, 'catalogue.feed', 'missing; give the path of the product feed'],
    [
      'transfer.path',
      ['    "path": "/cart",\n', ''],
      7,
      'transfer.path',
      'missing; give where the platform sends carts'
    ],
    ['checkout.path', ['"path": "/checkout",', ''], 18, 'checkout.path', 'missing; give where the checkout pages are'],
    [
      'continueShoppingUrl',
      [',\n    "continueShoppingUrl": "shop://continue"', ''],
      18,
      'checkout.continueShoppingUrl',
      'missing; give the address that takes the shopper back to the app, such as "harbour://continue"'
    ],
    [
      'the name of a header',
      ['"name": "X-Channel", ', ''],
      11,
      'transfer.description.headers[0].name',
      'missing; give a header name'
    ],
    [
      'the value of a cookie',
      ['"value": "app", "path"', '"path"'],
      13,
      'transfer.description.cookies[0].value',
      'missing; give printable ASCII without spaces'
    ]
  ])
)

t.test('a missing transfer or checkout is named, with its keys', async t => {
  t.testdir({})
  const { transfer, checkout, ...rest } = JSON.parse(VALID)
  t.strictSame(mistakesOf(t, { ...rest, checkout }), [
    `a.json:1: transfer: missing; give an object with "option": ${OPTIONS}`
  ])
  t.strictSame(mistakesOf(t, { ...rest, transfer }), [
    'a.json:1: checkout: missing; give an object with path, continueShoppingUrl and what else config/README.md lists'
  ])
})

t.test('a duplicate key is refused: one of the two would be lost', async t =>
  refuses(t, [
    ['at the top', ['"id": "shop"', '"id": "shop", "id": "shop"'], 2, 'id', 'duplicate key; keep one'],
    ['deeper', ['"path": "/cart"', '"path": "/cart", "path": "/c"'], 9, 'transfer.path', 'duplicate key; keep one'],
    [
      'in a list',
      ['"value": "app" }]', '"value": "app", "value": "x" }]'],
      11,
      'transfer.description.headers[0].value',
      'duplicate key; keep one'
    ]
  ])
)

t.test('a value with the wrong type or out of range is quoted, with what would be right', async t =>
  refuses(t, [
    ['$schema', ['"id"', '"$schema": 1, "id"'], 2, '$schema', 'it is 1; give the path of merchant.schema.json'],
    ['an id in capitals', ['"shop",', '"Shop",'], 2, 'id', 'it is "Shop"; give a name for logs and tables: 1 to 40'],
    ['an id with a dot', ['"shop",', '"a.b",'], 2, 'id', '1 to 40 of a to z, 0 to 9 and "-"'],
    ['an empty id', ['"shop",', '"",'], 2, 'id', '1 to 40 of a to z, 0 to 9 and "-"'],
    ['an id of 41 characters', ['"shop",', `"${'a'.repeat(41)}",`], 2, 'id', '1 to 40 of a to z, 0 to 9 and "-"'],
    ['an id that is a number', ['"shop",', '5,'], 2, 'id', 'it is 5; give a name'],
    [
      'an empty name',
      ['"The Shop"', '""'],
      3,
      'name',
      'it is ""; give the name that shoppers know: 1 to 80 characters'
    ],
    ['a name of 81 characters', ['"The Shop"', `"${'x'.repeat(81)}"`], 3, 'name', '1 to 80 characters'],
    ['a name that is null', ['"The Shop"', 'null'], 3, 'name', 'it is null; give the name that shoppers know'],
    ['publicUrl', ['"https://shop.example/app"', '[]'], 4, 'publicUrl', 'it is []; give the address that the app sees'],
    ['locale', ['"en-GB"', '{}'], 5, 'locale', 'it is {}; give a language tag'],
    [
      'a currency instead of a list',
      ['["GBP"]', '"GBP"'],
      6,
      'currencies',
      'it is "GBP"; give a list of ISO 4217 codes'
    ],
    ['no currency', ['["GBP"]', '[]'], 6, 'currencies', 'it is []; give a list of ISO 4217 codes'],
    ['a currency twice', ['["GBP"]', '["GBP", "GBP"]'], 6, 'currencies', 'such as ["GBP"], each once'],
    [
      'a currency that is a number',
      ['["GBP"]', '["GBP",\n826]'],
      7,
      'currencies[1]',
      'it is 826; give an ISO 4217 code'
    ],
    [
      'catalogue',
      ['{ "feed": "feed.tsv" }', '"feed.tsv"'],
      17,
      'catalogue',
      'it is "feed.tsv"; give an object with feed'
    ],
    ['an empty feed', ['"feed.tsv"', '""'], 17, 'catalogue.feed', 'it is ""; give the path of the product feed'],
    [
      'an empty continueShoppingUrl',
      ['"shop://continue"', '""'],
      20,
      'checkout.continueShoppingUrl',
      'such as "harbour://continue"'
    ]
  ])
)

t.test('the settings of checkout have limits', async t => {
  const expires = 'how long a checkout lives: whole minutes from 1 to 525600'
  const deleted = 'how long an expired checkout is kept: whole days from 0 to 3650'
  const cases: [key: string, value: string, remedy: string][] = [
    ['expiresAfterMinutes', '0', expires],
    ['expiresAfterMinutes', '525601', expires],
    ['expiresAfterMinutes', '1.5', expires],
    ['expiresAfterMinutes', '"60"', expires],
    ['deleteAfterDays', '-1', deleted],
    ['deleteAfterDays', '3651', deleted],
    ['completeTitle', '""', 'text that only the title of the confirmation page contains'],
    ['completeTitle', `"${'x'.repeat(81)}"`, 'text that only the title of the confirmation page contains'],
    ['taxText', '""', 'a sentence about taxes'],
    ['taxText', `"${'x'.repeat(201)}"`, 'a sentence about taxes'],
    ['appInjectsStyles', '"true"', 'true or false']
  ]
  refuses(
    t,
    cases.map(([key, value, remedy]) => [
      `${key}: ${value.slice(0, 10)}`,
      ['"path": "/checkout"', `"path": "/checkout", "${key}": ${value}`],
      19,
      `checkout.${key}`,
      remedy
    ])
  )
})

t.test('orders.eraseAfterDays: whole days from 1 to 3650, none by default', async t => {
  const remedy = 'after how many days the personal data of an order is erased: whole days from 1 to 3650'
  refuses(
    t,
    ['0', '3651', '1.5', '"30"'].map(days => [
      `eraseAfterDays: ${days}`,
      ['"currencies": [', `"orders": { "eraseAfterDays": ${days} }, "currencies": [`],
      6,
      'orders.eraseAfterDays',
      remedy
    ])
  )
  t.testdir({})
  const withOrders = (orders: object) => ({ ...merchantFile('1'), orders })
  for (const days of [1, 3650]) {
    t.match(read(t, withOrders({ eraseAfterDays: days })), [{ eraseAfterDays: days }], String(days))
  }
  t.match(read(t, withOrders({})), [{ eraseAfterDays: undefined }])
})

t.test('JSON that is not an object is refused as a file', async t => {
  t.testdir({})
  const remedy = 'give an object with id, name, publicUrl, locale, currencies, transfer, catalogue and checkout'
  for (const content of ['[]', '"shop"', '5', 'null', 'true']) {
    t.strictSame(mistakesOf(t, content).at(0), `a.json:1: the file: it is ${content}; ${remedy}`, content)
  }
})

t.test('a file that cannot be read as JSON is refused', async t => {
  const remedy = 'give a merchant file in plain JSON, without comments'
  const cases: [rule: string, content: string | Uint8Array, problem: RegExp][] = [
    ['an empty file', '', /end of JSON/],
    ['a comment at the start', '// a shop\n{}', /JSON/],
    ['comments', VALID.replace('"id"', '// the id\n  "id"'), /line 2/],
    ['a trailing comma', VALID.replace('"shop://continue"', '"shop://continue",'), /line 21/],
    ['single quotes', VALID.replaceAll('"', "'"), /line 2/],
    ['bytes that are not UTF-8', Buffer.from(VALID.replace('The Shop', 'Caf\u00e9'), 'latin1'), /utf-8/]
  ]
  t.testdir({})
  for (const [rule, content, problem] of cases) {
    const [first = '', ...rest] = mistakesOf(t, content)
    t.match(first, problem, `${rule}: what is wrong`)
    t.ok(first.startsWith('a.json: ') && first.endsWith(`; ${remedy}`), `${rule}: file and remedy`, { first })
    t.strictSame(rest, [], rule)
  }
  const gone = join(t.testdirName, 'gone.json')
  const paths = { [gone]: 'there is no such file', [t.testdirName]: 'it is a folder' }
  for (const [path, problem] of Object.entries(paths)) {
    const message = `${path}: ${problem}; give the path of a merchant file`
    t.throws(() => readMerchantFiles([path], { options: transferOptions, destinations }), { message })
  }
})

t.test('a byte order mark, which some editors write, is accepted', async t => {
  t.testdir({})
  t.strictSame(mistakesOf(t, `\ufeff${VALID}`), [])
})

t.test('option: must be in the list', async t => {
  const remedy = `give an object with "option": ${OPTIONS}`
  refuses(t, [
    ['an unknown option', ['"1"', '"none"'], 8, 'transfer.option', `it is "none"; give one of ${OPTIONS}`],
    ['another letter case', ['"1"', '"2a"'], 8, 'transfer.option', `it is "2a"; give one of ${OPTIONS}`],
    ['a number', ['"1"', '1'], 8, 'transfer.option', 'it is 1; give "1", with its quotation marks'],
    ['none', ['    "option": "1",\n', ''], 7, 'transfer', remedy]
  ])
  for (const transfer of ['/cart', 5, null, []]) {
    const [first = '', ...rest] = mistakesOf(t, { ...JSON.parse(VALID), transfer })
    t.match(first, `a.json:9: transfer: it is ${JSON.stringify(transfer)}; ${remedy}`)
    t.strictSame(rest, [])
  }
  const only = [join(t.testdirName, 'a.json')]
  writeFileSync(only[0] as string, VALID)
  const message = /a\.json:8: transfer\.option: it is "1"; give .*"2A"/
  t.throws(
    () => readMerchantFiles(only, { options: [formPost], destinations: [] }),
    { message },
    'an option that this server does not have'
  )
})

t.test('maxItems: 1 to 900, maxQuantity: 1 to 9999', async t => {
  const cases: [string, string, string][] = [
    ['maxItems', '900', 'the maximum number of lines in a cart: a whole number from 1 to 900'],
    ['maxQuantity', '9999', 'the maximum number of units in a line: a whole number from 1 to 9999']
  ]
  for (const [key, maximum, remedy] of cases) {
    const edit = (value: string): Edit => ['"path": "/cart"', `"path": "/cart", "${key}": ${value}`]
    accepts(t, [
      ['the minimum', edit('1')],
      ['the maximum', edit(maximum)]
    ])
    for (const value of ['0', `${Number(maximum) + 1}`, '1.5', '-1', '"500"', 'null', '1e9']) {
      refuses(t, [[value, edit(value), 9, `transfer.${key}`, remedy]])
    }
  }
})

t.test('maxTotal: an amount, or one for each currency', async t => {
  const edit = (value: string): Edit => ['"path": "/checkout"', `"path": "/checkout", "maxTotal": ${value}`]
  accepts(t, [
    ['an amount', edit('"2000.00"')],
    ['one for each currency', edit('{ "GBP": "2000" }')]
  ])
  refuses(t, [
    ['a number', edit('2000'), 19, 'checkout.maxTotal', 'the most that the goods of a bag may cost: an amount such as'],
    ['a comma', edit('"2.000,00"'), 19, 'checkout.maxTotal', 'an amount such as "4.50"'],
    ['another currency', edit('{ "EUR": "2000" }'), 19, 'checkout.maxTotal', 'an amount such as "4.50"']
  ])
})

t.test('paths: plain characters, no trailing slash', async t => {
  const right = 'a path such as "/cart", without a slash at the end'
  for (const path of ['', '/', 'cart', '/cart/', '/a//b', '/a/../b', '/..', '/.', '/:id', '/*', '/ü', '/%63', '/a?b']) {
    refuses(t, [
      [`transfer.path ${path}`, ['"/cart"', `"${path}"`], 9, 'transfer.path', right],
      [`checkout.path ${path}`, ['"/checkout"', `"${path}"`], 19, 'checkout.path', right]
    ])
  }
  refuses(t, [['a path of 1,025 characters', ['"/cart"', `"/${'a'.repeat(1024)}"`], 9, 'transfer.path', right]])
  accepts(t, [
    ['several segments', ['"/cart"', '"/v1/cart.json"']],
    ['a path of 1,024 characters', ['"/cart"', `"/${'a'.repeat(1023)}"`]]
  ])
})

t.test('transfer.path must not be checkout.path or beneath it', async t => {
  const remedy = 'give one that is not checkout.path or beneath it'
  refuses(t, [
    ['equal', ['"/cart"', '"/checkout"'], 9, 'transfer.path', `it is "/checkout"; ${remedy}`],
    ['beneath', ['"/cart"', '"/checkout/cart"'], 9, 'transfer.path', `it is "/checkout/cart"; ${remedy}`]
  ])
  accepts(t, [
    ['a longer name', ['"/cart"', '"/checkouts"']],
    ['checkout.path beneath transfer.path', ['"/checkout"', '"/cart/checkout"']]
  ])
})

t.test('the paths of the server itself, such as /healthz and /pictures, are refused', async t => {
  const edit = (publicUrl: string, find: string, replacement: string): Edit => [
    VALID,
    VALID.replace('https://shop.example/app', publicUrl).replace(find, replacement)
  ]
  refuses(t, [
    ['a cart at /healthz', edit('/', '/cart', '/healthz'), 9, 'transfer.path', 'own path; give another'],
    ['a cart below /healthz', edit('/', '/cart', '/healthz/cart'), 9, 'transfer.path', 'lies in "/healthz"'],
    ['a checkout at /healthz', edit('/', '/checkout', '/healthz'), 19, 'checkout.path', 'own path; give another'],
    ['a cart below /simulator', edit('/', '/cart', '/simulator/cart'), 9, 'transfer.path', 'lies in "/simulator"'],
    ['a cart at /pictures', edit('/app', '/cart', '/pictures'), 9, 'transfer.path', 'lies in "/app/pictures"'],
    ['a cart below /pictures', edit('/app', '/cart', '/pictures/cart'), 9, 'transfer.path', 'own path; give another'],
    [
      'a cart at /openapi.json',
      edit('/app', '/cart', '/openapi.json'),
      9,
      'transfer.path',
      'lies in "/app/openapi.json"'
    ],
    ['a checkout at /pictures', edit('/', '/checkout', '/pictures'), 19, 'checkout.path', 'lies in "/pictures"'],
    ['a cart at /logo', edit('/app', '/cart', '/logo'), 9, 'transfer.path', 'lies in "/app/logo"'],
    ['a cart at /favicon.ico', edit('/', '/cart', '/favicon.ico'), 9, 'transfer.path', 'lies in "/favicon.ico"']
  ])
  accepts(t, [
    ['longer names', edit('/healthzz', '/cart', '/pictures-of-us')],
    ['healthz below a merchant', edit('/app', '/cart', '/healthz')],
    ['simulator below a merchant', edit('/app', '/cart', '/simulator')]
  ])
  for (const publicUrl of ['/healthz', 'https://shop.example/healthz', '/healthz/shop', '/simulator']) {
    const file = merchantFile('1', { publicUrl })
    t.match(
      mistakesOf(t, file).at(0),
      /^a\.json:4: publicUrl: "\/(healthz|simulator).*" is the server's own path; give another$/
    )
  }
})

t.test('publicUrl: https, or http on loopback and private addresses', async t => {
  const edit = (publicUrl: string): Edit => ['https://shop.example/app', publicUrl]
  const https = 'use https: http is for loopback and private addresses only, and'
  const right = 'no slash at the end, no user, query or fragment'
  const cases: [publicUrl: string, remedy: string][] = [
    ['http://shop.example/app', `${https} "shop.example" is neither`],
    ['http://203.0.113.9/app', `${https} "203.0.113.9" is neither`],
    ['http://[2001:db8::1]/app', `${https} "[2001:db8::1]" is neither`],
    ['https://shop.example/app/', `write it as "https://shop.example/app": ${right}`],
    ['https://shop.example/', `write it as "https://shop.example": ${right}`],
    ['https://me:secret@shop.example', `write it as "https://shop.example": ${right}`],
    ['https://shop.example/app?a=b', `write it as "https://shop.example/app": ${right}`],
    ['https://shop.example/app#a', `write it as "https://shop.example/app": ${right}`],
    ['shop.example/app', 'give an address such as "https://shop.example/app", or a path such as "/harbour"'],
    ['/app/', 'a path is made of letters, digits, ".", "_", "~" and "-", without a slash at the end'],
    ['/:shop', 'a path is made of letters, digits']
  ]
  refuses(
    t,
    cases.map(([publicUrl, remedy]) => [publicUrl, edit(publicUrl), 4, 'publicUrl', `it is "${publicUrl}"; ${remedy}`])
  )
  accepts(
    t,
    ['https://shop.example', 'http://127.0.0.1:3000', 'http://10.1.2.3/app', 'http://[::1]:3000/app', '/app', '/'].map(
      publicUrl => [publicUrl, edit(publicUrl)]
    )
  )
})

t.test('locale: a valid language tag', async t =>
  refuses(
    t,
    ['', 'en_GB', 'english', 'xx', 'en-', '-'].map(locale => [
      `"${locale}"`,
      ['en-GB', locale],
      5,
      'locale',
      `it is "${locale}"; give a language tag such as "en-GB"`
    ])
  )
)

t.test('locales: languages with messages, each once', async t => {
  const italian = { ...merchantFile('1'), locale: 'it-IT' }
  t.match(mistakesOf(t, { ...italian, locales: ['de', 'en'] }), [
    /locales\[1\]: pages in "en" and in "it-IT" would both be in "en"; give one of them only$/
  ])
  t.strictSame(mistakesOf(t, { ...italian, locales: ['de'] }), [])
  t.match(mistakesOf(t, { ...italian, locale: 'english!', locales: ['en'] }), [/locale: it is "english!"/])
  const locales = (text: string): Edit => ['"currencies"', `"locales": [${text}], "currencies"`]
  refuses(t, [
    ['not a language tag', locales('"fr", "german!"'), 6, 'locales[1]', 'it is "german!"; give a language tag'],
    ['no messages', locales('"it-IT"'), 6, 'locales[0]', 'there are no messages for "it-IT"; give one of en, de, fr'],
    ['the default', locales('"en-GB"'), 6, 'locales[0]', '"en-GB" and in "en-GB" would both be in "en-GB"; give one'],
    [
      'another in two spellings',
      locales('"de-at", "de-AT"'),
      6,
      'locales[1]',
      '"de-AT" and in "de-at" would both be in "de-AT"'
    ],
    [
      'one in two spellings',
      locales('"de", "en-gb"'),
      6,
      'locales[1]',
      '"en-gb" and in "en-GB" would both be in "en-gb"'
    ],
    ['twice', locales('"fr", "fr"'), 6, 'locales', 'give a list of the other languages offered']
  ])
  accepts(t, [
    ['several', locales('"de-DE", "fr", "es-419", "ja-JP", "ar-AE"')],
    ['another region', locales('"en-US"')]
  ])
})

t.test('messages: known names, valid patterns', async t => {
  const messages = (text: string): Edit => ['"currencies"', `"messages": {${text}}, "currencies"`]
  refuses(t, [
    [
      'an unknown language',
      messages('"it": {}'),
      6,
      'messages.it',
      'there are no pages in this language; give one of en, de'
    ],
    [
      'no such message',
      messages('"en": { "total": "Sum", "x": "Buy" }'),
      6,
      'messages.en.x',
      'there is no such message; give a name that src/messages/en.json has'
    ],
    [
      'nearly the name of a message',
      messages('"en": { "place-ordr": "Buy" }'),
      6,
      'messages.en.place-ordr',
      'there is no such message; did you mean "place-order"?'
    ],
    [
      'a broken pattern',
      messages('"en": { "checkout": "{" }'),
      6,
      'messages.en.checkout',
      'it is not an ICU message ('
    ],
    ['an unknown argument', messages('"en": { "order": "{x}" }'), 6, 'messages.en.order', 'it holds {x}; give'],
    ['an empty message', messages('"en": { "order": "" }'), 6, 'messages.en.order', 'it is ""; give an ICU message'],
    [
      'a language that is not offered',
      messages('"en": {},\n"de": { "total": "Summe" }'),
      7,
      'messages.de',
      'no page is in this language; add it to "locales", or leave this out'
    ]
  ])
  const both: Edit = [
    '"currencies"',
    '"locales": ["ja-JP"], "messages": {"en": {}, "ja": { "total": "計" }}, "currencies"'
  ]
  accepts(t, [
    ['some messages, in some languages', both],
    [
      'English, which is used for a language without messages',
      [VALID, edited(messages('"en": {}')).replace('en-GB', 'it-IT')]
    ]
  ])
})

t.test('texts of the shop: one for all languages, or one for each', async t => {
  const text = (key: string, label: string): Edit => [
    '"checkout": {',
    `"locales": ["de-DE", "de-AT"], ${key.replace('…', label)} "checkout": {${key === 'tax' ? ` "taxText": ${label},` : ''}`
  ]
  const payment = '"payment": { "text": … },'
  const delivery = '"delivery": [{ "id": "post", "label": …, "price": "1" }],'
  const right = 'there is no text for "de"; give one for each language'
  refuses(t, [
    ['payment', text(payment, '{ "en": "Pay" }'), 18, 'payment.text', right],
    ['delivery', text(delivery, '{ "en": "Post" }'), 18, 'delivery[0].label', right],
    [
      'a language that is not offered',
      text(delivery, '{ "en": "Post", "de": "Paket", "fr": "Colis" }'),
      18,
      'delivery[0].label.fr',
      'no page is in this language'
    ],
    ['not a language', text(payment, '{ "en-GB": "Pay" }'), 18, 'payment.text', 'or one for each language such as']
  ])
  accepts(t, [
    ['one for all languages', text(payment, '"Pay"')],
    ['one for each language', text(delivery, '{ "en": "Post", "de": "Paket" }')]
  ])
  const file = (taxText: object) => merchantFile('1', { locales: ['de'], checkout: { taxText } })
  t.match(mistakesOf(t, file({ de: 'Inkl. MwSt.' })), [/checkout\.taxText: there is no text for "en"/])
  t.strictSame(mistakesOf(t, file({ en: 'Incl. VAT', de: 'Inkl. MwSt.' })), [])
})

t.test('completeTitle: contained in no other title, in any language or custom wording', async t => {
  const complete = (completeTitle: string, more: object) =>
    mistakesOf(t, merchantFile('1', { checkout: { completeTitle }, ...more }))
  t.match(complete('Kasse', { locales: ['de'] }), [/completeTitle: it is "Kasse"; .* as "Kasse – The Shop" does/])
  t.strictSame(complete('Kasse', {}), [])
  t.match(complete('Last step', { messages: { en: { checkout: 'Last step' } } }), [/completeTitle: it is "Last step"/])
  t.match(complete('Error:', {}), [/as "Error: Checkout – The Shop" does/])
})

t.test('look: colours with enough contrast, a logo that exists', async t => {
  const look = (text: string): Edit => ['"currencies"', `"look": {${text}}, "currencies"`]
  refuses(t, [
    [
      'a pale accent',
      look('"light": { "accent": "#767676" }'),
      6,
      'look.light',
      'accent #767676 on background #f4f5f7 has a contrast of 4.16; give a pair with 4.5 or more; the nearest accent that passes is #707070'
    ],
    [
      'no such dark logo',
      look('"logo": "https://cdn.example/logo.svg", "dark": { "logo": "night.svg" }'),
      6,
      'look.dark.logo',
      'it is "night.svg"; give an https address, or an existing file'
    ],
    [
      'a dark logo alone',
      look('"dark": { "logo": "https://cdn.example/night.svg" }'),
      6,
      'look.dark.logo',
      'there is none for light mode; give "logo" in "look" too'
    ],
    ['dark mode neither on nor off', look('"dark": true'), 6, 'look.dark', 'it is true; give accent, background'],
    [
      'not a colour',
      look('"dark": { "text": "white" }'),
      6,
      'look.dark.text',
      'it is "white"; give the colour of text'
    ],
    [
      'a colour in capitals',
      look('"light": { "accent": "#0B57D0" }'),
      6,
      'look.light.accent',
      'it is "#0B57D0"; give the colour of buttons and selected items: six digits in lower case'
    ],
    ['no such font', look('"font": "Arial"'), 6, 'look.font', 'the device: "sans", "serif", "rounded", "mono"'],
    ['no such headings', look('"headings": "huge"'), 6, 'look.headings', '"bold", "light", "capitals"'],
    ['no such pictures', look('"pictures": "round"'), 6, 'look.pictures', '"square", "portrait"'],
    ['a radius out of range', look('"radius": 25'), 6, 'look.radius', 'whole pixels from 0 to 24'],
    [
      'no such logo',
      look('"logo": "logo.svg"'),
      6,
      'look.logo',
      'give an https address, or an existing file of type .svg'
    ],
    ['an http logo', look('"logo": "http://shop.example/logo.svg"'), 6, 'look.logo', 'give an https address'],
    ['another kind of file', look('"logo": "a.json"'), 6, 'look.logo', 'file of type .svg, .png, .webp, .jpg, .jpeg']
  ])
  const night = { light: { background: '#111418', surface: '#1b2026', text: '#eceff3', accent: '#8ab4f8' } }
  t.match(
    mistakesOf(t, { ...JSON.parse(VALID), look: night }).find(mistake => mistake.includes('accent #8ab4f8')),
    /look\.light: accent #8ab4f8 on our background of mistakes #fdeceb has a contrast of 1\.84; give a pair with 3 or more; the nearest accent that passes is #638bcc$/
  )
  const chosen = { font: 'serif', headings: 'capitals', pictures: 'portrait', radius: 0 } as const
  const [merchant] = read(t, { ...JSON.parse(VALID), look: chosen })
  t.strictSame(merchant?.theme, { ...defaultTheme(), ...chosen })
  accepts(t, [
    ['some colours', look('"light": { "accent": "#0f5c6e" }, "dark": { "text": "#ffffff" }, "radius": 0')],
    ['a logo on another host', look('"logo": "https://cdn.example/logo.svg"')],
    [
      'another for dark mode',
      look('"logo": "https://cdn.example/l.svg", "dark": { "logo": "https://cdn.example/d.svg" }')
    ],
    ['no dark mode', look('"dark": false')]
  ])
})

t.test('the type of a logo follows from its file extension, in any case', async t => {
  const files = { 'logo.SVG': 'svg+xml', 'logo.png': 'png', 'logo.Webp': 'webp', 'logo.jpg': 'jpeg', 'l.JPEG': 'jpeg' }
  const folder = t.testdir(Object.fromEntries(Object.keys(files).map(name => [name, ''])))
  for (const [name, type] of Object.entries(files)) {
    const [merchant] = read(t, { ...merchantFile('1'), look: { logo: name } })
    t.strictSame(merchant?.theme.logo, { file: join(folder, name), type: `image/${type}` }, name)
  }
})

t.test('links: https addresses, or mailto and tel for contact', async t => {
  const links = (text: string): Edit => ['"currencies"', `"links": {${text}}, "currencies"`]
  refuses(t, [
    ['a script', links('"contact": "javascript:alert(1)"'), 6, 'links.contact', 'give an address such as "mailto:'],
    ['a path', links('"terms": "/terms"'), 6, 'links.terms', 'give an address such as "https://'],
    ['mail', links('"privacy": "mailto:a@b.example"'), 6, 'links.privacy', 'give an address such as "https://'],
    ['an unknown name', links('"jobs": "https://shop.example/jobs"'), 6, 'links.jobs', 'unknown key; leave it out'],
    ['in one language', links('"imprint": {"en": "/imprint"}'), 6, 'links.imprint.en', 'shop.example/imprint"'],
    [
      'no page in it',
      links('"terms": {"en": "https://a.example", "de": "https://b.example"}'),
      6,
      'links.terms.de',
      'add'
    ],
    [
      'a language missing',
      links('"terms": {}'),
      6,
      'links.terms',
      'there is no address for "en"; give one for each language'
    ]
  ])
  accepts(t, [
    ['by mail', links('"contact": "mailto:help@shop.example", "terms": "https://shop.example/terms"')],
    ['by phone', links('"contact": "tel:+441234567890", "privacy": "https://shop.example/privacy"')],
    ['on a page', links('"contact": "https://shop.example/help"')],
    ['in each language', links('"returns": {"en": "https://shop.example/returns"}')]
  ])
})

t.test('currencies: upper-case ISO 4217 codes', async t =>
  refuses(
    t,
    ['gbp', 'ZZZ', '', '£', '826', 'GBP '].map(code => [
      `"${code}"`,
      ['["GBP"]', `["GBP",\n"${code}"]`],
      7,
      'currencies[1]',
      `it is "${code}"; give an ISO 4217 code such as "GBP"`
    ])
  )
)

t.test('headers: never a Content-Type, which the app ignores', async t => {
  const remedy = 'the app ignores a Content-Type (contract 4.1 rule 2); leave this header out'
  refuses(
    t,
    ['Content-Type', 'content-type', 'CONTENT-TYPE', 'cOnTeNt-tYpE'].map(name => [
      name,
      ['[{ "name": "X-Channel"', `[{ "name": "X-A", "value": "1" },\n{ "name": "${name}"`],
      12,
      'transfer.description.headers[1].name',
      remedy
    ])
  )
  accepts(t, [['another Content header', ['X-Channel', 'Content-Language']]])
})

t.test('headers and cookies: only values that can be sent', async t => {
  const header = 'transfer.description.headers[0]'
  const cookie = 'transfer.description.cookies[0]'
  const value = '"value": "app", "path"'
  const date = 'a date and time such as "2027-01-31T12:00:00Z"; or give expiresAfterMinutes, not both'
  const minutes = 'whole minutes from 1 to 5256000 (ten years); or give expireDate, not both'
  const withDate = (text: string): Edit => ['"path": "/" }', `"expireDate": "${text}" }`]
  const withMinutes = (text: string): Edit => ['"path": "/" }', `"expiresAfterMinutes": ${text} }`]
  refuses(t, [
    [
      'httpMethod',
      ['"headers"', '"httpMethod": "PUT", "headers"'],
      11,
      'transfer.description.httpMethod',
      '"POST" (rec'
    ],
    ['headers not a list', ['[{ "name": "X-Channel", "value": "app" }]', '{}'], 11, header.slice(0, -3), 'a list of {'],
    ['a header name with a space', ['X-Channel', 'X Channel'], 11, `${header}.name`, 'give a header name'],
    ['an empty header name', ['X-Channel', ''], 11, `${header}.name`, 'give a header name'],
    ['a header value with a line break', ['"app" }]', '"a\\r\\nb" }]'], 11, `${header}.value`, 'give printable ASCII'],
    ['a header value beyond ASCII', ['"app" }]', '"ü" }]'], 11, `${header}.value`, 'give printable ASCII'],
    ['an empty header value', ['"app" }]', '"" }]'], 11, `${header}.value`, 'at least one character'],
    ['a cookie name with "="', ['"channel"', '"a=b"'], 13, `${cookie}.name`, 'give a cookie name'],
    ['an empty cookie name', ['"channel"', '""'], 13, `${cookie}.name`, 'give a cookie name'],
    ['a cookie value with ";"', [value, '"value": "a;b", "path"'], 13, `${cookie}.value`, 'without spaces, quotes'],
    ['a cookie value with a space', [value, '"value": "a b", "path"'], 13, `${cookie}.value`, 'without spaces, quotes'],
    ['an empty cookie value', [value, '"value": "", "path"'], 13, `${cookie}.value`, 'give printable ASCII'],
    ['a cookie path without "/"', ['"/" }', '"a" }'], 13, `${cookie}.path`, 'a path such as "/"'],
    ['a cookie path with ";"', ['"/" }', '"/;a" }'], 13, `${cookie}.path`, 'a path such as "/"'],
    ['isSecure', ['"path": "/" }', '"isSecure": 1 }'], 13, `${cookie}.isSecure`, 'true or false'],
    ['isHttpOnly', ['"path": "/" }', '"isHttpOnly": "no" }'], 13, `${cookie}.isHttpOnly`, 'true or false'],
    ['only a date', withDate('2027-01-31'), 13, `${cookie}.expireDate`, date],
    ['fractions of a second', withDate('2027-01-31T12:00:00.000Z'), 13, `${cookie}.expireDate`, date],
    ['a date without a zone', withDate('2027-01-31T12:00:00'), 13, `${cookie}.expireDate`, date],
    ['the 13th month', withDate('2027-13-01T12:00:00Z'), 13, `${cookie}.expireDate`, 'not a date that exists; use one'],
    ['25 hours', withDate('2027-01-31T25:00:00Z'), 13, `${cookie}.expireDate`, 'not a date that exists; use one'],
    ['February 30th', withDate('2027-02-30T12:00:00Z'), 13, `${cookie}.expireDate`, 'not a date that exists; use one'],
    ['zero minutes', withMinutes('0'), 13, `${cookie}.expiresAfterMinutes`, minutes],
    ['more than ten years', withMinutes('5256001'), 13, `${cookie}.expiresAfterMinutes`, minutes],
    ['half a minute', withMinutes('0.5'), 13, `${cookie}.expiresAfterMinutes`, minutes],
    [
      'both expiries',
      ['"path": "/" }', '"expireDate": "2027-01-31T12:00:00Z", "expiresAfterMinutes": 60 }'],
      13,
      cookie,
      'give expireDate or expiresAfterMinutes, not both'
    ]
  ])
  accepts(t, [
    ['a date', withDate('2028-02-29T12:00:00Z')],
    ['a date in another zone', withDate('2027-01-31T12:00:00+01:00')],
    ['minutes', withMinutes('60')],
    ['GET', ['"headers"', '"httpMethod": "GET", "headers"']],
    ['a value with "="', [value, '"value": "a=b==", "path"']]
  ])
})

t.test('the described URL never exceeds 2,048 characters', async t => {
  t.testdir({})
  const described = (publicUrl: string, httpMethod: string) =>
    mistakesOf(t, merchantFile('1', { publicUrl, transfer: { description: { httpMethod } } }))
  const filled = (start: string, length: number) => start.padEnd(length - '/checkout'.length, 'a')
  // If publicUrl is only a path, a host name of up to 253 characters and a port precede it.
  const room = 'http://:65535'.length + 253
  const cases: [rule: string, httpMethod: string, longest: string, length: number][] = [
    ['POST', 'POST', filled('https://shop.example/', 2048), 2048],
    ['GET, with "/" and a token of 64 appended', 'GET', filled('https://shop.example/', 2048 - 65), 2048],
    ['POST to a path', 'POST', filled('/', 2048 - room), 2048],
    ['GET of a path', 'GET', filled('/', 2048 - room - 65), 2048]
  ]
  for (const [rule, httpMethod, longest, length] of cases) {
    t.strictSame(described(longest, httpMethod), [], `${rule}: ${length} pass`)
    t.strictSame(
      described(`${longest}a`, httpMethod),
      [
        `a.json:12: transfer.description: the described URL could have ${length + 1} characters and 2048 are allowed; shorten publicUrl or checkout.path`
      ],
      `${rule}: ${length + 1} do not`
    )
  }
  const alone = mistakesOf(t, merchantFile('1', { publicUrl: `${filled('https://shop.example/', 2049)}` }))
  t.match(alone.join('\n'), /^a\.json:9: transfer\.description: .*2049 characters.*$/, 'without a description')
})

t.test('continueShoppingUrl: an absolute address that cannot run a script', async t => {
  const edit = (address: string): Edit => ['shop://continue', address]
  const key = 'checkout.continueShoppingUrl'
  const scripts = [
    ['javascript:alert(1)', 'javascript:'],
    ['JavaScript:alert(1)', 'javascript:'],
    ['javascript://shop.example/%0aalert(1)', 'javascript:'],
    ['data:text/html,hello', 'data:'],
    ['vbscript:x', 'vbscript:'],
    ['VBSCRIPT:x', 'vbscript:'],
    ['blob:https://shop.example/1', 'blob:'],
    ['filesystem:https://shop.example/1', 'filesystem:']
  ]
  refuses(
    t,
    scripts.map(([address = '', scheme]) => [
      address,
      edit(address),
      20,
      key,
      `it is "${address}"; "${scheme}" could run script in the page; give an address such as "harbour://continue"`
    ])
  )
  const noAddress = ['continue', '/continue', '//shop.example', 'shop continue', ' javascript:x', 'a"b:c', 'shop://ü']
  refuses(
    t,
    [...noAddress, 'java\\tscript:x', 'shop://<b>'].map(address => [
      address,
      edit(address.replace('"', '\\"')),
      20,
      key,
      'give an absolute address such as "harbour://continue"'
    ])
  )
  accepts(
    t,
    ['harbour://continue', 'https://shop.example/back?a=1#b', 'intent://x#Intent;scheme=shop;end', 'shop:'].map(
      address => [address, edit(address)]
    )
  )
})

t.test('completeTitle: text that no other page’s title contains', async t => {
  const remedy = (title: string) => `give words that no other page's title contains, as "${title} – The Shop" does`
  const edit = (title: string): Edit => ['"/checkout",', `"/checkout",\n"completeTitle": "${title}",`]
  const cases: [text: string, title: string][] = [
    ['Checkout', 'Checkout'],
    ['checkout – the', 'Checkout'],
    ['The Shop', 'Checkout'],
    [' ', 'Checkout'],
    ['Your bag has changed', 'Your bag has changed'],
    ['PAGE NOT', 'Page not found']
  ]
  refuses(
    t,
    cases.map(([text, title]) => [text, edit(text), 20, 'checkout.completeTitle', `"${text}"; ${remedy(title)}`])
  )
  accepts(t, [['a unique title', edit('Thank you for your order')]])
  const named = mistakesOf(t, edited(['The Shop', 'Order Complete Ltd']))
  const byDefault = /^a\.json:18: checkout\.completeTitle: it is "Order complete"; give words.*$/
  t.match(named.join('\n'), byDefault, 'the default is checked too')
})

t.test('two merchants must have different ids', async t => {
  t.testdir({})
  const one = merchantFile('1', { id: 'shop', publicUrl: '/one' })
  const two = merchantFile('2A', { id: 'shop', publicUrl: '/two' })
  t.strictSame(mistakesOf(t, one, two), [`b.json:2: id: "shop" is another merchant's id too; give each its own`])
  t.match(mistakesOf(t, one, one).join('\n'), /^b\.json:2: id: .*\nb\.json:4: publicUrl: .*$/, 'a file given twice')
})

t.test('the path of a merchant must not be within that of another', async t => {
  t.testdir({})
  const remedy = 'give each merchant a path of its own'
  const both = (first: string, second: string) =>
    mistakesOf(
      t,
      merchantFile('1', { id: 'one', publicUrl: first }),
      merchantFile('1', { id: 'two', publicUrl: second })
    )
  const cases: [rule: string, first: string, second: string, paths: string][] = [
    ['equal', '/shop', '/shop', '"/shop" and "/shop", the path of "one",'],
    ['equal on two hosts', 'https://a.example/shop', 'https://b.example/shop', '"/shop" and "/shop"'],
    ['equal, one of them on a host', '/shop', 'https://b.example/shop', '"/shop" and "/shop"'],
    ['the second in the first', '/shop', '/shop/two', '"/shop/two" and "/shop", the path of "one",'],
    ['the first in the second', '/shop/one', '/shop', '"/shop" and "/shop/one", the path of "one",'],
    ['the root, then a path', '/', '/two', '"/two" and "/", the path of "one",'],
    ['a path, then the root', '/one', 'https://two.example', '"/" and "/one", the path of "one",'],
    ['two roots', '/', '/', '"/" and "/", the path of "one",']
  ]
  for (const [rule, first, second, paths] of cases) {
    const [found = '', ...rest] = both(first, second)
    t.ok(found.startsWith(`b.json:4: publicUrl: ${paths}`) && found.endsWith(remedy), rule, { found })
    t.strictSame(rest, [], `${rule}: one mistake`)
  }
  t.strictSame(both('/har', '/harbour'), [], '/har next to /harbour is fine')
  t.strictSame(both('/harbour', '/har'), [], '/harbour next to /har is fine')
  t.strictSame(both('/shop/one', '/shop/two'), [], 'siblings are fine')
})

t.test('with three merchants every pair is compared', async t => {
  t.testdir({})
  const files = ['/a', '/b', '/a/c'].map((publicUrl, i) => merchantFile('1', { id: `m${i}`, publicUrl }))
  t.match(mistakesOf(t, ...files).join('\n'), /^c\.json:4: publicUrl: "\/a\/c" and "\/a", the path of "m0",.*$/)
})

t.test('all mistakes in all files are reported together', async t => {
  t.testdir({})
  const places = mistakesOf(
    t,
    merchantFile('9', { id: 'UPPER', name: '' }),
    'no JSON',
    merchantFile('1', { id: 'same', publicUrl: '/same' }),
    merchantFile('2A', { id: 'same', publicUrl: 'http://shop.example/', locale: 'en_GB', currencies: ['EUR', 'eur'] }),
    merchantFile('2B', { id: 'same', publicUrl: '/same/inside' })
  ).map(line => line.split(': ').slice(0, 2).join(' '))
  t.match(places.splice(3, 1).join(), /^b\.json /, 'the file that is not JSON')
  t.strictSame(
    places.sort(),
    [
      'a.json:2 id',
      'a.json:3 name',
      'a.json:10 transfer.option',
      'd.json:4 publicUrl',
      'd.json:5 locale',
      'd.json:8 currencies[1]',
      'e.json:2 id',
      'e.json:4 publicUrl'
    ].sort()
  )
})

t.test('a merchant is read with resolved paths and the defaults filled in', async t => {
  t.testdir({})
  const [merchant] = read(t, merchantFile('1', { publicUrl: '/shop' }))
  t.strictSame(merchant, {
    id: 'shop',
    name: 'The Shop',
    locale: 'en-GB',
    locales: [],
    messages: {},
    currencies: ['GBP'],
    path: '/shop',
    option: jsonDescription,
    transfer: {
      option: '1',
      path: '/cart',
      maxItems: 500,
      maxQuantity: 9999,
      keepRecordsDays: 90,
      acceptHyphenated: false
    },
    texts: {},
    countries: ['GB'],
    delivery: { GBP: [] },
    checkout: {
      path: '/checkout',
      continueShoppingUrl: 'shop://continue',
      expiresAfterMinutes: 1440,
      deleteAfterDays: 30,
      completeTitle: 'Order complete',
      appInjectsStyles: false
    },
    catalogue: {
      feed: join(t.testdirName, 'feed.tsv'),
      refreshMinutes: 15,
      timeoutSeconds: 300,
      maxMegabytes: 1024,
      maxShrink: 50,
      place: `${join(t.testdirName, 'a.json')}:14`
    },
    pictures: join(t.testdirName, 'pictures'),
    theme: { ...defaultTheme(), radius: 12 },
    links: {}
  })
})

t.test('a locale without a country needs countries', async t => {
  t.testdir({})
  t.throws(() => read(t, merchantFile('1', { locale: 'es-419' })), {
    message: /locale: "es-419" names no country; give "countries"/
  })
  t.match(read(t, merchantFile('1', { locale: 'es-419', countries: ['MX'] })), [{ countries: ['MX'] }])
})

t.test('settings in the file override the defaults', async t => {
  t.testdir({})
  const changes: MerchantChanges = {
    publicUrl: 'https://shop.example/app',
    currencies: ['JPY', 'EUR'],
    transfer: { maxItems: 20 },
    checkout: {
      expiresAfterMinutes: 5,
      deleteAfterDays: 0,
      completeTitle: 'Thank you',
      taxText: 'Prices include VAT.',
      appInjectsStyles: true
    }
  }
  const [merchant] = read(t, merchantFile('2A', changes))
  t.match(merchant, {
    origin: 'https://shop.example',
    path: '/app',
    option: formPost,
    currencies: ['JPY', 'EUR'],
    transfer: { option: '2A', maxItems: 20 },
    checkout: changes.checkout as object
  })
})

t.test('a merchant at the root has an empty path', async t => {
  t.testdir({})
  t.match(read(t, merchantFile('1', { publicUrl: '/' })), [{ path: '', origin: undefined }])
  t.match(read(t, merchantFile('1', { publicUrl: 'https://shop.example' })), [
    { path: '', origin: 'https://shop.example' }
  ])
})

t.test('a feed is a file, or an address with its login in the environment', t => {
  t.testdir({})
  const withFeed = (catalogue: object) => ({ ...merchantFile('1'), catalogue })
  const variables: Record<string, string> = { LOGIN: 'ada:s3cret', NO_LOGIN: 'ada', PADDED: 'ada:s3cret\n' }
  const open = (catalogue: object) => {
    const file = join(t.testdirName, 'a.json')
    writeFileSync(file, JSON.stringify(withFeed(catalogue)))
    return readMerchantFiles([file], { options: transferOptions, destinations, secretOf: name => variables[name] })
  }
  const feed = 'https://cdn.example/feed.xml?token=1'
  t.match(open({ feed, credentialsVariable: 'LOGIN', refreshMinutes: 5 }), [
    {
      pictures: join(t.testdirName, 'pictures'),
      catalogue: { feed, credentials: 'ada:s3cret', refreshMinutes: 5, timeoutSeconds: 300, maxMegabytes: 1024 }
    }
  ])
  t.match(open({ feed: 'http://127.0.0.1:8080/feed' }), [{ catalogue: { credentials: undefined } }])
  const cases: [catalogue: object, message: RegExp][] = [
    [{ feed: 'http://cdn.example/feed' }, /catalogue\.feed: use https: http is for loopback/],
    [{ feed: 'ftp://cdn.example/feed' }, /catalogue\.feed: give the path of a file, or an address/],
    [{ feed: 'https://' }, /catalogue\.feed: give the path of a file, or an address/],
    [{ feed: 'https://ada:s3cret@cdn.example/feed' }, /catalogue\.feed: a login must not be in the file/],
    [{ feed: 'https://ada@cdn.example/feed' }, /catalogue\.feed: a login must not be in the file/],
    [{ feed: 'https://:s3cret@cdn.example/feed' }, /catalogue\.feed: a login must not be in the file/],
    [{ feed: 'feed.tsv', credentialsVariable: 'LOGIN' }, /credentialsVariable: a file needs no login; leave it out/],
    [{ feed, credentialsVariable: 'NOWHERE' }, /the environment variable NOWHERE is not set; give it a user, a colon/],
    [{ feed, credentialsVariable: 'NO_LOGIN' }, /the environment variable NO_LOGIN is not a user and a password/],
    [{ feed, credentialsVariable: 'PADDED' }, /the environment variable PADDED has white space at its start or end/]
  ]
  for (const [catalogue, message] of cases) {
    t.throws(() => open(catalogue), { message }, JSON.stringify(catalogue))
    t.throws(() => open(catalogue), { message: /^(?!.*s3cret)/s }, 'no password is shown')
  }
  t.end()
})

t.test('the feed path is relative to the file, whatever the working directory', async t => {
  t.testdir({})
  const inFolder = { ...merchantFile('1'), catalogue: { feed: '../feeds/uk/feed.tsv' } }
  t.match(read(t, inFolder), [
    {
      catalogue: { feed: join(t.testdirName, '../feeds/uk/feed.tsv') },
      pictures: join(t.testdirName, '../feeds/uk/pictures')
    }
  ])
  t.match(read(t, { ...merchantFile('1'), catalogue: { feed: '/var/feed.tsv' } }), [
    { catalogue: { feed: '/var/feed.tsv' } }
  ])
})

t.test('merchants are in the order of their files', async t => {
  t.testdir({})
  const files = ['b', 'c', 'a'].map(id => merchantFile('2B', { id, publicUrl: `/${id}` }))
  t.strictSame(
    read(t, ...files).map(({ id }) => id),
    ['b', 'c', 'a']
  )
})
