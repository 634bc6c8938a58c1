// A URL of exactly some length, filled with nothing but fields of the contract.
import t from 'tap'
import { webViews } from '../../../src/kit/browser/web-view.ts'
import { cartWithUrlLength } from '../../../src/kit/conformance/checks/limit-checks.ts'
import { CheckNotJudged } from '../../../src/kit/conformance/final-response.ts'
import type { Profile } from '../../../src/kit/conformance/profile.ts'
import { createSite, type Site } from '../../../src/kit/conformance/site.ts'
import { queryGet } from '../../../src/transfer/query-get/query-get.ts'
import { bareProfile } from './kit.ts'

/** A site whose address has this many characters. No browser starts. */
function siteWith(exist: string[], addressLength: number, bigBag = 60, maxQuantity = 9999): Site {
  const url = 'https://shop.example/'.padEnd(addressLength, 'x')
  const given = { skus: { exist }, bigBag, maxQuantity, reference: 'plain', names: 'indexed' }
  const profile = bareProfile(queryGet.name, url, given) as Profile
  return createSite({ profile, option: queryGet, views: webViews('') })
}

const SHOPS = {
  short: ['MUG', 'LAMP', 'CLOCK'],
  'a single character': ['1', '2', '3'],
  'equally long': ['5901234123457', '4006381333931', '9780201379624'],
  'long, and encoded': ['spoon & co', 'Größe 42, grün, für den Garten', 'table/oak/round/140-cm']
}

for (const [what, exist] of Object.entries(SHOPS)) {
  t.test(`SKUs that are ${what} fill any URL`, async t => {
    for (let addressLength = 21; addressLength < 60; addressLength += 3) {
      const site = siteWith(exist, addressLength)
      const { items, ...cart } = cartWithUrlLength(site, 2048)
      const { url } = site.requestFor({ ...cart, items })
      t.equal(url.length, 2048, `address of ${addressLength} characters`)
      const names = [...new URL(url).searchParams.keys()].map(name => name.replace(/\d+/, '0'))
      t.strictSame([...new Set(names)], ['item_0_sku', 'item_0_quantity', 'currency', 'reference'])
      t.ok(items.length <= 60 && items.every(({ sku, quantity }) => exist.includes(sku) && quantity <= 100))
    }
  })
}

t.test('quantities are longer only where no SKU fits', async t => {
  const { items } = cartWithUrlLength(siteWith(['MUG', 'LAMP', 'CLOCK'], 30), 2048)
  t.ok(items.every(({ quantity }) => quantity <= 3))
})

t.test('no quantity is larger than the site sells', async t => {
  const limited = { constructor: CheckNotJudged, message: /^The kit cannot fill a URL/ }
  t.throws(() => cartWithUrlLength(siteWith(SHOPS['equally long'], 30, 60, 9), 2048), limited)
})

t.test('what cannot be filled is not judged', async t => {
  const notJudged = (message: RegExp) => ({ constructor: CheckNotJudged, message })
  const few = siteWith(SHOPS.short, 30, 4)
  t.throws(() => cartWithUrlLength(few, 2048), notJudged(/2048 characters with 4 lines .* Raise bigBag/))
  t.throws(() => cartWithUrlLength(siteWith(SHOPS.short, 2040), 2048), notJudged(/^The kit cannot fill a URL/))
})
