// A shopper can change the language of a page, without a script or a cookie, and keeps it to the confirmation.
import type { LightMyRequestResponse } from 'fastify'
import t, { type Test } from 'tap'
import type { Merchant, Way } from '../../src/merchant/merchant.ts'
import {
  askedLanguage,
  languageChoices,
  repeatableAddress,
  shopperLanguages
} from '../../src/pages/shopper-language.ts'
import { formPost } from '../../src/transfer/form-post/form-post.ts'
import { meta } from '../../src/transfer/meta/meta.ts'
import { anyMerchant, anyWay } from '../any-merchant.ts'
import { uuid } from '../build.ts'
import { elements, textOf, unescapeHtml, valuesOf } from './read-page.ts'
import { ADA, type Form, formOf, openShop, stable } from './shopper.ts'

t.test('a language has its own name, and a code with a region only if it needs one', async t => {
  const codes = (...locales: string[]) => languageChoices(locales).map(({ code, name }) => `${code} ${name}`)
  t.strictSame(codes('en-GB', 'fr', 'ja-JP', 'ar'), ['en English', 'fr Français', 'ja 日本語', 'ar العربية'])
  const two = ['de-DE Deutsch (Deutschland)', 'de-AT Österreichisches Deutsch', 'en English']
  t.strictSame(codes('de-DE', 'de-AT', 'en'), two)
  t.strictSame(codes('it-IT', 'de'), ['en English', 'de Deutsch'], 'without messages in it, the pages are in English')
})

t.test('a language is asked for in the address of a page, or by a button of its form', async t => {
  const cases: [string, string | undefined][] = [
    ['/shop/checkout?lang=de', 'de'],
    ['/shop/checkout/token?lang=de&lang=fr', 'de'],
    ['/shop/checkout/token/complete?order=1&lang=de%2DDE', 'de-DE'],
    ['/shop/checkout/token?lang=', ''],
    ['/shop/checkout/token?language=de', undefined],
    ['/shop/checkout/token', undefined],
    ['/shop/cart?lang=de', undefined],
    ['/shop/cart?page-lang=de', 'de'],
    ['/shop/cart?x=/shop/checkout?lang=de', undefined]
  ]
  for (const [url, lang] of cases) {
    t.equal(askedLanguage(anyMerchant(), { url, headers: {} }), lang, url)
  }
  const pressed = (url: string, body: unknown) => askedLanguage(anyMerchant(), { url, body, headers: {} })
  const form = '/shop/checkout/token?&lang=fr'
  t.equal(pressed(form, { lang: 'de' }), 'de', 'the button comes first')
  t.equal(pressed(form, { lang: ['de', 'es'] }), 'fr')
  t.equal(pressed(form, null), 'fr')
  t.equal(pressed('/shop/cart', { lang: 'de' }), undefined, 'a transfer')
  t.equal(askedLanguage(anyMerchant(), { headers: {} }), undefined)
})

t.test('what was asked for with GET can be repeated, unless its address is another site’s or too long', async t => {
  const addressOf = (url: string, method = 'GET') => repeatableAddress(anyMerchant(), { method, url })
  t.equal(addressOf('/shop/cart?sku=1&page-lang=de&lang=x'), '/shop/cart?sku=1&lang=x')
  t.equal(addressOf('/shop/checkout/token?lang=de'), '/shop/checkout/token')
  t.equal(addressOf('/shop/checkout/token', 'HEAD'), '/shop/checkout/token', 'as GET')
  t.equal(addressOf('/shop/checkout/token', 'POST'), undefined)
  for (const url of ['//evil.example/shop/cart', 'http://evil.example/shop/cart', '/shop/nowhere', '/shop/cart?é=1']) {
    t.equal(addressOf(url), undefined, url)
  }
  t.equal(addressOf(`/shop/cart?${'x'.repeat(1689)}`)?.length, 1700)
  t.equal(addressOf(`/shop/cart?${'x'.repeat(1690)}`), undefined)
})

t.test('a way that the file no longer has, or names otherwise, is still known by its option', async t => {
  const ofApp = anyWay({}, formPost)
  const linkAt = (path: string): Way => ({ ...anyWay({ path }, meta), name: `meta ${path}` })
  const cases: [wayName: string | undefined, ways: Merchant['ways'], isFromApp: boolean][] = [
    ['meta', [ofApp, linkAt('/a'), linkAt('/b')], false],
    ['meta /b', [ofApp, anyWay({}, meta)], false],
    ['permalink', [ofApp], false],
    ['2A /old', [linkAt('/a')], true],
    ['of no option', [linkAt('/a'), ofApp], true],
    ['of no option', [linkAt('/a')], false],
    [undefined, [linkAt('/a'), ofApp], true]
  ]
  for (const [wayName, ways, isFromApp] of cases) {
    const { languageFor } = shopperLanguages(anyMerchant({ ways }), new Map())
    const names = ways.map(({ name }) => name).join(', ')
    t.equal(languageFor({ headers: {}, wayName }).translator.isFromApp, isFromApp, `${wayName} of ${names}`)
  }
})

/** Checks that a page is in German, whatever its headers say, and that caches know what it depends on. */
function isGerman(t: Test, { body, headers }: LightMyRequestResponse, what: string): void {
  t.match(headers, { 'content-language': 'de', vary: 'Accept-Language' }, what)
  t.match(body, '<html lang="de">', what)
}

t.test('a language that was chosen stays, through refusals of the form, to the confirmation', async t => {
  const shop = await openShop(t, '2B', { locales: ['de', 'fr'], countries: ['GB', 'US'] })
  const get = (url: string) => shop.get(url, 'fr')
  const post = (action: string, typed: Record<string, string>) => shop.submit({ action, fields: {} }, typed, 'fr')
  const path = `/shop/checkout/${await shop.transfer()}`

  const shown = await get(path)
  t.equal(shown.headers['content-language'], 'fr')
  t.equal(formOf(shown.body)?.action, `${path}?&lang=fr`, 'the form is in the language of its page')
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
  const country = await post(action, { ...fields, ...ADA, country: 'US' })
  isGerman(t, country, 'another country')
  t.equal(formOf(country.body)?.action, action)
  isGerman(
    t,
    await post('/shop/checkout?lang=de', { token: path.slice('/shop/checkout/'.length) }),
    'the page by its token'
  )

  const placed = await post(action, { ...fields, ...ADA })
  t.equal(placed.statusCode, 303)
  const location = stable(placed.headers.location)
  t.match(location, /\/complete\?order=[^&]+&lang=de$/)
  const confirmation = await get(String(placed.headers.location))
  isGerman(t, confirmation, 'the confirmation')
  t.strictSame(
    linksOf(confirmation.body).map(stable),
    ['en', 'fr'].map(lang => location.replace(/de$/, lang))
  )
  const again = await get(`${path}?lang=de`)
  isGerman(t, again, 'the page of what is ordered')
  t.match(again.body, '<i class="ordered"></i>\n<h1>', 'which is no mistake')
  t.match(again.body, location.replace('&', '&amp;'))
  isGerman(t, await get('/shop/checkout/nobody?lang=de'), 'a refusal')
  isGerman(t, await get(`${path}/complete?order=wrong&lang=de`), 'a wrong number')

  const other = `/shop/checkout/${await shop.transfer(undefined, uuid(2))}`
  shop.tick(2 * 24 * 60 * 60 * 1000)
  const late = await post(`${other}?lang=de`, {})
  t.equal(late.statusCode, 410)
  isGerman(t, late, 'a form that is too late')
  t.strictSame(linksOf(late.body), [`${other}?lang=en`, `${other}?lang=fr`], 'which GET gets in other languages')
})

/** The links of a page to itself in other languages. */
function linksOf(body: string): string[] {
  return elements(body).flatMap(({ attributes: { href, hreflang } }) => (href && hreflang ? unescapeHtml(href) : []))
}

t.test('a language is chosen with a button of the form: everything typed is kept, and nothing is ordered', async t => {
  const shop = await openShop(t, '2B', { locales: ['de', 'fr'], countries: ['GB', 'US'] })
  const form = await shop.form(await shop.transfer())
  const buttons = (body: string) =>
    elements(body).flatMap(({ name, attributes }) => (name === 'button' ? (attributes.name ?? 'orders') : []))
  const page = await shop.page(form.action.split(/[/?]/)[3] ?? '')
  t.strictSame(buttons(page.body), ['orders', 'look', 'lang', 'lang', 'look', 'orders'])
  t.match(
    page.body,
    /<details class=langs><summary><svg [^>]*role=img aria-label="Language:"><path [^>]*><\/svg> English<\/summary>\s*<button form=form name=lang value=de lang=de>Deutsch<\/button>/
  )
  const german = await shop.submit(form, { ...ADA, lang: 'de' })
  isGerman(t, german, 'the page')
  t.equal(german.statusCode, 200)
  t.match(formOf(german.body), { action: form.action.replace('lang=en', 'lang=de'), fields: ADA }, 'what was typed')
  t.notMatch(german.body, /role="?alert|country-note/, 'without mistakes, and without a note about the country')
  const french = await shop.submit(formOf(german.body) as Form, { lang: 'fr' })
  t.equal(french.headers['content-language'], 'fr', 'the button comes before the address')
  t.strictSame(shop.orders(), [])
  const { statusCode, headers } = await shop.submit(formOf(french.body) as Form, ADA)
  t.equal(statusCode, 303)
  t.match(shop.orders(), [{ reference: uuid(), language: 'fr' }], 'that of the page with the button that orders')
  const late = await shop.submit(form, { lang: 'de' })
  t.equal(late.headers.location, stable(headers.location).replace('lang=fr', 'lang=de'), 'not a correction')
})

t.test('what is wrong or doubted is said again in another language, unless it has been mended', async t => {
  const shop = await openShop(t, '1', { locales: ['de'] })
  const form = await shop.form(await shop.transfer())
  const marked = (body: string) => valuesOf(body, 'aria-describedby').join(' ')
  const mistaken = await shop.submit(form, { ...ADA, email: 'ada@gmial.com', name: '', city: '', postcode: '' })
  t.equal(marked(mistaken.body), 'email-wrong name-wrong city-wrong postcode-wrong')
  const german = await shop.submit(formOf(mistaken.body) as Form, { city: 'Whitby', address1: '', lang: 'de' })
  t.equal(german.statusCode, 200)
  isGerman(t, german, 'the page')
  t.equal(marked(german.body), 'email-wrong name-wrong postcode-wrong', 'and no field that nothing was said of')
  t.match(textOf(german.body), /Meinten Sie ada@gmail\.com\?.* Vor- und Nachname fehlen Postleitzahl fehlt/)
  t.match(formOf(german.body)?.fields, { city: 'Whitby', address2: ADA.address2 })
  t.strictSame(shop.orders(), [])
})

t.test('with one other language, its button is on the page', async t => {
  const shop = await openShop(t, '2B', { locales: ['de'] })
  const { body } = await shop.page(await shop.transfer())
  t.match(body, '<button form=form name=lang value=de lang=de>Deutsch</button>')
  shop.change('MUG', { availability: 'out_of_stock' })
  const path = `/shop/checkout/${await shop.transfer()}`
  const unsold = await shop.app.inject(path)
  t.strictSame(linksOf(unsold.body), [`${path}?lang=de`], 'without a form it is a link')
})

t.test('a refusal is read in another language if GET can ask for it again', async t => {
  const shop = await openShop(t, '2B', { locales: ['de'] })
  const { app, merchant } = shop
  const cart = { items: [{ sku: 'LAMP', quantity: 1 }], currency: 'GBP', reference: uuid() }
  const { url } = merchant.ways[0].option.request(cart, '/shop/cart')
  const refused = await app.inject(`${url}&lang=de`)
  t.equal(refused.headers['content-language'], 'en-GB', 'what a platform sends as lang is its own')
  t.strictSame(linksOf(refused.body), [`${url}&lang=de&page-lang=de`])
  const german = await app.inject(linksOf(refused.body)[0] as string)
  t.equal(german.statusCode, 422)
  isGerman(t, german, 'the same refusal')
  t.strictSame(linksOf(german.body), [`${url}&lang=de&page-lang=en`])
  shop.change('LAMP', { availability: 'in_stock' })
  const sold = await app.inject(`${url}&page-lang=de`)
  isGerman(t, sold, 'a bag that can be sold by now')
  t.match(formOf(sold.body)?.action, /&lang=de$/)

  for (const [path, status] of [
    ['/shop/checkout/nobody', 404],
    ['/shop/checkout', 405]
  ]) {
    const missing = await app.inject(String(path))
    t.strictSame([missing.statusCode, linksOf(missing.body)], [status, [`${path}?lang=de`]])
  }
  const token = await shop.transfer(undefined, uuid(2))
  await shop.transfer([{ sku: 'MUG', quantity: 7 }], uuid(2))
  const superseded = await shop.post(token, '')
  t.strictSame([superseded.statusCode, linksOf(superseded.body)], [409, [`/shop/checkout/${token}?lang=de`]])

  const form = await openShop(t, '2A', { locales: ['de'] })
  t.strictSame(linksOf((await form.send([{ sku: 'NOBODY', quantity: 1 }])).body), [], 'not one that was posted')
})
