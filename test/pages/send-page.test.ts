// What all pages share: the data of the layout.
import Fastify from 'fastify'
import t from 'tap'
import { createTranslator } from '../../src/messages/translator.ts'
import { pageData, renderPage } from '../../src/pages/send-page.ts'
import { openStorefront, registerViews } from '../../src/pages/storefront.ts'
import { anyMerchant } from '../any-merchant.ts'

const AR = createTranslator('ar-AE')
const VIEW = { heading: 'H' }

t.test('the layout gets language, title, shop, links and style sheet, with or without a merchant', async t => {
  const imprint = { en: 'https://shop.example/legal', ar: 'https://shop.example/ar/legal' }
  const templateTexts = { promise: { en: 'Packed by hand', ar: 'معبأ يدويًا' }, motto: 'Ahoy' }
  const merchant = anyMerchant({ links: { imprint, terms: 'https://shop.example/terms' }, templateTexts })
  const language = {
    lang: 'ar-AE',
    language: 'ar',
    region: 'AE',
    direction: 'rtl',
    otherLang: undefined,
    isFromApp: true,
    say: AR.translate
  }
  const storefront = openStorefront({ merchant })
  t.strictSame(pageData(storefront, AR, { template: 'checkout', title: 'Checkout', view: VIEW }), {
    ...language,
    ...VIEW,
    title: 'Checkout – The Shop',
    shopName: 'The Shop',
    continueUrl: 'shop://continue',
    logo: undefined,
    darkLogo: undefined,
    hero: undefined,
    phoneHero: undefined,
    font: undefined,
    contact: undefined,
    terms: 'https://shop.example/terms',
    links: [
      { href: 'https://shop.example/terms', text: AR.translate('terms') },
      { href: 'https://shop.example/ar/legal', text: AR.translate('imprint') }
    ],
    languageName: undefined,
    languages: [],
    css: storefront.sheets.checkout.css,
    texts: { promise: { text: 'معبأ يدويًا', lang: undefined }, motto: { text: 'Ahoy', lang: undefined } }
  })
  const fallback = openStorefront()
  t.match(pageData(fallback, AR, { template: 'problem', title: 'Page not found', view: VIEW }), {
    ...language,
    title: 'Page not found',
    shopName: undefined,
    continueUrl: undefined,
    links: { length: 0 },
    css: fallback.sheets.problem.css
  })
})

t.test('half of a surrogate pair is replaced, as everywhere in UTF-8', async t => {
  const view = { heading: 'a\ud800b', entered: [], lines: [], remarks: [], details: [] }
  const storefront = openStorefront()
  const app = Fastify()
  await registerViews(app, [storefront])
  const html = await renderPage(app, storefront, AR, { template: 'problem', title: 'ü', view })
  t.match(html.toString(), '<h1>a\ufffdb</h1>')
})
