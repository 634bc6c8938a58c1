// Merchant files: what cannot work is refused before the server starts, with file, line, key and remedy.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { destinations } from '../../src/integrations/destination/index.ts'
import { paymentProviders } from '../../src/integrations/payment/index.ts'
import { defaultTheme } from '../../src/merchant/theme.ts'
import { formPost } from '../../src/transfer/form-post/form-post.ts'
import { transferOptions } from '../../src/transfer/index.ts'
import { anyWay } from '../any-merchant.ts'
import { merchantFile } from '../build.ts'
import { readMerchantFiles } from '../read-merchants.ts'
import {
  accepts,
  type Content,
  changed,
  mistakesIn,
  type Refused,
  readContents,
  refuses,
  type Settings,
  VALID
} from './settings.ts'

/** As messages list them. */
const OPTIONS = transferOptions.map(({ name }) => JSON.stringify(name)).join(', ')

/** The valid file as text. */
const TEXT = JSON.stringify(VALID, null, 2)

const UNKNOWN = 'unknown key; leave it out, or look it up in config/README.md'

t.test('a valid file is accepted', async t => t.strictSame(mistakesIn(t, [VALID]), []))

t.test('an unknown key is refused, wherever it is, with the name that was probably meant', async t => {
  const description = 'transfer.description'
  const keys = [
    'colour',
    'transfer.colour',
    `${description}.Headers`,
    'catalogue.Feed',
    'checkout.colour',
    '7',
    'a/b~c'
  ]
  const inLists = [`${description}.headers[0].a`, `${description}.cookies[0].Domain`]
  for (const key of [...keys, ...inLists]) refuses(t, key, [[1, UNKNOWN]])
  const [found] = mistakesIn(t, [TEXT.replace('"id"', '"__proto__": {},\n"id"')])
  t.equal(found, `a.json:2: __proto__: ${UNKNOWN}`)

  const meant = (name: string) => `unknown key; did you mean "${name}"?`
  refuses(t, 'link', [[{}, meant('links')]])
  refuses(t, 'transfer.maxItmes', [[5, meant('maxItems')]])
  refuses(t, 'transfer.MAXITEMS', [[5, meant('maxItems')]])
  refuses(t, 'taxText', [['x', meant('checkout.taxText')]])
  refuses(t, 'feed', [['is there already', UNKNOWN]])
  refuses(t, 'look', [[{ radius: 4 }, 'it is called "theme" now; rename it']])
})

t.test('a key that is known elsewhere is suggested only if it is clear which is meant', async t => {
  const payment = { text: 'x' }
  const theme = { light: { text: '#000000' } }
  const cases: [key: string, settings: Settings, meant?: string][] = [
    ['checkout.payment.text', { 'checkout.payment': {} }, '"payment.text", at the top of the file'],
    ['checkout.payment.text', { 'checkout.payment': {}, payment, theme }],
    ['checkout.delivery', {}, '"delivery", at the top of the file'],
    ['checkout.text', {}],
    ['transfer.payment', {}],
    ['secretVariable', {}],
    ['theme.accent', { theme }, '"theme.light.accent"'],
    ['transfer.taxText', {}, '"checkout.taxText"'],
    ['payment.secretVariable', { payment }, '"checkout.payment.secretVariable"']
  ]
  for (const [key, settings, meant] of cases) {
    const [found, ...more] = mistakesIn(t, [changed({ ...settings, [key]: 'x' })]).flatMap(
      line => / (\S+: unknown key; .*)$/.exec(line)?.[1] ?? []
    )
    t.equal(found, `${key}: ${meant ? `unknown key; did you mean ${meant}?` : UNKNOWN}`)
    t.strictSame(more, [])
  }
})

t.test('an unknown key does not hide other mistakes', async t => {
  const places = (content: object) =>
    mistakesIn(t, [content]).map(mistake => mistake.replace(/^a\.json:\d+: (.*?): .*$/, '$1'))
  const { name, ...rest } = VALID
  const theme = { colour: 1, dark: { txt: 1, accent: 'red' } }
  t.strictSame(places({ ...rest, nmae: name, theme, delivery: [{ id: 'X', hours: 3 }] }), [
    ...['name', 'nmae', 'theme.colour', 'theme.dark.txt', 'theme.dark.accent'],
    ...['delivery[0].label', 'delivery[0].price', 'delivery[0].id', 'delivery[0].hours']
  ])
  const unknownOnly = changed({ colour: 1, currencies: ['GPB'], 'checkout.tax': 1 })
  t.strictSame(places(unknownOnly), ['currencies[0]', 'checkout.tax', 'colour'], 'nor those that no schema finds')
})

t.test('a key of another option, or of another destination, is told whose it is', async t => {
  for (const option of ['2A', '2B']) {
    const file = merchantFile(option, { transfer: { acceptHyphenated: true, description: {} } })
    const keys = ['acceptHyphenated', 'description']
    const whose = `it is for option "1" only, and this is "${option}"; leave it out`
    const mistakes = keys.map((key, i) => `a.json:${12 + i}: transfer.${key}: ${whose}`)
    t.strictSame(mistakesIn(t, [file]), mistakes, option)
  }
  const destination = (type: string) => ({ checkout: { destination: { type, url: 'https://a.example', pageUrl: 1 } } })
  const found = (type: string) =>
    mistakesIn(t, [merchantFile('1', destination(type))]).map(mistake => mistake.replace(/^a\.json:\d+: /, ''))
  t.strictSame(found('page'), [
    'checkout.destination.url: it is for type "hook" or "medusa" or "vendure" or "woocommerce" only, and this is "page"; leave it out',
    'checkout.destination.pageUrl: it is for type "vendure" only, and this is "page"; leave it out'
  ])
  const whose = 'it is for type "vendure" only, and this is "hook"; leave it out'
  t.ok(found('hook').includes(`checkout.destination.pageUrl: ${whose}`))
})

t.test('a missing key is named, with what it should hold', async t => {
  const missing = {
    id: 'a name for logs and the store',
    name: 'the name that shoppers see',
    publicUrl: 'the address that',
    locale: 'the default language and region: a language tag such as "en-GB"',
    currencies: 'a list of the currencies you sell in',
    transfer: `an object with "option": ${OPTIONS}, or a list of several`,
    'transfer.path': 'where the platform sends carts',
    'transfer.description.headers[0].name': 'a header name',
    'transfer.description.cookies[0].value': 'printable ASCII without spaces',
    catalogue: 'an object with feed',
    'catalogue.feed': 'the path of the product feed',
    checkout: 'an object with path, continueShoppingUrl and what else config/README.md lists',
    'checkout.path': 'where the checkout pages are',
    'checkout.continueShoppingUrl': 'the address that takes the shopper back to the app, such as "harbour://continue"'
  }
  for (const [key, right] of Object.entries(missing)) refuses(t, key, [[undefined, `missing; give ${right}`]])
  t.match(mistakesIn(t, [changed({ 'catalogue.feed': undefined })]), [/^a\.json:28: /], 'the line of its object')
})

t.test('a duplicate key is refused: one of the two would be lost', async t => {
  const cases: [find: string, line: number, key: string][] = [
    ['"id": "shop"', 2, 'id'],
    ['"path": "/cart"', 11, 'transfer.path'],
    ['"value": "app"', 16, 'transfer.description.headers[0].value']
  ]
  for (const [find, line, key] of cases) {
    const mistakes = mistakesIn(t, [TEXT.replace(find, `${find}, ${find}`)])
    t.strictSame(mistakes, [`a.json:${line}: ${key}: duplicate key; keep one`])
  }
})

t.test('a value with the wrong type or out of range is quoted, with what would be right', async t => {
  const id = 'a name for logs and the store: 1 to 40 of a to z, 0 to 9 and "-"'
  refuses(t, '$schema', [[1, 'it is 1; give the path of merchant.schema.json']])
  refuses(t, 'id', [
    ['Shop', `it is "Shop"; give ${id}`],
    ['a.b', id],
    ['', id],
    ['a'.repeat(41), id],
    [5, 'it is 5; give a name']
  ])
  refuses(t, 'name', [
    ['', 'it is ""; give the name that shoppers see: 1 to 80 characters'],
    ['x'.repeat(81), `it is "${'x'.repeat(78)}…; give the name that shoppers see: 1 to 80 characters`],
    [null, 'it is null; give the name that shoppers see']
  ])
  refuses(t, 'publicUrl', [[[], 'it is []; give the address that the app uses']])
  refuses(t, 'locale', [
    [{}, 'it is {}; give the default language and region'],
    ...['', 'english', 'xx', 'en-', '-', 'de__DE'].map(
      (locale): Refused => [locale, `it is "${locale}"; give a language tag such as "en-GB"`]
    ),
    ['de_DE', 'it is "de_DE"; did you mean "de-DE"?']
  ])
  refuses(t, 'currencies', [
    ['GBP', 'it is "GBP"; give a list of the currencies you sell in'],
    [[], 'it is []; give a list of the currencies you sell in'],
    [['GBP', 'GBP'], 'such as ["GBP"], each once'],
    [['GBP', 826], 'it is 826; give an ISO 4217 code', 'currencies[1]'],
    ...['gbp', 'ZZZ', '', '£', '826', 'GBP '].map(
      (code): Refused => [['GBP', code], `it is "${code}"; give an ISO 4217 code such as "GBP"`, 'currencies[1]']
    )
  ])
  refuses(t, 'catalogue', [['feed.tsv', 'it is "feed.tsv"; give an object with feed']])
  refuses(t, 'catalogue.feed', [['', 'it is ""; give the path of the product feed']])
})

t.test('numbers, texts and flags have limits', async t => {
  /** Of each whole number: the least and the most, and how they are named. */
  const numbers: [key: string, least: number, most: number, what: string][] = [
    ['transfer.maxItems', 1, 900, 'the maximum number of lines in a cart: a whole number from 1 to 900'],
    ['transfer.maxQuantity', 1, 9999, 'the maximum number of units in a line: a whole number from 1 to 9999'],
    [
      'checkout.expiresAfterMinutes',
      1,
      525_600,
      'the minutes after which a checkout expires: a whole number from 1 to 525600'
    ],
    [
      'checkout.deleteAfterDays',
      0,
      3650,
      'the days that an expired checkout without an order is kept: a whole number from 0 to 3650'
    ],
    ['orders.eraseAfterDays', 1, 3650, 'personal data is erased: a whole number from 1 to 3650']
  ]
  for (const [key, least, most, what] of numbers) {
    accepts(t, key, [least, most])
    refuses(
      t,
      key,
      [least - 1, most + 1, least + 0.5, `${least}`, null].map(value => [value, what])
    )
  }
  const title = 'text in the title of the confirmation page and of no other'
  for (const title80 of ['', 'x'.repeat(81)]) refuses(t, 'checkout.completeTitle', [[title80, title]])
  for (const taxText of ['', 'x'.repeat(201)])
    refuses(t, 'checkout.taxText', [[taxText, '(up to 200 characters), or one']])
  refuses(t, 'checkout.appInjectsStyles', [['true', 'true or false']])
  const [merchant] = readContents(t, [changed({ orders: { eraseAfterDays: 30 } })])
  t.equal(merchant?.eraseAfterDays, 30)
  t.match(readContents(t, [changed({ orders: {} })]), [{ eraseAfterDays: undefined }])
})

t.test('a file that is no JSON object in UTF-8 is refused', async t => {
  const keys = 'id, name, publicUrl, locale, currencies, transfer, catalogue and checkout'
  for (const content of ['[]', '"shop"', '5', 'null', 'true']) {
    const message = `a.json:1: the file: it is ${content}; give an object with ${keys}`
    t.strictSame(mistakesIn(t, [content]).at(0), message, content)
  }
  const plain = 'no comments, no comma before } or ], each text in one line between " and "'
  const cases: [rule: string, content: Content, line: number, problem: string][] = [
    ['an empty file', '', 1, 'it ends too early'],
    ['the end is missing', TEXT.slice(0, -2), 34, "column 4: expected ',' or '}' after property value"],
    ['a comma at the end', '{\n"id":\n', 2, 'it ends too early'],
    ['a comment at the start', '// a shop\n{}', 1, 'column 1: unexpected "/"'],
    ['comments', TEXT.replace('"id"', '// the id\n  "id"'), 2, "column 3: expected property name or '}'"],
    [
      'a trailing comma',
      TEXT.replace('"shop://continue"', '"shop://continue",'),
      34,
      'column 3: expected double-quoted property name'
    ],
    ['a missing comma', TEXT.replace('"shop",', '"shop"'), 3, "column 3: expected ',' or '}' after property value"],
    ['single quotes', TEXT.replaceAll('"', "'"), 2, "column 3: expected property name or '}'"],
    ['a secret without quotes', '{\n"id": s3cret\n}', 2, 'column 7: unexpected "s"'],
    ['half a word', '{\n"id": fa\\\n}', 2, 'column 10: unexpected end of the line'],
    ['quotes of a word processor', '{ "id": “shop” }', 1, 'column 9: unexpected "“"'],
    ['a bracket too many', '{\n"list": [1,]}', 2, 'column 12: unexpected "]"'],
    ['a text over two lines', '{\n"id": "sh\nop" }', 2, 'column 10: bad control character in string literal']
  ]
  for (const [rule, content, line, problem] of cases) {
    const [found, ...others] = mistakesIn(t, [content])
    const [start, right] = String(found).split('; give ')
    t.strictSame(others, [], rule)
    t.equal(start, `a.json:${line}: ${problem}`, rule)
    t.equal(right, `a merchant file in plain JSON: ${plain}`, rule)
  }
  const latin1 = TEXT.replace('"The Shop"', '"Café – 1 €"').replace('–', '-').replace('€', '£')
  t.strictSame(mistakesIn(t, [Buffer.from(latin1, 'latin1')]), [
    'a.json:3: column 15: the byte 0xe9 ("é" in Latin-1) is not UTF-8; save the file as UTF-8'
  ])
  const late = Buffer.concat([Buffer.from('{\n"ü": "\u{1f381}'), Buffer.from([0xe2, 0x82]), Buffer.from('"}')])
  t.strictSame(
    mistakesIn(t, [late]),
    ['a.json:2: column 8: the byte 0xe2 ("â" in Latin-1) is not UTF-8; save the file as UTF-8'],
    'columns count characters, and half a character is none'
  )
  for (const end of ['" }', '\n" }', '']) {
    const halves = Buffer.concat([Buffer.from('{ "\u{fffd}": "'), Buffer.from([0xef, 0xbf]), Buffer.from(end)])
    t.match(mistakesIn(t, [halves]), ['a.json:1: column 9: the byte 0xef ("ï" in Latin-1) is not UTF-8'])
  }
  const paths = { [join(t.testdirName, 'gone.json')]: 'there is no such file', [t.testdirName]: 'it is a folder' }
  for (const [path, problem] of Object.entries(paths)) {
    const message = `${path}: ${problem}; give the path of a merchant file`
    t.throws(() => readMerchantFiles([path], { options: transferOptions, destinations, providers: paymentProviders }), {
      message
    })
  }
  t.strictSame(mistakesIn(t, [`\ufeff${TEXT}`]), [], 'a byte order mark, which some editors write, is accepted')
})

t.test('option: must be in the list', async t => {
  const remedy = `give an object with "option": ${OPTIONS}, or a list of several`
  refuses(t, 'transfer.option', [
    ['none', `it is "none"; give one of ${OPTIONS}`],
    ['2a', `it is "2a"; give one of ${OPTIONS}`],
    [1, 'it is 1; give "1", with its quotation marks'],
    [undefined, `missing; give one of ${OPTIONS}`]
  ])
  refuses(
    t,
    'transfer',
    ['/cart', 5, null, []].map(value => [value, `it is ${JSON.stringify(value)}; ${remedy}`])
  )
  const file = join(t.testdirName, 'a.json')
  writeFileSync(file, TEXT)
  const unknownHere = { message: /a\.json:10: transfer\.option: it is "1"; give .*"2A"/ }
  t.throws(() => readMerchantFiles([file], { options: [formPost], destinations: [], providers: [] }), unknownHere)
})

t.test('maxTotal: an amount, or one for each currency', async t => {
  accepts(t, 'checkout.maxTotal', ['2000.00', { GBP: '2000' }])
  refuses(t, 'checkout.maxTotal', [
    [2000, 'the most that the goods in a cart may cost; more is refused with 422: an amount such as'],
    ['2.000,00', 'an amount such as "4.50"'],
    [{ EUR: '2000' }, 'an amount such as "4.50"']
  ])
})

t.test('paths: plain characters, no trailing slash', async t => {
  const right = 'a path such as "/cart", without a slash at the end'
  const paths = ['', '/', 'cart', '/cart/', '/a//b', '/a/../b', '/..', '/.', '/:id', '/*', '/ü', '/%63', '/a?b']
  for (const key of ['transfer.path', 'checkout.path']) {
    refuses(
      t,
      key,
      [...paths, `/${'a'.repeat(1024)}`].map(path => [path, right])
    )
    accepts(t, key, ['/v1/cart.json', `/${'a'.repeat(1023)}`], { settings: { transfer: { option: '2A', path: '/c' } } })
  }
})

t.test('transfer.path must not be checkout.path or beneath it', async t => {
  const remedy = 'give one that is not checkout.path or beneath it'
  refuses(
    t,
    'transfer.path',
    ['/checkout', '/checkout/cart'].map(path => [path, `it is "${path}"; ${remedy}`])
  )
  accepts(t, 'transfer.path', ['/checkouts'])
  accepts(t, 'checkout.path', ['/cart/checkout'])
})

t.test('the paths of the server itself, such as /healthz and /pictures, are refused', async t => {
  const lies = (path: string) => `lies in "${path}", the server's own path; give another`
  const root = { settings: { publicUrl: '/' } }
  for (const key of ['transfer.path', 'checkout.path']) {
    refuses(
      t,
      key,
      ['/healthz', '/simulator', '/favicon.ico', '/pictures'].map(path => [path, lies(path)]),
      root
    )
    refuses(
      t,
      key,
      ['/pictures', '/logo', '/logo-dark', '/hero', '/hero-phone', '/font', '/openapi.json'].map(path => [
        `${path}/x`,
        lies(`/app${path}`)
      ])
    )
    accepts(t, key, ['/healthz', '/simulator'])
    accepts(t, key, ['/healthzz', '/pictures-of-us'], root)
  }
  for (const publicUrl of ['/healthz', 'https://shop.example/healthz', '/healthz/shop', '/simulator']) {
    const own = /^a\.json:4: publicUrl: "\/(healthz|simulator).*" is the server's own path; give another$/
    t.match(mistakesIn(t, [changed({ publicUrl })]), [own], publicUrl)
  }
})

t.test('publicUrl: https, or http on loopback and private addresses', async t => {
  refuses(t, 'publicUrl', [
    ['http://shop.example/app', 'it is "http://shop.example/app"; use https: http is for loopback'],
    ['/app/', 'it is "/app/"; a path is made of letters']
  ])
  accepts(t, 'publicUrl', ['https://shop.example', 'http://127.0.0.1:3000', '/app', '/'])
})

t.test('locales: languages with messages, each once', async t => {
  const both = (one: string, other: string, lang: string) =>
    `pages in "${one}" and in "${other}" would both be in "${lang}"; give one of them only`
  refuses(t, 'locales', [
    [['fr', 'german!'], 'it is "german!"; give a language tag', 'locales[1]'],
    [['it-IT'], 'there are no messages for "it-IT"; give one of en, de, fr', 'locales[0]'],
    [['de_DE'], 'it is "de_DE"; did you mean "de-DE"?', 'locales[0]'],
    [['en-GB'], '"en-GB" is "locale" already; leave it out of the others', 'locales[0]'],
    [['de-at', 'de-AT'], both('de-AT', 'de-at', 'de-AT'), 'locales[1]'],
    [['de', 'en-gb'], '"en-gb" is "locale" already; leave it out of the others', 'locales[1]'],
    [['fr', 'fr'], 'give a list of the other languages offered']
  ])
  accepts(t, 'locales', [['de-DE', 'fr', 'es-419', 'ja-JP', 'ar-AE'], ['en-US']])
  const italian = { settings: { locale: 'it-IT' } }
  refuses(t, 'locales', [[['de', 'en'], both('en', 'it-IT', 'en'), 'locales[1]']], italian)
  accepts(t, 'locales', [['de']], italian)
  refuses(t, 'locale', [['english!', 'it is "english!"']], { settings: { locales: ['en'] } })
})

t.test('messages: known names, valid patterns', async t => {
  refuses(t, 'messages', [
    [{ it: {} }, 'there are no pages in this language; give one of en, de', 'messages.it'],
    [
      { en: { total: 'Sum', x: 'Buy' } },
      'there is no such message; give a name that src/messages/en.json has',
      'messages.en.x'
    ],
    [
      { en: { 'place-ordr': 'Buy' } },
      'there is no such message; did you mean "place-order"?',
      'messages.en.place-ordr'
    ],
    [
      { en: { checkout: 'Pay {' } },
      'it is not a valid ICU message: at character 5, this { is never closed; give one such as "Checkout"',
      'messages.en.checkout'
    ],
    [{ en: { order: '{x}' } }, 'it holds {x}; give', 'messages.en.order'],
    [{ en: { order: '' } }, 'it is ""; give an ICU message', 'messages.en.order'],
    [{ en: {}, de: { total: 'Summe' } }, 'no page is in this language; add it to "locales", or', 'messages.de']
  ])
  accepts(t, 'messages', [{ en: {}, ja: { total: '計' } }], { settings: { locales: ['ja-JP'] } })
  const italian = { settings: { locale: 'it-IT' } }
  accepts(t, 'messages', [{ en: {} }], italian)
})

t.test('texts of the shop: one for all languages, or one for each', async t => {
  const surroundings = {
    settings: { locales: ['de-DE', 'de-AT'], delivery: [{ id: 'post', label: 'Post', price: '1' }] }
  }
  const right = 'there is no text for "de"; give one for each language'
  const keys = ['payment.text', 'delivery[0].label', 'checkout.taxText', 'texts.promise']
  for (const key of keys) {
    const colis = { en: 'Post', de: 'Paket', fr: 'Colis' }
    refuses(
      t,
      key,
      [
        [{ en: 'Post' }, right],
        [colis, 'no page is in this language', `${key}.fr`],
        [{ 'en-GB': 'Post' }, 'or one for each language such as']
      ],
      surroundings
    )
    accepts(t, key, ['Post', { en: 'Post', de: 'Paket' }], surroundings)
  }
})

/** What a theme has only if it is chosen. */
const NO_PICTURES = { logo: undefined, darkLogo: undefined, hero: undefined, phoneHero: undefined }
const NO_FILES = { weight: undefined, fontFile: undefined, ...NO_PICTURES }

t.test('theme: colours with enough contrast, a logo that exists', async t => {
  const url = 'https://cdn.example/logo.svg'
  const capitals = 'it is "#0B57D0"; give the colour of buttons and selected items: six digits in lower case'
  const exists = 'give an https address, or an existing file of type .svg, .png, .webp, .jpg, .jpeg'
  const rightWords = {
    font: 'Apple only): "sans", "serif", "rounded", "mono"',
    headings: '"bold", "light", "capitals"',
    pictures: '"square", "portrait"',
    radius: 'whole pixels from 0 to 24',
    weight: 'a multiple of 100 from 300 to 900'
  }
  refuses(t, 'theme', [
    [
      { light: { accent: '#767676' } },
      'too little contrast: accent #767676 on background #f4f5f7: 4.16 instead of 4.5; the nearest accent that passes is #707070',
      'theme.light'
    ],
    [
      { light: { accent: '#eeeeee' } },
      'too little contrast: accent #eeeeee on background #f4f5f7: 1.06 instead of 4.5, accent #eeeeee on surface #ffffff: 1.16 ' +
        'instead of 4.5, accent #eeeeee on our background of mistakes #fdeceb: 1.01 instead of 3, accent #eeeeee on the ' +
        'background of a missing picture (between accent and surface) #fdfdfd: 1.14 instead of 3; the nearest accent that ' +
        'passes is #707070',
      'theme.light'
    ],
    [{ logo: url, dark: { logo: 'night.svg' } }, `it is "night.svg"; ${exists}`, 'theme.dark.logo'],
    [{ dark: { logo: url } }, 'there is none for light mode; give "logo" in "theme" too', 'theme.dark.logo'],
    [{ dark: true }, 'it is true; give accent, background', 'theme.dark'],
    [{ dark: { text: 'white' } }, 'it is "white"; give the colour of text', 'theme.dark.text'],
    [{ light: { accent: '#0B57D0' } }, capitals, 'theme.light.accent'],
    ...['logo.svg', 'http://shop.example/logo.svg', 'a.json'].map((logo): Refused => [{ logo }, exists, 'theme.logo']),
    [{ hero: 'quay.jpg' }, `it is "quay.jpg"; ${exists}`, 'theme.hero'],
    [{ phoneHero: url }, 'there is none for wider pages; give "hero" too', 'theme.phoneHero'],
    [{ fontFile: 'own.woff2' }, 'it is "own.woff2": there is no such file; give a .woff2 file', 'theme.fontFile'],
    ...Object.entries(rightWords).map(([key, right]): Refused => [{ [key]: 25 }, right, `theme.${key}`])
  ])
  const night = { light: { background: '#111418', surface: '#1b2026', text: '#eceff3', accent: '#8ab4f8' } }
  t.match(
    mistakesIn(t, [changed({ theme: night })]).find(mistake => mistake.includes('accent #8ab4f8')),
    /theme\.light: too little contrast: accent #8ab4f8 on our background of mistakes #fdeceb: 1\.84 instead of 3; the nearest accent that passes is #638bcc$/
  )
  const chosen = { font: 'serif', headings: 'capitals', pictures: 'portrait', radius: 0 } as const
  t.strictSame(readContents(t, [changed({ theme: chosen })])[0]?.theme, { ...defaultTheme(), ...NO_FILES, ...chosen })
  accepts(t, 'theme', [
    { light: { accent: '#0f5c6e' }, dark: { text: '#ffffff' }, radius: 0 },
    { logo: url },
    { logo: url, dark: { logo: url } },
    { dark: false }
  ])
})

t.test('the type of a logo follows from its file extension, in any case', async t => {
  const files = { 'logo.SVG': 'svg+xml', 'logo.png': 'png', 'logo.Webp': 'webp', 'logo.jpg': 'jpeg', 'l.JPEG': 'jpeg' }
  const folder = t.testdir(Object.fromEntries(Object.keys(files).map(name => [name, ''])))
  for (const [name, type] of Object.entries(files)) {
    const [merchant] = readContents(t, [changed({ theme: { logo: name } })])
    t.strictSame(merchant?.theme.logo, { file: join(folder, name), type: `image/${type}` }, name)
  }
})

t.test('links: https addresses, or mailto and tel for contact', async t => {
  refuses(t, 'links', [
    [{ contact: 'javascript:alert(1)' }, 'give an address such as "mailto:', 'links.contact'],
    [{ terms: '/terms' }, 'give an address such as "https://', 'links.terms'],
    [
      { terms: 'http://shop.example/agb' },
      'it is "http://shop.example/agb"; https is needed, as in "https://shop.example/terms"',
      'links.terms'
    ],
    [
      { contact: 'http://a.example' },
      'it is "http://a.example"; https is needed, as in "https://shop.example/contact"',
      'links.contact'
    ],
    [{ privacy: 'mailto:a@b.example' }, 'give an address such as "https://', 'links.privacy'],
    [{ jobs: 'https://shop.example/jobs' }, 'unknown key; leave it out', 'links.jobs'],
    [{ imprint: { en: '/imprint' } }, 'shop.example/imprint"', 'links.imprint.en'],
    [{ terms: { en: 'https://a.example', de: 'https://b.example' } }, 'no page is in this language', 'links.terms.de'],
    [{ terms: {} }, 'there is no address for "en"; give one for each language', 'links.terms']
  ])
  accepts(t, 'links.contact', ['mailto:help@shop.example', 'tel:+441234567890', 'https://shop.example/help'])
  accepts(t, 'links.returns', ['https://shop.example/returns', { en: 'https://shop.example/returns' }])
})

t.test('what an option finds in its settings is reported at their keys', async t => {
  const place = 'transfer.description'
  refuses(t, `${place}.httpMethod`, [['PUT', 'the method of the described request: "POST" (default) or "GET"']])
  refuses(t, `${place}.headers[0].name`, [
    ['X Channel', 'give a header name'],
    ['cOnTeNt-tYpE', 'the app ignores a Content-Type (contract 4.1 rule 2); leave this header out']
  ])
  refuses(t, `${place}.cookies[0].expireDate`, [['2027-02-30T12:00:00Z', 'not a date that exists; use one']])
  accepts(t, `${place}.cookies[0].expireDate`, ['2028-02-29T12:00:00Z'])
  accepts(t, `${place}.httpMethod`, ['GET'])
})

t.test('the described URL has room for the longest origin of this process, and for the token of a GET', async t => {
  const mistakesOf = (publicUrl: string, transfer = {}) => mistakesIn(t, [merchantFile('1', { publicUrl, transfer })])
  const get = { description: { httpMethod: 'GET' } }
  const problem =
    'the described URL could have 2049 characters and 2048 are allowed; shorten publicUrl or checkout.path'
  // A host name of up to 253 characters and a port; "/" and a token of 64 characters.
  for (const [start, origin] of [
    ['https://shop.example/', 0],
    ['/', 'http://:65535'.length + 253]
  ] as const) {
    const longest = start.padEnd(2048 - origin - 65 - '/checkout'.length, 'a')
    t.strictSame(mistakesOf(longest, get), [], start)
    t.strictSame(mistakesOf(`${longest}a`, get), [`a.json:12: transfer.description: ${problem}`], start)
  }
  const alone = mistakesOf('https://shop.example/'.padEnd(2049, 'a'))
  t.match(alone.join('\n'), /^a\.json:9: transfer\.description: .*2058 characters/, 'without a description')
})

t.test('shopUrl: a web address', async t => {
  const right = 'give an address such as "https://acme.example/", without user and fragment'
  refuses(
    t,
    'checkout.shopUrl',
    ['shop', 'shop://continue', 'https://a:b@shop.example/', 'https://shop.example/#top'].map(address => [
      address,
      right
    ])
  )
  accepts(t, 'checkout.shopUrl', [
    'https://shop.example/',
    'https://shop.example/all?from=checkout',
    'http://localhost:3000'
  ])
})

t.test('continueShoppingUrl: an absolute address that cannot run a script', async t => {
  const key = 'checkout.continueShoppingUrl'
  const example = 'give an address such as "harbour://continue"'
  const scripts = ['javascript:alert(1)', 'JavaScript:alert(1)', 'javascript://shop.example/%0aalert(1)', 'VBSCRIPT:x']
  refuses(
    t,
    key,
    [...scripts, 'data:text/html,hello', 'blob:https://shop.example/1', 'filesystem:https://shop.example/1'].map(
      address => {
        const scheme = address.toLowerCase().split(':')[0]
        return [address, `it is "${address}"; "${scheme}:" could run script in the page; ${example}`]
      }
    )
  )
  const noAddress = ['', 'continue', '/continue', '//shop.example', 'shop continue', ' javascript:x', 'a"b:c']
  refuses(
    t,
    key,
    [...noAddress, 'shop://ü', 'java\tscript:x', 'shop://<b>'].map(address => [address, 'such as "harbour://continue"'])
  )
  accepts(t, key, [
    'harbour://continue',
    'https://shop.example/back?a=1#b',
    'intent://x#Intent;scheme=shop;end',
    'shop:'
  ])
})

t.test('completeTitle: text that no other page’s title contains, in any language or wording', async t => {
  const key = 'checkout.completeTitle'
  const remedy = (title: string) => `give words that no other page's title contains, as "${title} – The Shop" does`
  const cases: [text: string, title: string][] = [
    ['Checkout', 'Checkout'],
    ['checkout – the', 'Checkout'],
    ['The Shop', 'Checkout'],
    [' ', 'Checkout'],
    ['Your bag has changed', 'Your bag has changed'],
    ['PAGE NOT', 'Page not found'],
    ['Your order', 'Your order'],
    ['Error:', 'Error: Checkout']
  ]
  refuses(
    t,
    key,
    cases.map(([text, title]) => [text, `"${text}"; ${remedy(title)}`])
  )
  accepts(t, key, ['Thank you for your order', 'Kasse'])
  refuses(t, key, [['Kasse', remedy('Kasse')]], { settings: { locales: ['de'] } })
  refuses(t, key, [['Last step', remedy('Last step')]], { settings: { messages: { en: { checkout: 'Last step' } } } })
  const byDefault = mistakesIn(t, [changed({ name: 'Order Complete Ltd' })])
  t.match(byDefault, [/^a\.json:31: checkout\.completeTitle: it is "Order complete"; give words/])
})

t.test('two merchants must have different ids, and no path is within another’s', async t => {
  const both = (first: string, second: string, ...ids: string[]) =>
    mistakesIn(
      t,
      [first, second].map((publicUrl, i) => merchantFile('1', { id: ids[i] ?? ['one', 'two'][i] ?? '', publicUrl }))
    )
  t.strictSame(both('/one', '/two', 'shop', 'shop'), [
    `b.json:2: id: "shop" is another merchant's id too; give each its own`
  ])
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
    const remedy = 'give each merchant a path of its own'
    t.ok(found.startsWith(`b.json:4: publicUrl: ${paths}`) && found.endsWith(remedy), rule, { found })
    t.strictSame(rest, [], `${rule}: one mistake`)
  }
  t.strictSame(both('/har', '/harbour'), [], '/har next to /harbour is fine')
  t.strictSame(both('/harbour', '/har'), [], '/harbour next to /har is fine')
  t.strictSame(both('/shop/one', '/shop/two'), [], 'siblings are fine')
  const three = ['/a', '/b', '/a/c'].map((publicUrl, i) => merchantFile('1', { id: `m${i}`, publicUrl }))
  t.match(mistakesIn(t, three), [/^c\.json:4: publicUrl: "\/a\/c" and "\/a", the path of "m0",/], 'of three, each pair')
})

t.test('a merchant is read with resolved paths and the defaults filled in', async t => {
  const [merchant] = readContents(t, [merchantFile('1', { publicUrl: '/shop' })])
  t.strictSame(merchant, {
    id: 'shop',
    name: 'The Shop',
    locale: 'en-GB',
    locales: [],
    messages: {},
    currencies: ['GBP'],
    path: '/shop',
    ways: [anyWay({ acceptHyphenated: false } as object)],
    texts: {},
    templateTexts: {},
    countries: { GBP: ['GB'] },
    delivery: { GBP: [] },
    checkout: {
      path: '/checkout',
      continueShoppingUrl: 'shop://continue',
      expiresAfterMinutes: 1440,
      deleteAfterDays: 30,
      completeTitle: 'Order complete',
      giftNote: false,
      appInjectsStyles: false
    },
    catalogue: {
      feeds: [
        {
          address: join(t.testdirName, 'feed.tsv'),
          key: ['catalogue', 'feed']
        }
      ],
      refreshMinutes: 15,
      timeoutSeconds: 300,
      maxMegabytes: 1024,
      maxShrink: 50,
      freeProducts: false
    },
    pictures: join(t.testdirName, 'pictures'),
    theme: { ...defaultTheme(), ...NO_FILES, radius: 12 },
    links: {}
  })
})

t.test('settings in the file override the defaults', async t => {
  const checkout = { expiresAfterMinutes: 5, deleteAfterDays: 0, completeTitle: 'Thank you', appInjectsStyles: true }
  const file = merchantFile('2A', { currencies: ['JPY', 'EUR'], transfer: { maxItems: 20 }, checkout })
  const ways = [anyWay({ maxItems: 20 }, formPost)]
  t.match(readContents(t, [file]), [{ ways, currencies: ['JPY', 'EUR'], checkout }])
  const at = (publicUrl: string) => readContents(t, [changed({ publicUrl })])
  t.match(at('/'), [{ path: '', origin: undefined }])
  t.match(at('https://shop.example/app'), [{ path: '/app', origin: 'https://shop.example' }])
})

t.test('a feed is a file, or an address with its login in the environment', async t => {
  const variables = { LOGIN: 'ada:s3cret', NO_LOGIN: 'ada', PADDED: 'ada:s3cret\n' }
  const open = (catalogue: object) => readContents(t, [changed({ catalogue })], variables)
  const feed = 'https://cdn.example/feed.xml?token=1'
  t.match(open({ feed, credentialsVariable: 'LOGIN', refreshMinutes: 5 }), [
    {
      pictures: join(t.testdirName, 'pictures'),
      catalogue: {
        feeds: [{ address: feed }],
        credentials: 'ada:s3cret',
        refreshMinutes: 5,
        timeoutSeconds: 300,
        maxMegabytes: 1024
      }
    }
  ])
  t.match(open({ feed: 'http://127.0.0.1:8080/feed' }), [{ catalogue: { credentials: undefined } }])
  const noLogin = 'a login must not be in the file'
  const surroundings = { settings: { 'catalogue.feed': feed }, variables: { ...variables, OTHER: 's3cret' } }
  refuses(
    t,
    'catalogue.feed',
    [
      ['http://cdn.example/feed', 'use https: http is for loopback'],
      ['ftp://cdn.example/feed', 'give the path of a file, or an address'],
      ['https://', 'give the path of a file, or an address'],
      ...['ada:s3cret@', 'ada@', ':s3cret@'].map((login): Refused => [`https://${login}cdn.example/feed`, noLogin])
    ],
    surroundings
  )
  refuses(
    t,
    'catalogue.credentialsVariable',
    [
      ['NOWHERE', 'the environment variable NOWHERE is not set; give it a user, a colon'],
      ['NO_LOGIN', 'the environment variable NO_LOGIN is not a user and a password'],
      ['PADDED', 'the environment variable PADDED has white space at its start or end']
    ],
    surroundings
  )
  refuses(t, 'catalogue.credentialsVariable', [['LOGIN', 'a file needs no login; leave it out']], { variables })
})

t.test('the feed path is relative to the file, whatever the working directory', async t => {
  const open = (t: Test, feed: string) => readContents(t, [changed({ catalogue: { feed } })])
  t.match(open(t, '../feeds/uk/feed.tsv'), [
    {
      catalogue: { feeds: [{ address: join(t.testdirName, '../feeds/uk/feed.tsv') }] },
      pictures: join(t.testdirName, '../feeds/uk/pictures')
    }
  ])
  t.match(open(t, '/var/feed.tsv'), [{ catalogue: { feeds: [{ address: '/var/feed.tsv' }] } }])
})
