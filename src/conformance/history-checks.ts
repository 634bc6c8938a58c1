// The page in a web view that has seen other bags: it shows only its own, after a reload and after Back too.
import type { Page } from 'playwright-core'
import { type Check, Failed } from './check.ts'
import { BAG, BEFORE, firstPage, problemOf, twoBags } from './open-page.ts'
import { SHOWN } from './page-checks.ts'

/** Goes back to the page of the site before this one, past the page of the app's own that a form was sent from. */
async function goBack(page: Page): Promise<void> {
  do await page.goBack({ waitUntil: 'load' })
  while (page.url().startsWith('data:'))
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
    id: 'back',
    group: 'page',
    title: 'Back to the bag before shows that bag, or refuses it',
    section: 'good practice (decisions, "Pages")',
    why: 'Shoppers go back. An error of the browser, or the lines of another bag, is the end of the sale.',
    remedy:
      'Answer a POST with "Cache-Control: private, no-cache" (Chromium cannot go Back to one that says no-store), and find each bag by its own token.',
    needs: [...SHOWN, 'isolation'],
    run: async site => {
      const opened = await twoBags(site)
      const { page } = opened.view
      await site.inBrowser(() => goBack(page))
      await site.photograph(opened.view, 'after Back')
      const problem = await problemOf(opened, site.bag(...BEFORE).items)
      if (problem === undefined) return
      const { length } = await opened.lines(lines => lines.length === 0)
      const says = await site.inBrowser(async () => String(await page.textContent('body')).trim())
      const isClear = length === 0 && says !== '' && page.url().startsWith('http')
      if (!isClear) throw new Failed(`After Back: ${problem}`)
    }
  },
  {
    id: 'reload',
    group: 'page',
    title: 'A reload shows the same',
    section: 'good practice (real-app.md 14: a web view may reload a page at any time)',
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
