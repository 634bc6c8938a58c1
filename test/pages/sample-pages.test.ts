// The sample pages that templates are checked with: every page, in each state that a default template distinguishes.
import t from 'tap'
import type { Merchant } from '../../src/merchant/merchant.ts'
import { samplePages } from '../../src/pages/sample-pages.ts'
import { pageData } from '../../src/pages/send-page.ts'
import { openStorefront } from '../../src/pages/storefront.ts'
import { renderBytes } from '../../src/pages/template-engine.ts'
import { build, merchantFile } from '../build.ts'
import { malformedTags, textOf, valuesOf } from './read-page.ts'

/** The sample pages of a shop, as HTML. */
function pagesOf(merchant: Merchant): string[] {
  const front = openStorefront(merchant)
  const { translator } = front.languageFor(undefined)
  return samplePages(merchant, translator).map(page =>
    renderBytes(front.engine, page.template, pageData(front, translator, page)).toString()
  )
}

t.test('a shop with all settings has sample pages for every state of a checkout, an order and a refusal', async t => {
  const { merchants } = await build(t, {
    merchants: [
      merchantFile('1', {
        countries: ['GB', 'US'],
        delivery: [
          { id: 'post', label: 'Post', price: '4.50', days: [2, 3] },
          { id: 'bike', label: 'Bike', price: '9.50' }
        ],
        payment: { text: 'Cash' },
        checkout: { taxText: 'With VAT.' }
      })
    ]
  })
  const pages = pagesOf(merchants[0] as Merchant)
  const texts: RegExp[] = [
    /^Checkout – The Shop .* Blue Qty 12 · £50\.00 each £600\.00 Was £1,200\.00 · You save £600\.00 Pre-order.* With VAT\. .* Country .* Post £4\.50 .* Cash/,
    /^Error: Checkout – .* Some prices have changed.* Price changed from £0\.01 each .* Post Price changed from £0\.01 £4\.50 Previous total £.* Enter your email/,
    /You chose another country: United Kingdom/,
    /Some items in your bag aren’t available right now .* NO-SUCH-SAMPLE .* We couldn’t find this item/,
    /^Order complete – .* Post · 2 to 3 working days Cash .* Post £4\.50 Total £604\.50 With VAT\./,
    /Your bag We don’t sell in the currency .* Another sample .* out of stock NO-SUCH-SAMPLE We couldn’t .* A sample Blue Qty 12 Technical/,
    /View order XXXX-XXXX/,
    /^Sorry, something went wrong on our side .* Error code 00000000-/
  ]
  t.equal(pages.length, texts.length)
  for (const [i, html] of pages.entries()) {
    t.match(textOf(html), texts[i] as RegExp)
    t.notMatch(textOf(html), /undefined|NaN|\[object/)
    t.strictSame(malformedTags(html), [])
  }
  t.strictSame(valuesOf(String(pages[0]), 'data-sku'), ['SAMPLE-1', 'SAMPLE-2'])
  t.equal(valuesOf(String(pages[0]), 'src').length, 1, 'one line with a picture, one without')
})

t.test('a shop with minimal settings and a currency without decimals has sample pages too', async t => {
  const { merchants } = await build(t, { merchants: [merchantFile('2A', { currencies: ['JPY'] })] })
  const pages = pagesOf(merchants[0] as Merchant)
  t.match(textOf(String(pages[4])), /Total ¥60,000/)
})
