// Messages in a locale: with their arguments, the merchant's overrides and the right text direction; amounts of money as
// people read them; and what is worked out once for each argument.
import fc from 'fast-check'
import t from 'tap'
import { languageOf, type MessageName } from '../../src/messages/messages.ts'
import { capitalise, createTranslator, memoize, moneyFormat, parseMessage } from '../../src/messages/translator.ts'
import { digitsOf, MAX_PRICE, toDecimal } from '../../src/money.ts'

t.test('a template that asks for a message that does not exist fails', async t => {
  const { translate } = createTranslator('en-GB')
  t.throws(() => translate('no-such-message' as MessageName), new RangeError('there is no message "no-such-message"'))
})

t.test('a locale gets the messages of its language, or English if there are none', async t => {
  const cases = [
    ['en-GB', 'en', 'en-GB', 'ltr'],
    ['de', 'de', 'de', 'ltr'],
    ['de-AT', 'de', 'de-AT', 'ltr'],
    ['ar-EG', 'ar', 'ar-EG', 'rtl'],
    ['it-IT', 'en', 'en', 'ltr'],
    ['he', 'en', 'en', 'ltr']
  ] as const
  for (const [locale, language, lang, direction] of cases) {
    t.match(createTranslator(locale), { locale, language, lang, direction }, locale)
    t.equal(languageOf(locale), language)
  }
})

t.test('plurals and numbers follow the locale', async t => {
  const cases: [string, number, string][] = [
    ['en-GB', 1, '1 item'],
    ['en-GB', 19_998, '19,998 items'],
    ['de-DE', 9999, '9.999 Artikel'],
    ['fr', 1_000_000, '1\u202f000\u202f000 d’articles'],
    ['ja', 3, '3点'],
    ['ar', 0, 'لا منتجات'],
    ['ar', 1, 'منتج واحد'],
    ['ar', 2, 'منتجان'],
    ['ar', 5, '5 منتجات'],
    ['ar', 11, '11 منتجًا'],
    ['ar', 100, '100 منتج']
  ]
  for (const [locale, count, text] of cases) t.equal(createTranslator(locale).translate('item-count', { count }), text)
})

t.test('a merchant can override messages, per language and only for its own shop', async t => {
  const own = { en: { 'place-order': 'Pay now', order: 'Order no. {number}' }, de: { total: 'Summe' } }
  const { translate } = createTranslator('en-GB', own)
  t.equal(translate('place-order'), 'Pay now')
  t.equal(translate('order', { number: 'ABC' }), 'Order no. ABC')
  t.equal(translate('total'), 'Total')
  t.equal(createTranslator('de', own).translate('total'), 'Summe')
  t.equal(createTranslator('en-GB').translate('place-order'), 'Buy now')
})

t.test('shoppers who do not come from the app read other messages, which can be overridden, too', async t => {
  const own = { en: { 'add-items': 'To the app!', 'go-again': 'To the app!', 'go-again-without-app': 'To the shop!' } }
  const ofApp = createTranslator('en-GB', own)
  t.equal(ofApp.translate('go-again'), 'To the app!')
  const { translate } = createTranslator('en-GB', own, 'en-GB', undefined, false)
  t.equal(translate('go-again'), 'To the shop!')
  t.equal(translate('add-items'), 'Go back and add something to your bag.')
  t.equal(translate('total'), 'Total')
})

t.test('an argument of the other direction does not reorder the sentence', async t => {
  t.equal(createTranslator('ar').translate('order', { number: 'ABC' }), 'عرض الطلب \u2068ABC\u2069')
  t.equal(createTranslator('fr').translate('order', { number: 'ABC' }), 'Voir la commande ABC')
  t.equal(
    createTranslator('ar').translate('order', { number: '5 A$' }),
    'عرض الطلب \u20685 A$\u2069',
    'whatever is in it'
  )
  t.equal(
    createTranslator('ar').translate('title-error', { title: 'سلة' }),
    'خطأ: سلة',
    'what runs with it is as it is'
  )
  const { translatePrice, money } = createTranslator('ar')
  t.equal(money(500, 'GBP'), '5.00\u00a0\u2066UK£\u2069')
  t.equal(
    translatePrice('price-each', money(500, 'GBP')),
    '5.00\u00a0\u2066UK£\u2069 للقطعة',
    'money is not isolated again'
  )
})

t.test('markup in a message is plain text', async t => {
  t.equal(createTranslator('en', { en: { total: '<b>Total</b>' } }).translate('total'), '<b>Total</b>')
  t.throws(() => parseMessage('{', 'en'), SyntaxError)
})

t.test("a merchant's text is one for all languages or one for each", async t => {
  const text = { en: 'You pay on delivery', de: 'Sie zahlen bei Lieferung' }
  t.strictSame(createTranslator('de-CH').read(text), { text: 'Sie zahlen bei Lieferung', lang: undefined })
  t.strictSame(createTranslator('en-GB').read(text), { text: 'You pay on delivery', lang: undefined })
  t.strictSame(createTranslator('fr').read('Paiement'), { text: 'Paiement', lang: undefined })
  t.strictSame(createTranslator('fr').read({ de: 'Paket' }), { text: 'Paket', lang: 'de' }, 'the only one there is')
})

t.test('a text in another language than the page has its language', async t => {
  const cases: [string, string, string | undefined][] = [
    ['ar', 'en-GB', 'en'],
    ['de-AT', 'de-DE', undefined],
    // The page of a Dutch locale is in English, as there are no Dutch messages; the titles are still Dutch.
    ['nl-NL', 'nl-NL', 'nl']
  ]
  for (const [locale, merchantLocale, lang] of cases) {
    const { otherLang, read } = createTranslator(locale, {}, merchantLocale)
    t.equal(otherLang, lang, locale)
    t.strictSame(read('Text'), { text: 'Text', lang }, locale)
  }
})

t.test('a label on its own begins with a capital, if the script has any', async t => {
  const cases: [string, string, string][] = [
    ['en', 'town or city', 'Town or city'],
    ['en', 'ZIP code', 'ZIP code'],
    ['fr', 'État', 'État'],
    ['fr', 'émirat', 'Émirat'],
    ['ja', '住所', '住所'],
    ['en', '', '']
  ]
  for (const [locale, text, label] of cases) t.equal(capitalise(text, locale), label)
})

t.test('any number of amounts is written right, the first ones again in the end', async t => {
  const { money, number } = createTranslator('en-GB')
  for (let minor = 0; minor < 5000; minor++) {
    if (money(minor, 'GBP') !== `£${toDecimal(minor, 'GBP')}`.replace(/\B(?=(\d{3})+\.)/g, ',')) t.fail(`${minor}`)
    if (number(minor) !== String(minor).replace(/\B(?=(\d{3})+$)/g, ',')) t.fail(`${minor}`)
  }
  t.equal(money(1, 'GBP'), '£0.01')
  t.equal(money(1, 'JPY'), 'JP¥1')
})

const currency = fc.constantFrom('JPY', 'GBP', 'HUF', 'MRU', 'BHD', 'CLF')

t.test('amounts are formatted for the locale', async t => {
  const nbsp = '\u00a0'
  const cases: [minor: number, currency: string, locale: string, text: string][] = [
    [123_456_789, 'GBP', 'en-GB', '£1,234,567.89'],
    [14799, 'USD', 'en-GB', 'US$147.99'],
    [1234, 'BHD', 'en-GB', `BHD${nbsp}1.234`],
    [120, 'MGA', 'en-GB', `MGA${nbsp}1.20`],
    [123_456_789, 'EUR', 'de-DE', `1.234.567,89${nbsp}€`],
    [4500, 'JPY', 'ja-JP', '￥4,500'],
    [2800, 'EUR', 'ar', `28.00${nbsp}€`],
    [MAX_PRICE * 9999 * 900 - 1, 'GBP', 'en-GB', '£89,990,999,910,008.99']
  ]
  for (const [minor, code, locale, text] of cases) {
    t.equal(moneyFormat(code, locale)(minor), text, `${minor} ${code} in ${locale}`)
  }
})

t.test('an amount is what Intl writes, whatever the grouping and the digits of the language', async () => {
  const locale = fc.constantFrom('en-GB', 'en-IN', 'de-CH', 'es', 'pl', 'ja', 'hi', 'ar', 'ar-EG', 'fa', 'mr')
  fc.assert(
    fc.property(currency, locale, fc.maxSafeNat(), (code, locale, minor) => {
      const digits = digitsOf(code)
      const fraction = { minimumFractionDigits: digits, maximumFractionDigits: digits }
      const intl = new Intl.NumberFormat(locale, { style: 'currency', currency: code, ...fraction })
      const expected = intl.format(toDecimal(minor, code) as Intl.StringNumericLiteral)
      const marks = /[\u200f\u2066\u2069]/g
      return moneyFormat(code, locale)(minor).replace(marks, '') === expected.replace(marks, '')
    })
  )
})

t.test('the narrow symbol is the shortest that people know, in every language', async t => {
  const cases: [currency: string, locale: string, text: string][] = [
    ['GBP', 'en-GB', '£28.00'],
    ['GBP', 'fr', '28,00\u00a0£'],
    ['GBP', 'ja', '£28.00'],
    ['GBP', 'ar', '28.00\u00a0£'],
    ['USD', 'ar', '28.00\u00a0$'],
    ['JPY', 'en-GB', '¥2,800'],
    ['CHF', 'ar', '28.00\u00a0\u2066CHF\u2069'],
    ['AED', 'ar', '28.00\u00a0\u2066د.إ.\u2069'],
    ['BRL', 'pt-BR', 'R$\u00a028,00'],
    ['BRL', 'ar', '28.00\u00a0\u2066R$\u2069'],
    ['EGP', 'ar-EG', '٢٨٫٠٠\u00a0\u2066ج.م.\u2069'],
    ['EGP', 'en', 'E£28.00'],
    ['CNY', 'ja', '元\u00a028.00']
  ]
  for (const [code, locale, text] of cases) {
    t.equal(moneyFormat(code, locale, 'narrowSymbol')(2800), text, `${code} in ${locale}`)
  }
})

/** Doubles a number; `asked` has the numbers that it was worked out for. */
function doubling(max?: number) {
  const asked: number[] = []
  const double = memoize((n: number) => {
    asked.push(n)
    return n * 2
  }, max)
  return { asked, double }
}

t.test('a result is worked out once', async t => {
  const { asked, double } = doubling()
  t.strictSame([1, 2, 1, 2, 1].map(double), [2, 4, 2, 4, 2])
  t.strictSame(asked, [1, 2])
})

t.test('beyond the maximum it starts afresh', async t => {
  const { asked, double } = doubling(2)
  t.strictSame([1, 2, 1, 3, 3, 1].map(double), [2, 4, 2, 6, 6, 2])
  t.strictSame(asked, [1, 2, 3, 1])
})
