// The page that a bag leads to, in real Chromium: exactly the items, even without scripts or cookies, nothing loaded from
// unknown origins, and no resemblance to a completed order.
import type { Page, Response } from 'playwright-core'
import type { Cart } from '../../../cart/cart.ts'
import type { WebViewOptions } from '../../browser/web-view.ts'
import { checkGroup, EXACT_ITEMS, isProtocol, usesBody } from '../check.ts'
import {
  assertConclusive,
  assertResponse,
  CheckFailed,
  CheckSkipped,
  excerpt,
  type FinalResponse,
  lineMismatch,
  matchesStatus
} from '../final-response.ts'
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
  does: 'Reload' | 'Back' | 'GET of its address'
  /** When the page is looked at again: `after Back`. */
  when: string
  /** Whether the page may have no lines then. @param status undefined if there is no page to go back to */
  mayBeEmpty?: (status: number | undefined, view: SiteView) => boolean | Promise<boolean>
}

/** @throws CheckFailed unless the page shows this cart afterwards */
async function assertShownAgain(site: Site, opened: OpenedPage, { items }: Cart, revisit: Revisit): Promise<void> {
  const { view, readLines } = opened
  const { does, when, mayBeEmpty = () => false } = revisit
  site.steps.push(`${does} in the web view`)
  const response = await view.call(({ page }) => REVISITS[does](page))
  if (response) assertConclusive(response.status(), '', { hasAccess: true })
  await site.takeScreenshot(view, when)
  const shown = await readLines(lines => lineMismatch(lines, items, 'lines') === undefined)
  const mismatch = lineMismatch(shown, items, 'lines')
  if (!mismatch || (shown.length === 0 && (await mayBeEmpty(response?.status(), view)))) return
  const { message, expected, got } = mismatch
  const problem = `A${when.slice(1)}: ${message}`
  if (shown.length > 0) throw new CheckFailed(problem, { expected, got })
  const said = excerpt(String(await view.call(({ page }) => page.textContent('body'))))
  throw new CheckFailed(`${problem} It says: ${said}`, { expected, got: `${got}: ${said}` })
}

const REVISITS: Record<Revisit['does'], (page: Page) => Promise<Response | null>> = {
  Back: goBack,
  Reload: page => page.reload(),
  'GET of its address': page => page.goto(page.url())
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

export const pageChecks = checkGroup({ group: 'page' }, [
  {
    id: 'exact-items',
    title: 'The page shows exactly the items of the bag',
    failure: 'The page did not show exactly the items of the bag',
    section: 'contract 1 and 4.1 rule 5',
    why: 'This is the purpose of the transfer. With an item missing, merged with another or not from the bag, the shopper orders something else than intended.',
    remedy:
      'Show one element per item, with its SKU and its quantity in digits, and none with quantity 0: if an item cannot be sold, refuse the bag. If the page is right, check "page" in the profile: the selectors of line, SKU and quantity, and how long scripts take to write them (settleSeconds).',
    dependsOn: OPENABLE_DESCRIPTION,
    run: site => openCart(site)
  },
  {
    id: 'same-sku-twice',
    title: 'The same SKU on two lines stays two lines, unless the profile says otherwise',
    failure: 'The same SKU on two lines did not stay two lines',
    section: 'good practice (contract 2.1 says one element per item)',
    why: 'A shopper who sees two lines in the app expects two lines on the page, and the second must not overwrite the first.',
    remedy:
      'Keep the lines as sent. If your shop makes one line of them, with all units, set expect.sameSku in the profile.',
    run: async site => {
      const compareBy = site.profile.expect.sameSku === 'apart' ? 'lines' : 'units'
      await assertShown(site, site.newCart([0, 2], [1, 1], [0, 3]), { compareBy })
    }
  },
  {
    id: 'scripts-blocked',
    title: 'The page shows the bag without scripts',
    failure: 'Without scripts, the page did not show the bag',
    section: 'good practice (on a phone, scripts load late or not at all)',
    why: 'On a poor connection the page may load without its scripts. The shopper should still be able to read what is in the bag.',
    remedy: 'Render the lines on the server.',
    run: site => openCartWith(site, { javaScriptEnabled: false }, 'without scripts')
  },
  {
    id: 'cookies-refused',
    title: 'The page shows the bag in a web view that refuses cookies',
    failure: 'Without cookies, the page did not show the bag',
    section: 'good practice (a real iOS app clears its cookies, and web views may drop them)',
    why: 'An app clears its cookie store before it opens the page, and a web view may refuse cookies. The site cannot tell that this happened.',
    remedy:
      'Identify the bag by a token that cannot be guessed, in the URL or the body of every request. Do not put it into a session and redirect.',
    run: site => openCartWith(site, { blocksCookies: true }, 'without cookies')
  },
  {
    id: 'other-origins',
    title: 'The page makes requests only to the origins in the profile',
    failure: 'The page made requests to other origins',
    section: 'good practice (a checkout page depends on nobody else)',
    why: 'Anything that a checkout page loads from elsewhere can break it, slow it down and learn who buys what.',
    remedy: 'Serve what the page needs yourself, or add the origin to the profile: origins.',
    run: async site => {
      const { page, origins } = await openUntilLater(site)
      const allowed = [new URL(site.profile.url).origin, new URL(page.url()).origin, ...site.profile.origins]
      const others = [...origins].filter(origin => !allowed.includes(origin))
      if (others.length > 0) throw new CheckFailed(`The page made requests to ${others.join(', ')}.`)
    }
  },
  {
    id: 'not-yet-complete',
    title: 'Title and URL of the page do not look like those of a completed order',
    failure: 'The page looked like that of a completed order',
    section: 'good practice (real apps recognise a completed order by its title or URL)',
    why: 'The app recognises a completed order by title or URL. If the checkout page matches, the app empties the bag before anything is ordered.',
    remedy: 'Use those words only on the page that confirms the order.',
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
  {
    id: 'isolation',
    title: 'A second bag in the same web view shows only its own items, whatever cookies are set',
    failure: 'A second bag in the same web view was not shown on its own',
    section: 'contract 1 and 4.1 rule 5',
    why: 'Web views keep old logins and sessions. Items of an old session in a new bag are items that nobody asked for.',
    remedy:
      'Find the bag by what the transfer sent, never by a cookie; replace the contents of a session, never add to them.',
    run: openSecondCart
  },
  {
    id: 'two-shoppers',
    title: 'Two shoppers who check out at the same time each see their own bag, even after a reload',
    failure: 'Two shoppers at the same time did not each see their own bag',
    section: 'contract 1 and 4.1 rule 5',
    why: 'A site that shows the last bag sent works for a single tester. With real traffic, shoppers see each other’s bags.',
    remedy:
      'Give each bag its own token, put it into the description or the redirect, and find the bag by nothing else.',
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
  {
    id: 'back',
    title: 'Back to the previous bag shows that bag, or refuses it',
    failure: 'Back showed neither the previous bag nor a refusal',
    section: 'good practice (shoppers go back in real apps)',
    why: 'Shoppers go back. A browser error, or the lines of another bag, loses the sale.',
    remedy:
      'Answer a POST with "Cache-Control: private, no-cache" (with no-store, Chromium cannot go Back to the page), and find each bag by its own token in the address, not in a session.',
    dependsOn: [...EXACT_ITEMS, 'isolation'],
    run: async site => {
      const mayBeEmpty = (status = 0) => status >= 400
      const page = await openSecondCart(site)
      await assertShownAgain(site, page, earlierCart(site), { does: 'Back', when: 'after Back', mayBeEmpty })
    }
  },
  {
    id: 'get-after-post',
    title: 'A GET of the address of a page that a POST opened shows the bag, or refuses with a link',
    failure: 'A GET of the address of the page neither showed the bag nor refused with a link',
    section:
      'good practice (web views reload pages at any time; contract 4.1 and 4.2 say nothing about a GET of the page)',
    why: 'An app that comes back after hours may only know the address of its page, and asks for that with GET. "Cannot GET /cart", or an empty bag, leaves the shopper with nothing to do.',
    remedy:
      'Redirect the POST (303) to an address with the token of the bag. Or refuse the GET (405 or 404) with a page that says what to do, and has a link back to the app.',
    appliesTo: option => usesBody(option) && !isProtocol(option),
    run: async site => {
      const page = await openCart(site)
      // Otherwise, it is a reload.
      if (page.method !== 'POST') return
      await assertShownAgain(site, page, sampleCart(site), {
        does: 'GET of its address',
        when: 'after a GET of its address',
        mayBeEmpty: async (status = 0, view) =>
          ['4xx', site.profile.expect.method].some(expected => matchesStatus(status, expected)) &&
          (await view.call(({ page }) => page.evaluate<boolean>('document.links.length > 0')))
      })
    }
  },
  {
    id: 'reload',
    title: 'A reload shows the same items',
    failure: 'A reload did not show the same items',
    section: 'good practice (the web views of real apps may reload a page at any time)',
    why: 'Apps reload pages when they return from the background. A link that works only once leaves the shopper with nothing.',
    remedy: 'Make loading the page free of side effects.',
    run: async site => {
      const page = await openCart(site)
      // A reload has to find this bag, not the last one that was sent.
      await site.load(site.requestFor(earlierCart(site)))
      await assertShownAgain(site, page, sampleCart(site), { does: 'Reload', when: 'after a reload' })
    }
  }
])
