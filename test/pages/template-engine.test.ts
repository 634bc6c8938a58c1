// Templates print bytes or text: the same pages, whatever is in them.
import t from 'tap'
import type { Merchant } from '../../src/merchant/merchant.ts'
import { samplePages } from '../../src/pages/sample-pages.ts'
import { pageData } from '../../src/pages/send-page.ts'
import { openStorefront } from '../../src/pages/storefront.ts'
import { renderBytes, textEngine } from '../../src/pages/template-engine.ts'
import { build, merchantFile } from '../build.ts'

t.test('pages are the same as bytes and as text, in every language, the first time and again', async t => {
  const locales = ['en-GB', 'fr-FR', 'ja-JP', 'ar']
  const [locale = '', ...others] = locales
  const { merchants } = await build(t, {
    merchants: [merchantFile('2B', { name: 'Café “🫖” & Söhne', locale, locales: others, countries: ['GB', 'FR'] })]
  })
  const merchant = merchants[0] as Merchant
  const storefront = openStorefront(merchant)
  const text = textEngine()
  for (const tag of locales) {
    const { translator } = storefront.languageFor({ headers: { 'accept-language': tag } })
    for (const time of ['first', 'again']) {
      for (const page of samplePages(merchant, translator)) {
        const data = pageData(storefront, translator, page)
        const bytes = renderBytes(storefront.engine, page.template, data)
        t.equal(bytes.toString(), text.eta.render(page.template, data), `${tag} ${page.template}, ${time}`)
      }
    }
  }
})

t.test('what our templates print raw may hold any character', async t => {
  const { engine } = openStorefront()
  const page = { lang: 'en', say: () => '', css: 'p::before{content:"✓"}', body: '', links: [] }
  t.match(renderBytes(engine, 'layout', page).toString(), 'content:"✓"')
})
