// Transfers carts and checks what their pages show.
import type { Page, Response } from 'playwright-core'
import type { Cart } from '../../cart/cart.ts'
import type { WebRequest } from '../../transfer/option.ts'
import type { WebViewOptions } from '../browser/web-view.ts'
import { assertResponse, type CompareBy, lineMismatch } from './final-response.ts'
import type { OpenedPage, Site, SiteView } from './site.ts'
import { CheckFailed } from './verdict-errors.ts'

/** The bag of most pages that are opened in a web view. */
export const sampleCart = ({ newCart }: Site): Cart => newCart([0, 1], [1, 2], [2, 3])

/** A bag that another one replaces. */
export const earlierCart = ({ newCart }: Site): Cart => newCart([0, 1], [1, 2])

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
  site.steps.push(`(The web view opens pages ${caption}.)`)
  await openCart(site, sampleCart(site), view, caption, true)
}

/** Opens the sample cart. @throws CheckFailed unless exactly it is shown */
export function openSample(site: Site): Promise<OpenedPage> {
  return openCart(site, sampleCart(site))
}

/** Opens one cart and then another in the same web view. @throws CheckFailed unless exactly these are shown */
export async function openSecondCart(site: Site): Promise<OpenedPage> {
  const view = await site.newView()
  const oldLogin = { name: 'session', value: 'of-an-old-login', url: site.profile.url }
  site.steps.push(`(The web view has a cookie of an old login: ${oldLogin.name}=${oldLogin.value}.)`)
  await view.call(({ context }) => context.addCookies([oldLogin]))
  await openCart(site, earlierCart(site), view, 'the first bag')
  return openCart(site, site.newCart([2, 3]), view, 'the second bag, in the same web view')
}

/** What a shopper does on a page, and how reports call it. */
export type Revisit = {
  does: 'Reload' | 'Back'
  /** When the page is looked at again: `after Back`. */
  when: string
  /** Whether the page may have no lines then, for its status; undefined if there is no page to go back to. */
  mayBeEmpty?: (status: number | undefined) => boolean
}

/** @throws CheckFailed unless the page shows this cart afterwards */
export async function assertShownAgain(
  site: Site,
  { view, readLines }: OpenedPage,
  { items }: Cart,
  { does, when, mayBeEmpty = () => false }: Revisit
): Promise<void> {
  site.steps.push(`${does} in the web view`)
  const response = await view.call(({ page }) => (does === 'Back' ? goBack(page) : page.reload()))
  await site.takeScreenshot(view, when)
  const shown = await readLines(lines => lineMismatch(lines, items, 'lines') === undefined)
  const mismatch = lineMismatch(shown, items, 'lines')
  if (!mismatch || (shown.length === 0 && mayBeEmpty(response?.status()))) return
  const { message, expected, got } = mismatch
  throw new CheckFailed(`A${when.slice(1)}: ${message}`, { expected, got })
}

/** Goes back to the previous page of the site, skipping the app's own page that submitted the form. */
async function goBack(page: Page): Promise<Response | null> {
  let response: Response | null
  do response = await page.goBack({ waitUntil: 'load' })
  while (page.url().startsWith('data:'))
  return response
}
