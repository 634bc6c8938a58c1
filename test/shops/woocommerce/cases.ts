// What only a shop whose own page the app opens can show: what its web view had before, and what happens there.
import { strict as assert } from 'node:assert'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { reconcileLists } from '../../../src/cli/reconcile.ts'
import { type WebView, type WebViewOptions, webViews } from '../../../src/kit/browser/web-view.ts'
import { DEFAULT_SELECTORS } from '../../../src/kit/conformance/profile.ts'
import { chromiumPath } from '../../browser/views.ts'
import { runHere } from '../../cli/run-here.ts'
import { until } from '../../until.ts'
import { bag, type Case, describing, destinationOf, type Line, newReference, send, unitsOn } from '../cases.ts'
import type { Merchant, Merchants } from '../merchants.ts'
import { BROUGHT } from '../shop.ts'
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

type WooCommerce = {
  /** As its staff does. */
  setStatus: (order: string, status: string) => Promise<void>
}

export const cases = ({ setStatus }: WooCommerce): Case[] => [
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
    // WooCommerce's own shoppers fare no better.
    title: 'the web view refuses cookies, so nothing can be ordered',
    run: async ({ merchants }) => {
      const [blocks, classic] = eachPage(merchants)
      assert(blocks && classic, 'there are two checkout pages')
      const options = { blocksCookies: true }
      const url = await leadsTo(blocks, MUGS)
      await inWebView(async ({ page }) => {
        const [error] = await Promise.all([page.waitForEvent('pageerror'), page.goto(url)])
        assert.match(error.message, /localStorage/)
      }, options)
      const classicUrl = await leadsTo(classic, MUGS)
      await inWebView(async ({ page }) => {
        await page.goto(classicUrl)
        await page.getByText('your session has expired').waitFor()
      }, options)
      return 'the block checkout stays empty, the classic one says that the session has expired'
    }
  },
  {
    // Chromium shows its copy of the first page, with the cookie of the second bag.
    title: 'Back after a second bag, and a reload',
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
          await shows(view, merchant, others)
          await view.page.reload()
          await shows(view, merchant, MUGS)
        })
      }
      return 'the page shows the second, which is what would be ordered; reloaded, the first'
    }
  },
  {
    title: 'bags of 1, 25, 26 and 100 lines',
    run: async ({ merchants }) => {
      for (const count of [1, 25, 26, 100]) {
        const lines = numbered(count)
        // A bag of option 2B is in the address, which cannot be that long.
        for (const merchant of merchants.filter(({ option }) => option !== '2B' || count < 100)) {
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
  },
  {
    title: 'an order by the classic checkout, and the list of the platform',
    run: async ({ merchants, shop, ours }) => {
      const merchant = eachPage(merchants).at(-1) as Merchant
      const reference = newReference()
      const order = await shop.order(pageOf(await leadsTo(merchant, MUGS, reference)))
      await isLogged(ours, 'order reported', reference, order)
      const list = join(ours.folder, 'platform.csv')
      writeFileSync(list, `reference,order,currency,total\n${reference},${order},EUR,42.40\n`)
      const { stdout, stderr } = await runHere(reconcileLists, [list, '--all', '--json'], {
        DATABASE_URL: ours.database
      })
      assert.match(String(stdout.split('\n').find(line => line.includes(reference))), /"matched"/, stderr)
      return 'it is reported and matches'
    }
  },
  {
    title: 'two orders of one bag',
    run: async ({ merchants, shop, ours }) => {
      const reference = newReference()
      const url = await leadsTo(describing(merchants), bag(['CLOCK', 2]), reference)
      await isLogged(ours, 'order reported', reference, await shop.order(pageOf(url)))
      await isLogged(ours, 'second order under one reference', reference, await shop.order(pageOf(url)))
      return 'the second is named in the log'
    }
  },
  {
    title: 'an order of a bag that says where it comes from',
    run: async ({ merchants, shop, ours }) => {
      for (const merchant of eachPage(merchants)) {
        const reference = newReference()
        const { attribution } = BROUGHT
        const answer = await send(merchant, 'EUR', bag(['LAMP', 1]), reference, '', { attribution })
        const page = pageOf(destinationOf(merchant, answer).url)
        assert.equal(page.url.searchParams.get('utm_source'), attribution.utm_source, merchant.way)
        await isLogged(ours, 'order reported', reference, await shop.order(page))
      }
      return 'the page has its utm_source, and the order the reference'
    }
  },
  {
    title: 'an order without a reference',
    run: async ({ merchants, shop, ours }) => {
      const reference = newReference()
      const page = pageOf(await leadsTo(describing(merchants), bag(['12345', 7]), reference))
      for (const name of [...page.url.searchParams.keys()].filter(name => name.startsWith('utm_'))) {
        page.url.searchParams.delete(name)
      }
      await isLogged(ours, 'order without a reference', reference, await shop.order(page))
      return 'the log names the bag that fits'
    }
  },
  {
    title: 'an order is cancelled in the shop',
    run: async ({ merchants, shop, ours }) => {
      const reference = newReference()
      const order = await shop.order(pageOf(await leadsTo(describing(merchants), bag(['LAMP', 4]), reference)))
      await isLogged(ours, 'order reported', reference, order)
      await setStatus(order, 'cancelled')
      await isLogged(ours, 'order status changed', reference, order)
      return 'it is reported as cancelled'
    }
  }
]

const pageOf = (url: string) => ({ url: new URL(url), cookies: {} })

/** Waits for a line of our log with all of these. */
async function isLogged({ log }: Merchants, ...parts: string[]): Promise<void> {
  const isThere = (line: string) => parts.every(part => line.includes(part))
  await until(`the line "${parts.join(' … ')}" of the log`, () => log().split('\n').some(isThere))
}

/** Opens a page in a new web view, and orders what it shows. @returns the number of the order */
export function orderIn(url: string, options?: WebViewOptions): Promise<string> {
  return inWebView(async ({ page }) => {
    await page.goto(url)
    return placeOrder(page)
  }, options)
}
