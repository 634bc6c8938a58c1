// The page that a bag leads to, in real Chromium: exactly the items, even without scripts or cookies, nothing loaded from
// unknown origins, and no resemblance to a completed order.
import type { Page, Response } from 'playwright-core'
import type { Cart } from '../../../cart/cart.ts'
import type { WebViewOptions } from '../../browser/web-view.ts'
import { checkGroup, EXACT_ITEMS } from '../check.ts'
import { assertResponse, CheckFailed, CheckSkipped, type FinalResponse, lineMismatch } from '../final-response.ts'
import { assertShown, type OpenedPage, type Site, type SiteView } from '../site.ts'
import { OPENABLE_DESCRIPTION } from './description-checks.ts'

const sampleCart = ({ newCart }: Site): Cart => newCart([0, 1], [1, 2], [2, 3])

const earlierCart = ({ newCart }: Site): Cart => newCart([0, 1], [1, 2])

/** Opens a cart in a web view. @throws CheckFailed unless exactly it is shown */
async function openCart(site: Site, cart = sampleCart(site), view?: SiteView, caption?: string, hasAccess = false) {
  const page = await site.open(site.requestFor(cart), view, caption)
  await assertResponse(page, { status: '2xx', items: cart.items, hasAccess })
  return page
}

/** How far a page's timers are put forward, and how long what they start may take, in milliseconds. */
const LATER = 10_000
const PATIENCE = 5000

/** Opens a cart, and fast-forwards the page's timers by a few seconds. */
async function openUntilLater(site: Site): Promise<SiteView> {
  const view = await site.newView()
  await view.call(({ page }) => page.clock.install())
  await openCart(site, sampleCart(site), view)
  site.steps.push(`(Timers are put forward by ${LATER / 1000} s.)`)
  await view.call(async ({ page }) => {
    // A page that navigates meanwhile, or never stops loading, is judged as it is.
    await Promise.allSettled([page.clock.fastForward(LATER)])
    await Promise.allSettled([page.waitForLoadState('networkidle', { timeout: PATIENCE })])
  })
  return view
}

async function openCartWith(site: Site, options: WebViewOptions, caption: string): Promise<void> {
  const view = await site.newView(options)
  site.steps.push(`(The web view opens pages ${caption}.)`)
  await openCart(site, sampleCart(site), view, caption, true)
}

/** Opens one cart and then another in the same web view. @throws CheckFailed unless exactly these are shown */
async function openSecondCart(site: Site): Promise<OpenedPage> {
  const view = await site.newView()
  const oldLogin = { name: 'session', value: 'of-an-old-login', url: site.profile.url }
  site.steps.push(`(The web view has a cookie of an old login: ${oldLogin.name}=${oldLogin.value}.)`)
  await view.call(({ page }) => page.context().addCookies([oldLogin]))
  await openCart(site, earlierCart(site), view, 'the first bag')
  return openCart(site, site.newCart([2, 3]), view, 'the second bag, in the same web view')
}

/** What a shopper does on a page, and how reports call it. */
type Revisit = {
  does: 'Reload' | 'Back'
  /** When the page is looked at again: `after Back`. */
  when: string
  /** Whether the page may have no lines then, for its status; undefined if there is no page to go back to. */
  mayBeEmpty?: (status: number | undefined) => boolean
}

/** @throws CheckFailed unless the page shows this cart afterwards */
async function assertShownAgain(site: Site, opened: OpenedPage, { items }: Cart, revisit: Revisit): Promise<void> {
  const { view, readLines } = opened
  const { does, when, mayBeEmpty = () => false } = revisit
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

/**
 * Rounds of shoppers who check out together: how long sending each request takes, in milliseconds. At first all are sent
 * at the same moment; then slow ones are among them, and later ones arrive while they are on their way.
 */
const ROUNDS = [
  [0, 0, 0],
  [60, 0, 30],
  [0, 60, 20]
]

/** Sends bags that differ, all at once. @throws CheckFailed unless each page shows exactly its own */
async function checkOutTogether(site: Site, pauses: number[]): Promise<void> {
  const carts = pauses.map((_, i) => site.newCart([i, i + 1]))
  site.startOver(['(All that follow are sent at the same moment.)'])
  const pages = await Promise.all(carts.map((cart, i) => site.load(site.requestFor(cart), { pause: pauses[i] })))
  for (const [i, { items }] of carts.entries()) {
    const page = pages[i] as FinalResponse
    await assertResponse(page, { status: '2xx', items, caption: `to shopper ${i + 1} of ${carts.length}` })
  }
}

export const pageChecks = checkGroup('page', {
  'exact-items': {
    dependsOn: OPENABLE_DESCRIPTION,
    run: site => openCart(site)
  },
  'same-sku-twice': {
    run: async site => {
      const compareBy = site.profile.expect.sameSku === 'apart' ? 'lines' : 'units'
      await assertShown(site, site.newCart([0, 2], [1, 1], [0, 3]), { compareBy })
    }
  },
  'scripts-blocked': {
    run: site => openCartWith(site, { javaScriptEnabled: false }, 'without scripts')
  },
  'cookies-refused': {
    run: site => openCartWith(site, { blocksCookies: true }, 'without cookies')
  },
  'other-origins': {
    run: async site => {
      const { page, origins } = await openUntilLater(site)
      const allowed = [new URL(site.profile.url).origin, new URL(page.url()).origin, ...site.profile.origins]
      const others = [...origins].filter(origin => !allowed.includes(origin))
      if (others.length > 0) throw new CheckFailed(`The page made requests to ${others.join(', ')}.`)
    }
  },
  'not-yet-complete': {
    run: async site => {
      const { completeTitle, completeUrl } = site.profile
      if (completeTitle === undefined && completeUrl === undefined) {
        throw new CheckSkipped('The profile has neither completeTitle nor completeUrl.')
      }
      const view = await openUntilLater(site)
      const contains = (text: string, phrase: string | undefined) =>
        phrase !== undefined && text.toLowerCase().includes(phrase.toLowerCase())
      const title = await view.call(({ page }) => page.title())
      if (contains(title, completeTitle))
        throw new CheckFailed(`The title is "${title}", which contains "${completeTitle}".`)
      const url = view.page.url()
      if (contains(url, completeUrl)) throw new CheckFailed(`The URL is ${url}, which contains "${completeUrl}".`)
    }
  },
  isolation: {
    run: openSecondCart
  },
  'two-shoppers': {
    dependsOn: [...EXACT_ITEMS, 'isolation'],
    run: async site => {
      const page = await openCart(site)
      const opened = [...site.steps]
      for (const pauses of ROUNDS) await checkOutTogether(site, pauses)
      site.startOver([...opened, ...site.steps])
      await assertShownAgain(site, page, sampleCart(site), {
        does: 'Reload',
        when: 'after a reload, when other shoppers have sent bags',
        // A page without lines is not that of another shopper.
        mayBeEmpty: () => true
      })
    }
  },
  back: {
    dependsOn: [...EXACT_ITEMS, 'isolation'],
    run: async site => {
      const mayBeEmpty = (status = 0) => status >= 400
      const page = await openSecondCart(site)
      await assertShownAgain(site, page, earlierCart(site), { does: 'Back', when: 'after Back', mayBeEmpty })
    }
  },
  reload: {
    run: async site => {
      const page = await openCart(site)
      // A reload has to find this bag, not the last one that was sent.
      await site.load(site.requestFor(earlierCart(site)))
      await assertShownAgain(site, page, sampleCart(site), { does: 'Reload', when: 'after a reload' })
    }
  }
})
