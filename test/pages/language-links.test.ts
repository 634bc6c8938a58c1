// A shopper can change the language of a page, without a script or a cookie, and keeps it to the confirmation.
import type { LightMyRequestResponse } from 'fastify'
import t, { type Test } from 'tap'
import { createTranslator } from '../../src/messages/translator.ts'
import { askedLanguage, languageChoices, languageLinks, withLang } from '../../src/pages/language-links.ts'
import { anyMerchant } from '../any-merchant.ts'
import { uuid } from '../build.ts'
import { elements, textOf } from './read-page.ts'
import { ADA, formOf, openShop } from './shopper.ts'

t.test('a language has its own name, and a code with a region only if it needs one', async t => {
  const codes = (...locales: string[]) => languageChoices(locales).map(({ code, name }) => `${code} ${name}`)
  t.strictSame(codes('en-GB', 'de-DE', 'fr', 'es-ES', 'ja-JP', 'ar'), [
    'en English',
    'de Deutsch',
    'fr Français',
    'es Español',
    'ja 日本語',
    'ar العربية'
  ])
  t.strictSame(codes('de-DE', 'de-AT', 'en'), [
    'de-DE Deutsch (Deutschland)',
    'de-AT Österreichisches Deutsch',
    'en English'
  ])
  t.strictSame(codes('it-IT', 'de'), ['en English', 'de Deutsch'], 'without messages in it, the pages are in English')
})

t.test('only the address of a page below the checkout asks for a language', async t => {
  const cases: [string, string | undefined][] = [
    ['/shop/checkout?lang=de', 'de'],
    ['/shop/checkout/token?lang=de&lang=fr', 'de'],
    ['/shop/checkout/token/complete?order=1&lang=de%2DDE', 'de-DE'],
    ['/shop/checkout/token?lang', ''],
    ['/shop/checkout/token?language=de', undefined],
    ['/shop/checkout/token', undefined],
    ['/shop/checkouts?lang=de', undefined],
    ['/shop/cart?lang=de', undefined],
    ['/shop/cart?x=/shop/checkout?lang=de', undefined]
  ]
  for (const [url, asked] of cases) t.equal(askedLanguage(anyMerchant(), url).lang, asked, url)
})

t.test('an address asks for a language in its query', async t => {
  t.equal(withLang('/a', 'de'), '/a?lang=de')
  t.equal(withLang('/a?order=1', 'de'), '/a?order=1&lang=de')
  t.equal(withLang('/a', undefined), '/a')
})

t.test('one other language is linked; several only if they are to be listed, else the list', async t => {
  const english = createTranslator('en-GB')
  const deutsch = { href: '/a?lang=de', text: 'Deutsch', lang: 'de' }
  const français = { href: '/a?lang=fr', text: 'Français', lang: 'fr' }
  const two = languageChoices(['en-GB', 'de'])
  const three = languageChoices(['en-GB', 'de', 'fr'])
  t.strictSame(languageLinks(two, english, '/a', false), [deutsch])
  t.strictSame(languageLinks(three, english, '/a', true), [deutsch, français])
  t.strictSame(languageLinks(three, english, '/a', false), [{ href: '/a?langs=en#lang', text: 'Language: English' }])
  t.strictSame(languageLinks(languageChoices(['en-GB']), english, '/a', true), [])
  t.strictSame(languageLinks(three, english, undefined, true), [], 'nothing to get in another language')
})

/** Checks that a page is in German, whatever its headers say, and that caches know what it depends on. */
function isGerman(t: Test, { body, headers }: LightMyRequestResponse, what: string): void {
  t.match(headers, { 'content-language': 'de', vary: 'Accept-Language' }, what)
  t.match(body, '<html lang="de">', what)
}

t.test(
  'a language that was chosen stays: through the form, its refusals and the redirect to the confirmation',
  async t => {
    const shop = await openShop(t, '2B', { locales: ['de', 'fr'], countries: ['GB', 'US'] })
    const { app, tick } = shop
    const headers = { 'accept-language': 'fr' }
    const get = (url: string) => app.inject({ url, headers })
    const post = (url: string, payload: object) =>
      app.inject({
        method: 'POST',
        url,
        headers: { ...headers, 'content-type': 'application/x-www-form-urlencoded' },
        payload: `${new URLSearchParams({ ...payload })}`
      })
    const path = `/shop/checkout/${await shop.transfer()}`

    const shown = await get(path)
    t.equal(shown.headers['content-language'], 'fr')
    t.equal(formOf(shown.body)?.action, `${path}?`, 'nothing was chosen')
    t.match(shown.body, `<a href="${path}?langs=fr#lang">Langue\u00a0: Français</a>`)
    const listed = await get(`${path}?langs=de`)
    isGerman(t, listed, 'the list is in the language of the page that it was asked for on')
    t.equal(formOf(listed.body)?.action, `${path}?&lang=de`)
    t.match(
      listed.body,
      `<footer id=lang><a href="${path}?lang=en" lang=en hreflang=en>English</a><a href="${path}?lang=fr"`
    )
    t.equal((await get(`${path}?lang=it`)).headers['content-language'], 'fr', 'what is not offered is ignored')
    isGerman(t, await get(`${path}?lang=DE`), 'in capitals')
    t.equal((await get(`${path}?lang=en-gb`)).headers['content-language'], 'en-GB', 'the whole tag')

    const german = await get(`${path}?lang=de`)
    isGerman(t, german, 'the page')
    t.equal(german.headers['cache-control'], 'private, no-cache')
    const { action = '', fields } = formOf(german.body) ?? {}
    t.equal(action, `${path}?&lang=de`, 'not the address of the page')
    const wrong = await post(action, { ...fields, ...ADA, email: '' })
    isGerman(t, wrong, 'a form with a mistake')
    t.equal(wrong.statusCode, 422)
    t.equal(formOf(wrong.body)?.action, action)
    const links = elements(wrong.body).flatMap(({ attributes: { href = '' } }) => (href.includes('?lang') ? href : []))
    t.strictSame(links, [`${path}?langs=de#lang`], 'the answer to a POST links to what GET gets')
    const country = await post(action, { ...fields, ...ADA, country: 'US' })
    isGerman(t, country, 'another country')
    t.equal(formOf(country.body)?.action, action)
    isGerman(t, await post('/shop/checkout?lang=de', { token: path.split('/').at(-1) }), 'the page by its token')

    const placed = await post(action, { ...fields, ...ADA })
    t.equal(placed.statusCode, 303)
    const location = String(placed.headers.location)
    t.match(location, /\/complete\?order=[^&]+&lang=de$/)
    const confirmation = await get(location)
    isGerman(t, confirmation, 'the confirmation')
    t.match(
      confirmation.body,
      `<a href="${location.replace(/de$/, 'fr')}" lang=fr hreflang=fr>Français</a>`.replace('&', '&amp;')
    )
    const again = await get(`${path}?lang=de`)
    isGerman(t, again, 'the page of what is ordered')
    t.match(again.body, location.replace('&', '&amp;'))
    isGerman(t, await get('/shop/checkout/nobody?lang=de'), 'a refusal')
    isGerman(t, await get(`${path}/complete?order=wrong&lang=de`), 'a wrong number')

    const other = `/shop/checkout/${await shop.transfer(undefined, uuid(2))}`
    tick(2 * 24 * 60 * 60 * 1000)
    const late = await post(`${other}?lang=de`, {})
    t.equal(late.statusCode, 410)
    isGerman(t, late, 'a form that is too late')
  }
)

t.test('a transfer has no lang of ours: what a platform sends under that name is its own', async t => {
  const { app, merchant } = await openShop(t, '2B', { locales: ['de'] })
  const cart = { items: [{ sku: 'MUG', quantity: 1 }], currency: 'GBP', reference: uuid() }
  const { url } = merchant.option.request(cart, '/shop/cart')
  const page = await app.inject(`${url}&lang=de`)
  t.equal(page.statusCode, 200)
  t.equal(page.headers['content-language'], 'en-GB')
  t.match(page.body, /<a href="\/shop\/checkout\/[\w-]+\?lang=de" lang=de hreflang=de>Deutsch<\/a>/)
  const refused = await app.inject('/shop/cart?lang=de')
  t.equal(refused.headers['content-language'], 'en-GB')
  t.notMatch(textOf(refused.body), 'Deutsch', 'a refused transfer has no page to switch to')
})
