// `npm run pictures`: the photographs in the READMEs, of the demo merchants with their themes, in fonts of packages in
// place of a phone's. For the repository, `pngquant` reduced their colours to a third of the size.
import { join } from 'node:path'
import t from 'tap'
import { fontsOf, showIn } from './fonts.ts'
import { openBrowser } from './open-browser.ts'
import { openStoryShop } from './story-shop.ts'

const FOLDER = join(import.meta.dirname, 'pictures')
const PHONE = { width: 390, height: 760 }

t.test('pictures', async t => {
  const browser = await openBrowser(t)
  for (const [id, colorScheme] of [
    ['harbour', 'light'],
    ['werft', 'light'],
    ['kissa', 'dark']
  ] as const) {
    await t.test(id, async t => {
      const { catalogue, merchant, checkout } = await openStoryShop(t, id)
      const page = await browser.newPage({
        viewport: PHONE,
        deviceScaleFactor: 2,
        colorScheme,
        extraHTTPHeaders: { 'Accept-Language': merchant.locale }
      })
      await showIn(page, fontsOf(merchant), merchant.locale)
      const inStock = [...catalogue.products()].filter(product =>
        Object.values(product?.offers ?? {}).some(({ availability }) => availability === 'in_stock')
      )
      await page.goto(
        await checkout(
          ...inStock.slice(0, 3).map((product, i): [string, number] => [String(product?.sku), i === 0 ? 2 : 1])
        )
      )
      await page.screenshot({ path: join(FOLDER, `${id}.png`) })
      await page.close()
      t.pass(id)
    })
  }
})
