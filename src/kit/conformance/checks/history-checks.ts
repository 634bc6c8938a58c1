// The page in a web view with a history of other bags: it shows only its own, even after a reload or after Back.
import type { Page, Response } from 'playwright-core'
import type { Check } from '../check.ts'
import { assertResponse, type FinalResponse } from '../final-response.ts'
import {
  assertShownOrRefused,
  changedPage,
  currentMismatch,
  EARLIER_CART,
  SHARED_CART,
  sharedPage,
  sharedSecondCart
} from '../open-page.ts'
import type { Site } from '../site.ts'
import { EXACT_ITEMS } from './page-checks.ts'

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
  const pages = await Promise.all(carts.map((cart, i) => site.load(site.requestFor(cart), pauses[i])))
  for (const [i, { items }] of carts.entries()) {
    const page = pages[i] as FinalResponse
    await assertResponse(page, { status: '2xx', items, caption: `to shopper ${i + 1} of ${carts.length}` })
  }
}

export const historyChecks: Check[] = [
  {
    id: 'isolation',
    group: 'page',
    title: 'A second bag in the same web view shows only its own items, whatever cookies are set',
    failure: 'A second bag in the same web view was not shown on its own',
    section: 'contract 1 and 4.1 rule 5',
    why: 'Web views keep old logins and sessions. Items of an old session in a new bag are items that nobody asked for.',
    remedy:
      'Find the bag by what the transfer sent, never by a cookie; replace the contents of a session, never add to them.',
    dependsOn: EXACT_ITEMS,
    run: async site => {
      await sharedSecondCart(site)
    }
  },
  {
    id: 'two-shoppers',
    group: 'page',
    title: 'Two shoppers who check out at the same time each see their own bag, even after a reload',
    failure: 'Two shoppers at the same time did not each see their own bag',
    section: 'contract 1 and 4.1 rule 5',
    why: 'A site that shows the last bag sent works for a single tester. With real traffic, shoppers see each other’s bags.',
    remedy:
      'Give each bag its own token, put it into the description or the redirect, and find the bag by nothing else.',
    dependsOn: [...EXACT_ITEMS, 'isolation'],
    run: async site => {
      const page = await sharedPage(site)
      for (const pauses of ROUNDS) await checkOutTogether(site, pauses)
      site.startOver([...page.view.steps, ...site.steps()])
      const caption = 'after a reload, when other shoppers have sent bags'
      page.view.did('Reload in the web view')
      await page.view.call(view => view.page.reload())
      await site.takeScreenshot(page.view, caption)
      const mismatch = await currentMismatch(page, site.newCart(...SHARED_CART).items)
      // A page without lines is not that of another shopper.
      if (mismatch === undefined || (await page.readLines(() => true)).length === 0) return
      throw changedPage('After a reload, when other shoppers have sent bags', mismatch)
    }
  },
  {
    id: 'back',
    group: 'page',
    title: 'Back to the previous bag shows that bag, or refuses it',
    failure: 'Back showed neither the previous bag nor a refusal',
    section: 'good practice (shoppers go back in real apps)',
    why: 'Shoppers go back. A browser error, or the lines of another bag, loses the sale.',
    remedy:
      'Answer a POST with "Cache-Control: private, no-cache" (with no-store, Chromium cannot go Back to the page), and find each bag by its own token.',
    dependsOn: [...EXACT_ITEMS, 'isolation'],
    run: async site => {
      const page = await sharedSecondCart(site)
      page.view.did('Back in the web view')
      const response = await page.view.call(view => goBack(view.page))
      await site.takeScreenshot(page.view, 'after Back')
      await assertShownOrRefused(page, response, site.newCart(...EARLIER_CART).items, 'After Back')
    }
  },
  {
    id: 'reload',
    group: 'page',
    title: 'A reload shows the same items',
    failure: 'A reload did not show the same items',
    section: 'good practice (the web views of real apps may reload a page at any time)',
    why: 'Apps reload pages when they return from the background. A link that works only once leaves the shopper with nothing.',
    remedy: 'Make loading the page free of side effects.',
    dependsOn: EXACT_ITEMS,
    run: async site => {
      const page = await sharedPage(site)
      page.view.did('Reload in the web view')
      await page.view.call(view => view.page.reload())
      await site.takeScreenshot(page.view, 'after a reload')
      const mismatch = await currentMismatch(page, site.newCart(...SHARED_CART).items)
      if (mismatch !== undefined) throw changedPage('After a reload', mismatch)
    }
  }
]
