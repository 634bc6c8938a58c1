// Transfers carts and checks what their pages show. Two pages are shared by several checks.
import type { Response } from 'playwright-core'
import type { Cart } from '../../cart/cart.ts'
import type { WebRequest } from '../../transfer/option.ts'
import type { PageLine } from '../browser/page-lines.ts'
import type { WebViewOptions } from '../browser/web-view.ts'
import { assertResponse, type CompareBy, lineMismatch, type Mismatch } from './final-response.ts'
import type { CartLine, OpenedPage, Site, SiteView } from './site.ts'
import { CheckFailed } from './verdict-errors.ts'

export const SHARED_CART: CartLine[] = [
  [0, 1],
  [1, 2],
  [2, 3]
]

/** A bag that another one replaces. */
export const EARLIER_CART: CartLine[] = [
  [0, 1],
  [1, 2]
]

/** Transfers a cart, in a web view only if scripts write the lines. @throws CheckFailed unless exactly it is shown */
export async function assertShown(
  site: Site,
  cart: Cart,
  { request = site.requestFor(cart), compareBy = 'lines' }: { request?: WebRequest; compareBy?: CompareBy } = {}
): Promise<void> {
  await assertResponse(await site.load(request), { status: '2xx', items: cart.items, compareBy })
}

/** Opens a cart in a web view. @throws CheckFailed unless exactly it is shown */
async function openCart(
  site: Site,
  cart: Cart,
  view?: SiteView,
  caption?: string,
  hasAccess = false
): Promise<OpenedPage> {
  const page = await site.open(site.requestFor(cart), view, caption)
  await assertResponse(page, { status: '2xx', items: cart.items, hasAccess })
  return page
}

/** Opens a cart in a web view with restrictions. */
export async function openCartWith(site: Site, options: WebViewOptions, caption: string): Promise<void> {
  const view = await site.newView(options)
  view.did(`(The web view opens pages ${caption}.)`)
  await openCart(site, site.newCart(...SHARED_CART), view, caption, true)
}

/** A page for checks that only look at it. */
export function sharedPage(site: Site): Promise<OpenedPage> {
  return site.openShared('one cart', () => openCart(site, site.newCart(...SHARED_CART)))
}

/** A web view that has opened one cart and then another. */
export function sharedSecondCart(site: Site): Promise<OpenedPage> {
  return site.openShared('two carts', async () => {
    const view = await site.newView()
    const oldLogin = { name: 'session', value: 'of-an-old-login', url: site.profile.url }
    view.did(`(The web view has a cookie of an old login: ${oldLogin.name}=${oldLogin.value}.)`)
    await view.call(({ context }) => context.addCookies([oldLogin]))
    await openCart(site, site.newCart(...EARLIER_CART), view, 'the first bag')
    return openCart(site, site.newCart([2, 3]), view, 'the second bag, in the same web view')
  })
}

/** How the lines of the page differ from these items by now; undefined if they match. */
export async function currentMismatch({ readLines }: OpenedPage, items: Cart['items']): Promise<Mismatch | undefined> {
  const mismatchOf = (lines: PageLine[]) => lineMismatch(lines, items, 'lines')
  return mismatchOf(await readLines(lines => mismatchOf(lines) === undefined))
}

/**
 * @param response the one that loaded the current page
 * @param when for the failure text, such as "After Back"
 * @throws CheckFailed unless the page shows these items or refuses them: an error status and no lines
 */
export async function assertShownOrRefused(
  page: OpenedPage,
  response: Response | null,
  items: Cart['items'],
  when: string
): Promise<void> {
  const mismatch = await currentMismatch(page, items)
  if (mismatch === undefined) return
  const isRefusal = response !== null && response.status() >= 400 && (await page.readLines(() => true)).length === 0
  if (!isRefusal) throw changedPage(when, mismatch)
}

/** @param when for the failure text, such as "After Back" */
export function changedPage(when: string, { message, expected, got }: Mismatch): CheckFailed {
  return new CheckFailed(`${when}: ${message}`, [{ expected, got }])
}
