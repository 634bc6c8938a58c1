// What is said at start of a checkout page that is too large for the first TCP flight, and that it is true.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { Item } from '../../src/cart/cart.ts'
import type { ListedCatalogue } from '../../src/catalogue/product.ts'
import { warnOfSize } from '../../src/checkout/page-size.ts'
import { openShopFront } from '../../src/checkout/shop-front.ts'
import { answerTo } from '../raw-http.ts'
import { until } from '../until.ts'
import { openShop, type Shop } from './shopper.ts'

/** The largest is neither the first nor the last. */
const [locale, ...locales] = ['en', 'ar', 'ja'] as const

/** A feed of so many products in pounds, each with a longer title, behind some that cannot be bought for any. */
function feedOf(count: number): string {
  const rows = Array.from(
    { length: count },
    (_, i) => `sku-${i}\tA product ${'x'.repeat(10 * i)}\thttps://images.example/${i}.jpg\tin_stock\t50.00 GBP`
  )
  const others = ['GONE\tGone\t\tout_of_stock\t1.00 GBP', 'FAR\tFar\t\tin_stock\t1.00 USD']
  return ['id\ttitle\timage_link\tavailability\tprice', ...others, ...rows].join('\n')
}

/** A folder with a style sheet that makes every page as much larger. */
function heavyViews(t: Test, bytes: number): string {
  const folder = mkdtempSync(join(tmpdir(), 'cart-transfer-heavy-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, 'page.css'), `a{background:${'x'.repeat(bytes)}}`)
  return folder
}

/** What the log warns of. */
const warningsIn = ({ logs }: Shop) => logs.filter(({ level }) => level === 40)

function weigh({ app, merchant, catalogues }: Shop): Promise<void> {
  return warnOfSize(app, { merchant, catalogue: catalogues[0] as ListedCatalogue, front: openShopFront(merchant) })
}

/** The size of the answer with a bag in it, as it goes over the wire. */
async function sizeOf({ app, transfer }: Shop, items: Item[], language: string): Promise<number> {
  const token = await transfer(items)
  const port = Number(new URL(app.listeningOrigin).port)
  const head = `GET /shop/checkout/${token} HTTP/1.1\r\nHost: shop.example\r\nAccept-Language: ${language}`
  return Buffer.byteLength(await answerTo(port, `${head}\r\n\r\n`))
}

t.test('a page that fits is not spoken of, nor is one without anything to sell', async t => {
  for (const count of [3, 0]) {
    const shop = await openShop(t, '1', {}, { feed: feedOf(count) })
    await weigh(shop)
    t.strictSame(warningsIn(shop), [], `${count} products`)
  }
})

t.test('it is weighed with what can be bought, whichever of its currencies that is in', async t => {
  const sizes = []
  for (const currencies of [['GBP'], ['EUR', 'GBP']]) {
    const shop = await openShop(t, '1', { currencies, views: heavyViews(t, 12_000) }, { feed: feedOf(3) })
    await weigh(shop)
    sizes.push(warningsIn(shop)[0]?.bytes)
  }
  t.type(sizes[0], 'number')
  t.equal(sizes[1], sizes[0])
})

t.test('14,600 bytes fit, and not one more', async t => {
  const shop = (filling: number) => openShop(t, '1', { views: heavyViews(t, filling) }, { feed: feedOf(3) })
  const heavy = await shop(12_000)
  await weigh(heavy)
  const right = 12_000 - (Number(warningsIn(heavy)[0]?.bytes) - 14_600)
  const [full, over] = [await shop(right), await shop(right + 1)]
  for (const each of [full, over]) await weigh(each)
  t.match([warningsIn(full), warningsIn(over)], [[], [{ bytes: 14_601 }]])
  t.strictSame(warningsIn(full), [])
})

t.test('once it listens, the server says of one that is too large how large it is, in which language', async t => {
  for (const count of [25, 3]) {
    const views = heavyViews(t, 12_000)
    const shop = await openShop(t, '1', { views, locale, locales: [...locales] }, { feed: feedOf(count) })
    t.strictSame(warningsIn(shop), [])
    await shop.app.listen({ port: 0, host: '127.0.0.1' })
    await until('the warning', () => warningsIn(shop).length > 0)

    const items = Array.from({ length: 20 }, (_, i) => ({ sku: `sku-${i % count}`, quantity: 12 }))
    const sizes: [string, number][] = []
    for (const language of [locale, ...locales]) sizes.push([language, await sizeOf(shop, items, language)])
    const [[lang, size] = ['', 0]] = sizes.sort(([, a], [, b]) => b - a)
    const [warning, ...others] = warningsIn(shop)
    t.strictSame(others, [], 'once')
    t.match(warning, { level: 40, merchant: 'shop', lang, bytes: Number })
    const bytes = Number(warning?.bytes)
    t.ok(bytes >= size && bytes < size + 200, `${count} products: ${bytes} are said and ${size} are sent`)
    const said = `the checkout page of 20 lines takes about ${bytes.toLocaleString('en')} bytes in ${lang}`
    t.equal(warning?.msg, `${said}; a first TCP flight takes 14,600`)
  }
})
