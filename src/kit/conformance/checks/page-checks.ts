// The page that a bag leads to, in real Chromium: exactly the items, without scripts and without cookies too, from the
// merchant's own origin, and not yet the page of a completed order.
import type { Check } from '../check.ts'
import { firstPage, showsWith } from '../open-page.ts'
import { Failed, NotJudged } from '../verdict-errors.ts'
import { OPENABLE } from './description-checks.ts'

/** What every check that looks at lines needs. */
export const SHOWN = ['exact-items']

const COOKIES =
  'An app empties its cookie store before it opens the page, and a web view may refuse cookies. Nothing tells a site that it did.'

export const pageChecks: Check[] = [
  {
    id: 'exact-items',
    group: 'page',
    title: 'The page shows exactly the items of the bag',
    section: 'contract 1 and 4.1 rule 5',
    why: 'This is what the transfer is for. An item that is missing, merged with another or not from the bag makes another order than the one that the shopper wanted.',
    remedy:
      'Show one element per item with its SKU and its quantity in digits. If the page is right, look at "page" in the profile: it says where line, SKU and quantity stand, and how long scripts take to write them (settleSeconds).',
    needs: OPENABLE,
    run: async site => {
      await firstPage(site)
    }
  },
  {
    id: 'same-sku-twice',
    group: 'page',
    title: 'The same SKU on two lines stays two lines',
    section: 'good practice (contract 2.1 says one element per item)',
    why: 'A shopper who sees two lines in the app looks for two lines on the page; the last of two must not win either.',
    remedy: 'Keep lines apart as they came.',
    needs: SHOWN,
    run: async site => {
      const cart = site.bag([0, 2], [1, 1], [0, 3])
      await site.judge(await site.visit(site.write(cart)), { status: '2xx', items: cart.items })
    }
  },
  {
    id: 'scripts-blocked',
    group: 'page',
    title: 'The page shows the bag without scripts',
    section: 'good practice (on a phone, scripts come late or not at all)',
    why: 'On a poor connection the page is there and its scripts are not. What the shopper buys should be readable all the same.',
    remedy: 'Write the lines into the page on the server.',
    needs: SHOWN,
    run: site => showsWith(site, { javaScriptEnabled: false })
  },
  {
    id: 'cookies-refused',
    group: 'page',
    title: 'The page shows the bag in a web view that refuses cookies',
    section: 'good practice (a real iOS app clears its cookies, and web views may drop them)',
    why: COOKIES,
    remedy: 'Carry what finds the bag in the URL or the body of the request, in a token that nobody can guess.',
    needs: SHOWN,
    run: site => showsWith(site, { refusesCookies: true })
  },
  {
    id: 'other-origins',
    group: 'page',
    title: 'The page asks no other origin than those that the profile names',
    section: 'good practice (a checkout page depends on nobody else)',
    why: 'Everything that a checkout page loads from elsewhere can stop it, slow it down and learn who buys what.',
    remedy: 'Serve what the page needs yourself, or name the origin in the profile: origins.',
    needs: SHOWN,
    run: async site => {
      const { page, origins } = (await firstPage(site)).view
      const known = [new URL(site.profile.url).origin, new URL(page.url()).origin, ...site.profile.origins]
      const others = [...origins].filter(origin => !known.includes(origin))
      if (others.length > 0) throw new Failed(`The page asked ${others.join(', ')}.`)
    }
  },
  {
    id: 'not-yet-complete',
    group: 'page',
    title: 'Title and URL of the page do not look like those of a completed order',
    section: 'good practice (real apps know a completed order by its title or URL)',
    why: 'The app knows by title or URL that the order is complete. On the checkout page it would empty the bag before anything was ordered.',
    remedy: 'Keep those words for the page that confirms the order.',
    needs: SHOWN,
    run: async site => {
      const { completeTitle, completeUrl } = site.profile
      if (completeTitle === undefined && completeUrl === undefined) {
        throw new NotJudged('The profile has neither completeTitle nor completeUrl.')
      }
      const { page } = (await firstPage(site)).view
      const has = (text: string, words: string | undefined) =>
        words !== undefined && text.toLowerCase().includes(words.toLowerCase())
      const title = await page.title()
      if (has(title, completeTitle)) throw new Failed(`The title is "${title}", which has "${completeTitle}" in it.`)
      const url = page.url()
      if (has(url, completeUrl)) throw new Failed(`The URL is ${url}, which has "${completeUrl}" in it.`)
    }
  }
]
