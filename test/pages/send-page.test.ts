// What all pages share: the data of the layout, and the headers apart from security.
import t from 'tap'
import { createTranslator } from '../../src/messages/translator.ts'
import { type Page, pageData, pageHeaders } from '../../src/pages/send-page.ts'
import { openStorefront } from '../../src/pages/storefront.ts'
import { anyMerchant } from '../any-merchant.ts'

const AR = createTranslator('ar-AE')
const VIEW = { heading: 'H' }

t.test('the layout gets language, title, shop, links and style sheet, with or without a merchant', async t => {
  const imprint = { en: 'https://shop.example/legal', ar: 'https://shop.example/ar/legal' }
  const merchant = anyMerchant({ links: { imprint, terms: 'https://shop.example/terms' } })
  const language = { lang: 'ar-AE', direction: 'rtl', otherLang: undefined, say: AR.say }
  const storefront = openStorefront(merchant)
  t.strictSame(pageData(storefront, AR, { template: 'checkout', title: 'Checkout', view: VIEW }), {
    ...language,
    ...VIEW,
    title: 'Checkout – The Shop',
    shopName: 'The Shop',
    continueUrl: 'shop://continue',
    logo: undefined,
    darkLogo: undefined,
    contact: undefined,
    terms: 'https://shop.example/terms',
    links: [
      { href: 'https://shop.example/terms', text: AR.say('terms') },
      { href: 'https://shop.example/ar/legal', text: AR.say('imprint') }
    ],
    language: undefined,
    languages: [],
    listsLanguages: false,
    css: storefront.css.checkout
  })
  const fallback = openStorefront()
  t.strictSame(pageData(fallback, AR, { template: 'problem', title: 'Page not found', view: VIEW }), {
    ...language,
    ...VIEW,
    title: 'Page not found',
    shopName: undefined,
    continueUrl: undefined,
    logo: undefined,
    darkLogo: undefined,
    contact: undefined,
    terms: undefined,
    links: [],
    language: undefined,
    languages: [],
    listsLanguages: false,
    css: fallback.css.problem
  })
})

t.test('the headers give the language of a page, and that it varies with Accept-Language', async t => {
  const storefront = openStorefront(anyMerchant())
  const images = ['https://a.example/1.jpg']
  const page: Page = { template: 'confirmation', title: '', view: VIEW, images }
  const { security, content } = pageHeaders(storefront, AR, page)
  t.strictSame(content, {
    'content-language': 'ar-AE',
    vary: 'Accept-Language',
    'content-type': 'text/html; charset=utf-8'
  })
  t.strictSame(security, storefront.securityHeaders.confirmation(images))
})
