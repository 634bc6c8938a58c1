// The locale that a shopper gets, from the Accept-Language of the web view.
import t from 'tap'
import { chooseLocale } from '../../src/messages/locales.ts'

const LOCALES: [string, ...string[]] = ['en-GB', 'de-DE', 'fr', 'ja-JP', 'ar']

t.test('the best match is chosen, or else the default', async t => {
  const cases: [string | undefined, string][] = [
    [undefined, 'en-GB'],
    ['', 'en-GB'],
    ['*', 'en-GB'],
    ['de', 'de-DE'],
    ['de-AT, de;q=0.9, en;q=0.5', 'de-DE'],
    ['fr-CA', 'fr'],
    ['en-US', 'en-GB'],
    ['ar-EG', 'ar'],
    ['JA', 'ja-JP'],
    ['it, ja;q=0.3', 'ja-JP'],
    ['it', 'en-GB'],
    ['zh-TW', 'en-GB'],
    ['de-Latn-CH-1996-u-co-phonebk-x-y, fr', 'de-DE'],
    ['de-ZQ', 'de-DE'],
    ['en;q=0.1, de;q=0.8', 'de-DE'],
    ['de;q=0, fr;q=0.1', 'fr'],
    ['de_DE, fr', 'fr'],
    ['i-klingon, xx-invalid-zzzzzzzzzzz, ja', 'ja-JP'],
    [';;;,,q=1', 'en-GB'],
    [`${'it,'.repeat(20)}de`, 'en-GB']
  ]
  for (const [accept, locale] of cases) t.equal(chooseLocale(accept, LOCALES), locale, String(accept))
})

t.test('a shop with one locale always uses it', async t => {
  t.equal(chooseLocale('de', ['en-GB']), 'en-GB')
})
