// The page in a web view that has seen other bags: it shows only its own, after a reload and after Back too.
import type { Page, Response } from 'playwright-core'
import type { Check } from '../check.ts'
import { BAG, BEFORE, firstPage, problemOf, showsOrRefuses, twoBags } from '../open-page.ts'
import { Failed } from '../verdict-errors.ts'
import { SHOWN } from './page-checks.ts'

/** Goes back to the page of the site before this one, past the page of the app's own that a form was sent from. */
async function goBack(page: Page): Promise<Response | null> {
  let answer: Response | null
  do answer = await page.goBack({ waitUntil: 'load' })
  while (page.url().startsWith('data:'))
  return answer
}

export const historyChecks: Check[] = [
  {
    id: 'isolation',
    group: 'page',
    title: 'A second bag in the same web view shows only itself, whatever cookies are there',
    section: 'contract 1 and 4.1 rule 5',
    why: 'Web views keep old logins and sessions. Items of an old session in a new bag are items that nobody asked for.',
    remedy: 'Find the bag by what the transfer sent, never by a cookie; replace what a session holds, never add to it.',
    needs: SHOWN,
    run: async site => {
      await twoBags(site)
    }
  },
  {
    id: 'two-shoppers',
    group: 'page',
    title: 'Two shoppers who hand over a bag at the same time see their own, after a reload too',
    section: 'contract 1 and 4.1 rule 5',
    why: 'A site that shows the last bag that anybody sent works for one tester, and shows each shopper the bag of another on the day that it sells.',
    remedy:
      'Give each bag a token of its own, put it into what you describe or redirect to, and find the bag by nothing else.',
    needs: [...SHOWN, 'isolation'],
    run: async site => {
      const [mine, theirs] = [site.bag(...BEFORE), site.bag([2, 3])]
      const openMine = await site.prepare(site.write(mine))
      const openTheirs = await site.prepare(site.write(theirs))
      const opened = await openMine()
      await site.judge(opened, { status: '2xx', items: mine.items })
      await site.judge(await openTheirs(), { status: '2xx', items: theirs.items })
      const answer = await site.inBrowser(() => opened.view.page.reload())
      await showsOrRefuses(opened, answer, mine.items, 'After a reload, once another shopper has handed over a bag')
    }
  },
  {
    id: 'back',
    group: 'page',
    title: 'Back to the bag before shows that bag, or refuses it',
    section: 'good practice (shoppers go back in real apps)',
    why: 'Shoppers go back. An error of the browser, or the lines of another bag, is the end of the sale.',
    remedy:
      'Answer a POST with "Cache-Control: private, no-cache" (Chromium cannot go Back to one that says no-store), and find each bag by its own token.',
    needs: [...SHOWN, 'isolation'],
    run: async site => {
      const opened = await twoBags(site)
      const { page } = opened.view
      const answer = await site.inBrowser(() => goBack(page))
      await site.photograph(opened.view, 'after Back')
      await showsOrRefuses(opened, answer, site.bag(...BEFORE).items, 'After Back')
    }
  },
  {
    id: 'reload',
    group: 'page',
    title: 'A reload shows the same',
    section: 'good practice (the web views of real apps may reload a page at any time)',
    why: 'Apps reload pages when they come back from the background. A link that works once leaves the shopper with nothing.',
    remedy: 'Let loading a page change nothing.',
    needs: SHOWN,
    run: async site => {
      const opened = await firstPage(site)
      await site.inBrowser(() => opened.view.page.reload())
      await site.photograph(opened.view, 'after a reload')
      const problem = await problemOf(opened, site.bag(...BAG).items)
      if (problem !== undefined) throw new Failed(`After a reload: ${problem}`)
    }
  }
]
