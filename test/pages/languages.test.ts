// Every page in the shopper's language: the right one is chosen and declared, and no text is left in another.
import type { LightMyRequestResponse } from 'fastify'
import t, { type Test } from 'tap'
import { type Language, languages, type MessageName } from '../../src/messages/messages.ts'
import { createTranslator } from '../../src/messages/translator.ts'
import { build, merchantFile, uuid } from '../build.ts'
import { sendRawText } from '../raw-http.ts'
import { textOf } from './read-page.ts'
import { ADA, BAG, type Form, formOf, openShop, orderBlock, titleOf } from './shopper.ts'

const [, ...OTHERS] = Object.keys(languages)
const SELLS = {
  locales: OTHERS,
  countries: ['GB', 'US'],
  delivery: [
    { id: 'post', label: { en: 'Post', de: 'Paket', fr: 'Colis', es: 'Correo', ja: '郵便', ar: 'بريد' }, price: '4.50' }
  ],
  payment: { text: { en: 'Cash', de: 'Bar', fr: 'Espèces', es: 'Efectivo', ja: '現金', ar: 'نقدًا' } },
  checkout: {
    taxText: { en: 'With VAT', de: 'Mit MwSt.', fr: 'TTC', es: 'Con IVA', ja: '税込み', ar: 'شامل الضريبة' }
  }
}

/** Checks that a page declares its language, in the headers and in the markup. */
function checkLanguage(t: Test, { headers, body }: LightMyRequestResponse, language: string, what: string): void {
  t.match(headers, { 'content-language': language, vary: 'Accept-Language' }, what)
  const dir = language === 'ar' ? ' dir=rtl' : ''
  t.match(body, `<html lang="${language}"${dir}>`, what)
}

for (const language of Object.keys(languages) as Language[]) {
  const translator = createTranslator(language)
  /** With every space as a plain one, as `textOf` reads a page. */
  const translate: typeof translator.translate = (...message) => translator.translate(...message).replace(/\s/g, ' ')
  t.test(`${language}: every page is in the language, from the bag to the confirmation, and every refusal`, async t => {
    const shop = await openShop(t, '2B', SELLS)
    const { transfer, tick, change } = shop
    const accept = `${language}, en;q=0.1`
    const get = (url: string) => shop.get(url, accept)
    const reads = (response: LightMyRequestResponse, status: number, ...names: MessageName[]) => {
      t.equal(response.statusCode, status, `${names[0]}`)
      checkLanguage(t, response, language === 'en' ? 'en-GB' : language, `${names[0]}`)
      const text = textOf(response.body)
      for (const name of names) t.match(text, translate(name), name)
      t.notMatch(text, /undefined|\[object/)
      if (language === 'en') return
      const english = Object.values(languages.en).filter(text => /^[A-Z].* .*[^}]$/.test(text))
      t.strictSame(
        english.filter(sentence => text.includes(sentence)),
        [],
        'no sentence in English'
      )
    }

    const path = `/shop/checkout/${await transfer()}`
    const shown = await get(path)
    reads(shown, 200, 'checkout', 'your-bag', 'contact-details', 'delivery', 'payment', 'add-company', 'place-order')
    reads(shown, 200, 'subtotal', 'total', 'back-to-app', 'preorder')
    t.match(textOf(shown.body), SELLS.payment.text[language])
    t.match(textOf(shown.body), SELLS.delivery[0]?.label[language])
    t.match(textOf(shown.body), SELLS.checkout.taxText[language])
    t.match(textOf(shown.body), new Intl.DisplayNames(language, { type: 'region' }).of('US'))
    const locale = language === 'en' ? 'en-GB' : language
    const total = new Intl.NumberFormat(locale, {
      style: 'currency',
      currency: 'GBP',
      currencyDisplay: 'narrowSymbol'
    }).format(149.5)
    t.match(
      textOf(shown.body).replace(/[\u2066\u2069]/g, ''),
      total.replace(/\s/g, ' ').replace(/\u200f|UK/g, ''),
      'money in the format of the language'
    )

    const send = (typed: Record<string, string>) => shop.submit(formOf(shown.body) as Form, typed, accept)
    const mistaken = await send({ ...ADA, email: 'x', postcode: '' })
    reads(mistaken, 422, 'check-details')
    t.equal(
      titleOf(mistaken.body).replace(/\s/g, ' '),
      `${translate('title-error', { title: translate('checkout') })} – The Shop`
    )
    t.match(textOf(mistaken.body), translate('email-shape', { example: 'name@example.com' }))
    reads(await send({ ...ADA, country: 'US' }), 200, 'delivery')
    change('MUG', { price: 1300 })
    const changed = await send(ADA)
    reads(changed, 409, 'price-before', 'total-before')
    t.match(textOf(changed.body), translator.translateCount('prices-changed', 1))
    t.match(titleOf(changed.body).replace(/\s/g, ' '), translate('title-error', { title: translate('checkout') }))

    const placed = await shop.submit(formOf(changed.body) as Form, ADA, accept)
    const confirmed = await get(String(placed.headers.location))
    reads(confirmed, 200, 'thank-you', 'your-number', 'your-order', 'continue-shopping')
    t.equal(titleOf(confirmed.body), 'Order complete – The Shop', 'apps look for this title')
    t.match(orderBlock(confirmed.body), { total: '150.50', currency: 'GBP' }, 'and read these values')
    reads(await get(path), 409, 'order-placed', 'ordered-once')

    const query = (sku: string, currency = 'GBP', n = 9) =>
      `/shop/cart?item_0_sku=${sku}&item_0_quantity=1&currency=${currency}&reference=${uuid(n)}`
    reads(await get(query('LAMP')), 422, 'one-unsold', 'item-sold-out', 'change-bag')
    reads(await get(query('NOBODY')), 422, 'item-unknown')
    reads(await get(query('DOLLAR')), 422, 'item-unpriced')
    const abroad = await get(query('MUG', 'JPY'))
    reads(abroad, 422, 'currency-unsold', 'change-currency')
    t.notMatch(textOf(abroad.body), translate('change-bag'), 'another bag would not help')
    const none = query('MUG').replace('quantity=1', 'quantity=0')
    reads(await get(none), 400, 'one-unsold', 'item-quantity', 'change-bag')
    const incomplete = query('MUG').replace('item_0_quantity=1', '')
    reads(await get(incomplete), 400, 'bag-incomplete', 'item-incomplete', 'change-bag')
    reads(await get(query('MUG', 'gbp')), 400, 'currency-unsold', 'change-currency')
    reads(await get('/shop/cart?currency=GBP'), 400, 'bag-incomplete', 'tap-again', 'engineer-details')
    reads(await get(`${path}x`), 404, 'no-checkout')
    const open = `/shop/checkout/${await transfer(BAG, uuid(2))}`
    change('CLOCK', { availability: 'out_of_stock' })
    reads(await get(open), 200, 'one-unsold', 'item-sold-out')
    tick(24 * 60 * 60 * 1000)
    reads(await get(open), 410, 'checkout-expired', 'start-afresh')
    reads(await shop.submit({ action: open, fields: {} }, ADA, accept), 410, 'checkout-expired', 'start-afresh')
  })

  t.test(`${language}: refusals without a merchant or a route are in the language too`, async t => {
    const { app } = await openShop(t, '2B', SELLS)
    const nowhere = await app.inject({ url: '/', headers: { accept: 'text/html', 'accept-language': language } })
    checkLanguage(t, nowhere, language, 'no merchant')
    t.match(textOf(nowhere.body), translate('nothing-here'))
    await app.listen({ port: 0, host: '127.0.0.1' })
    const port = Number(new URL(app.listeningOrigin).port)
    const lines = ['Host: a', 'Accept: text/html', `Accept-Language: ${language}`, 'Connection: close']
    const send = (request: string) => sendRawText(port, `${[request, ...lines].join('\r\n')}\r\n\r\n`)
    const answer = await send('GET /shop/%zz HTTP/1.1')
    const tag = language === 'en' ? 'en-GB' : language
    t.match(answer, new RegExp(`\r\ncontent-language: ${tag}\r\n`, 'i'))
    t.match(answer, /\r\nvary: Accept-Language\r\n/i)
    t.match(answer, translate('bag-incomplete'), 'and the text is in the language')
    t.match(await send('GET /shop/cart HTTP/9.9'), /^HTTP\/1\.1 400 [\s\S]*\r\ncontent-language: en-GB\r\n/i, 'unread')
  })
}

t.test('a shop with one language ignores Accept-Language', async t => {
  const { get } = await openShop(t, '2B')
  checkLanguage(t, await get('/shop/checkout', 'de'), 'en-GB', 'the locale')
})

t.test('however long Accept-Language is, the language that its reader likes best is shown', async t => {
  const { get } = await openShop(t, '2B', SELLS)
  const others = Array.from({ length: 100 }, (_, i) => `x-${i};q=0.1`).join()
  for (const accept of ['de', `${others},de`]) checkLanguage(t, await get('/shop/checkout', accept), 'de', accept)
})

t.test('a shop can override messages', async t => {
  const { form, transfer, page } = await openShop(t, '1', { messages: { en: { 'place-order': 'Buy <now>' } } })
  const token = await transfer()
  t.ok(await form(token))
  t.match((await page(token)).body, '<button class=go form=form>Buy &lt;now&gt;</button>')
})

t.test('messages of one shop are not those of another', async t => {
  const plain = merchantFile('2B', { id: 'plain', publicUrl: '/plain' })
  const own = merchantFile('2B', { id: 'own', publicUrl: '/own', messages: { en: { 'place-order': 'Buy it' } } })
  for (const merchants of [
    [plain, own],
    [own, plain]
  ]) {
    const { app } = await build(t, { merchants })
    const buttonOf = async (id: string) => {
      const url = `/${id}/cart?item_0_sku=MUG&item_0_quantity=1&currency=GBP&reference=order-1`
      return /<button class=go form=form>(.*)<\/button>/.exec((await app.inject(url)).body)?.[1]
    }
    for (let times = 0; times < 2; times++) {
      t.strictSame([await buttonOf('plain'), await buttonOf('own')], ['Buy now', 'Buy it'])
    }
  }
})

t.test('the currency has its short symbol in a shop that sells in no other', async t => {
  const merchants = [['GBP'], ['GBP', 'USD']].map((currencies, i) =>
    merchantFile('2B', { id: `shop-${i}`, publicUrl: `/shop-${i}`, locale: 'fr', currencies })
  )
  for (const order of [merchants, merchants.toReversed()]) {
    const { app } = await build(t, { merchants: order })
    const totalOf = async (path: string) => {
      const url = `${path}/cart?item_0_sku=CLOCK&item_0_quantity=1&currency=GBP&reference=order-1`
      return /data-total=12000[^>]*>([^<]*)</.exec((await app.inject(url)).body)?.[1]
    }
    t.strictSame([await totalOf('/shop-0'), await totalOf('/shop-1')], ['120,00\u00a0£', '120,00\u00a0£GB'])
  }
})

t.test('a text in another language than the page is marked with its language', async t => {
  const shop = await openShop(t, '2B', {
    locales: ['ar'],
    delivery: [{ id: 'post', label: 'Royal post', price: '4.50' }],
    payment: { text: 'Cash' },
    checkout: { taxText: 'With VAT' }
  })
  const { body: page } = await shop.page(await shop.transfer([{ sku: 'MUG', quantity: 1 }], 'order-1'))
  const { headers } = await shop.submit(formOf(page) as Form)
  const sold = {
    currency: 'GBP',
    reference: uuid(7),
    items: ['LAMP', 'NOBODY-KNOWS'].map(sku => ({ sku, quantity: 1 }))
  }
  const refused = shop.merchant.ways[0].option.request(sold, '/shop/cart').url
  t.notMatch(page, '<bdi lang', 'but not on a page in its own language')
  const expected: [string, string[]][] = [
    [
      `/shop/checkout/${await shop.transfer([{ sku: 'MUG', quantity: 1 }], 'order-2')}`,
      ['Sea-glass mug', 'Royal post', 'With VAT', 'Cash']
    ],
    [String(headers.location).replace('lang=en', 'lang=ar'), ['Sea-glass mug', 'Royal post', 'With VAT', 'Cash']],
    [refused, ['Brass lantern']]
  ]
  for (const [address, texts] of expected) {
    const { body } = await shop.get(address, 'ar')
    const marked = [...body.matchAll(/<(?:bdi|p) lang="?en"?>([^<]*)</g)].map(([, text]) => text)
    t.strictSame(new Set(marked), new Set(texts), address.replace(/[\w-]{32}/, '…'))
  }
})

t.test(
  'an order has the language of the page that its button was on, whatever the next request would rather read',
  async t => {
    const shop = await openShop(t, '1', SELLS)
    const token = await shop.transfer()
    const shown = await shop.get(`/shop/checkout/${token}`, 'de')
    const placed = await shop.submit(formOf(shown.body) as Form, ADA, 'fr')
    t.equal(placed.statusCode, 303, 'it is not a changed price')
    t.match(await shop.store.findOrder('shop', token), { language: 'de', delivery: { label: 'Paket' } })
    const address = String(placed.headers.location)
    t.match(textOf((await shop.get(address, 'ja')).body), 'Paket')
    const japanese = await shop.get(address.replace('lang=de', 'lang=ja'), 'de')
    t.match(textOf(japanese.body), '郵便', 'it is read in another language')
  }
)

t.test('the language of an order is the locale of the merchant file, though the pages are in English', async t => {
  const shop = await openShop(t, '2B', { locale: 'it-IT', countries: ['GB'] })
  const token = await shop.transfer()
  const { headers } = await shop.submit(await shop.form(token))
  t.match(await shop.store.findOrder('shop', token), { language: 'it-IT' })
  t.notMatch(headers.location, 'lang', 'nobody has to ask for the only one')
})
