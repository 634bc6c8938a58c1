// What only a shop whose own page the app opens can show: what its web view had before, and what happens there.
import { strict as assert } from 'node:assert'
import { type WebView, type WebViewOptions, webViews } from '../../../src/kit/browser/web-view.ts'
import { DEFAULT_SELECTORS } from '../../../src/kit/conformance/profile.ts'
import { chromiumPath } from '../../browser/views.ts'
import { until } from '../../until.ts'
import { bag, type Case, describing, destinationOf, type Line, newReference, send, unitsOn } from '../cases.ts'
import type { Merchant } from '../merchants.ts'
import { placeOrder } from './place-order.ts'

/** How long a page of the shop may take, in milliseconds. */
const PATIENCE = 120_000

/** A web view of its own, closed afterwards. */
export async function inWebView<T>(use: (view: WebView) => Promise<T>, options?: WebViewOptions): Promise<T> {
  const views = webViews(chromiumPath())
  try {
    const view = await views.open(options)
    view.page.setDefaultTimeout(PATIENCE)
    return await use(view)
  } finally {
    await views.close()
  }
}

const unitsOf = (lines: Line[]) => Object.fromEntries(lines)

/** @throws unless the page comes to show exactly these lines */
async function shows({ read }: WebView, { kit, way }: Merchant, lines: Line[]): Promise<void> {
  assert(kit, 'the kit knows where its lines are')
  let shown: Record<string, number> = {}
  const isRight = async () => {
    shown = Object.fromEntries(
      (await read({ ...DEFAULT_SELECTORS, ...kit.page })).lines.map(({ sku, quantity }) => [sku, Number(quantity)])
    )
    return isEqual(shown, unitsOf(lines))
  }
  await until('the lines of the page', isRight, PATIENCE).catch(() => {
    assert.deepEqual(shown, unitsOf(lines), way)
  })
}

function isEqual(some: Record<string, number>, others: Record<string, number>): boolean {
  const text = (units: Record<string, number>) => JSON.stringify(Object.entries(units).sort())
  return text(some) === text(others)
}

/** Where a bag leads, by option 1. */
async function leadsTo(merchant: Merchant, lines: Line[], reference = newReference()): Promise<string> {
  return destinationOf(merchant, await send(merchant, 'EUR', lines, reference)).url
}

/** The merchants of option 1: one for each checkout page. */
const eachPage = (merchants: Merchant[]) => merchants.filter(({ option }) => option === '1')

/** Puts three units of TEA into the cart of a web view, as its shopper would. */
async function fillOwnCart({ page }: WebView, { url }: Merchant, checkout: string): Promise<void> {
  const { origin } = new URL(checkout)
  const response = await fetch(`${origin}/wp-json/wc/store/v1/products?sku=TEA`)
  const [tea] = (await response.json()) as { id: number }[]
  assert(tea, `${url}: the shop sells TEA`)
  await page.goto(`${origin}/?add-to-cart=${tea.id}&quantity=3`)
}

const numbered = (count: number): Line[] =>
  Array.from({ length: count }, (_, i): Line => [`LINE-${String(i + 1).padStart(3, '0')}`, 1 + (i % 3)])

const MUGS = bag(['MUG', 2], ['a,b c&d', 1])

export const cases: Case[] = [
  {
    title: "the web view has an old guest's cart",
    run: async ({ merchants }) => {
      for (const merchant of eachPage(merchants)) {
        const url = await leadsTo(merchant, MUGS)
        await inWebView(async view => {
          await fillOwnCart(view, merchant, url)
          await view.page.goto(url)
          await shows(view, merchant, MUGS)
        })
      }
      return 'the page shows the bag alone'
    }
  },
  {
    title: 'the web view has a customer who is logged in, with another cart',
    run: async ({ merchants }) => {
      for (const merchant of eachPage(merchants)) {
        const url = await leadsTo(merchant, MUGS)
        await inWebView(async view => {
          await view.page.goto(new URL('/wp-login.php', url).href)
          await view.page.locator('#user_login').fill('ada')
          await view.page.locator('#user_pass').fill('local-only')
          await Promise.all([view.page.waitForURL(/(?<!login\.php)$/), view.page.locator('#wp-submit').click()])
          await fillOwnCart(view, merchant, url)
          await view.page.goto(url)
          await shows(view, merchant, MUGS)
        })
      }
      return 'the page shows the bag alone'
    }
  },
  {
    title: 'the web view refuses cookies',
    run: async ({ merchants }) => {
      for (const merchant of eachPage(merchants)) {
        const url = await leadsTo(merchant, MUGS)
        await inWebView(
          async view => {
            await view.page.goto(url)
            await shows(view, merchant, MUGS)
          },
          { blocksCookies: true }
        )
      }
      return 'the page shows the bag'
    }
  },
  {
    title: 'Back after a second bag',
    run: async ({ merchants }) => {
      for (const merchant of eachPage(merchants)) {
        const others = bag(['LAMP', 3])
        const [first, second] = [await leadsTo(merchant, MUGS), await leadsTo(merchant, others)]
        await inWebView(async view => {
          await view.page.goto(first)
          await shows(view, merchant, MUGS)
          await view.page.goto(second)
          await shows(view, merchant, others)
          await view.page.goBack()
          await shows(view, merchant, MUGS)
        })
      }
      return 'the page shows the first again'
    }
  },
  {
    title: 'bags of 1, 25, 26 and 100 lines',
    run: async ({ merchants }) => {
      for (const count of [1, 25, 26, 100]) {
        const lines = numbered(count)
        for (const merchant of merchants) {
          const answer = await send(merchant, 'EUR', lines)
          assert.deepEqual(await unitsOn(merchant, destinationOf(merchant, answer)), unitsOf(lines), merchant.way)
        }
      }
      for (const merchant of eachPage(merchants)) {
        const lines = numbered(100)
        await inWebView(async view => {
          await view.page.goto(await leadsTo(merchant, lines))
          await shows(view, merchant, lines)
        })
      }
      return 'each cart has its lines, and the page shows 100'
    }
  },
  {
    title: 'our server is killed while the shop fills a cart, and the same bag comes again',
    run: async ({ merchants, shop, ours }) => {
      const merchant = describing(merchants)
      const [lines, reference] = [numbered(60), newReference()]
      const killed = shop.holdCart('answering').then(ours.kill)
      await assert.rejects(send(merchant, 'EUR', lines, reference))
      await killed
      await ours.start()
      const answer = await send(merchant, 'EUR', lines, reference)
      assert.deepEqual(await unitsOn(merchant, destinationOf(merchant, answer)), unitsOf(lines))
      return 'its cart has exactly its lines'
    }
  }
]

/** Opens a page in a new web view, and orders what it shows. @returns the number of the order */
export function orderIn(url: string, options?: WebViewOptions): Promise<string> {
  return inWebView(async ({ page }) => {
    await page.goto(url)
    return placeOrder(page)
  }, options)
}
