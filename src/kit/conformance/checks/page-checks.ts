// The page that a bag leads to, in real Chromium: exactly the items, even without scripts or cookies, nothing loaded from
// unknown origins, and no resemblance to a completed order.
import type { Check } from '../check.ts'
import { assertShown, openCartWith, sharedPage } from '../open-page.ts'
import { CheckFailed, CheckNotJudged } from '../verdict-errors.ts'
import { OPENABLE_DESCRIPTION } from './description-checks.ts'

/** For checks that compare lines. */
export const EXACT_ITEMS = ['exact-items']

export const pageChecks: Check[] = [
  {
    id: 'exact-items',
    group: 'page',
    title: 'The page shows exactly the items of the bag',
    failure: 'The page did not show exactly the items of the bag',
    section: 'contract 1 and 4.1 rule 5',
    why: 'This is the purpose of the transfer. With an item missing, merged with another or not from the bag, the shopper orders something else than intended.',
    remedy:
      'Show one element per item, with its SKU and its quantity in digits. If the page is right, check "page" in the profile: the selectors of line, SKU and quantity, and how long scripts take to write them (settleSeconds).',
    dependsOn: OPENABLE_DESCRIPTION,
    run: async site => {
      await sharedPage(site)
    }
  },
  {
    id: 'same-sku-twice',
    group: 'page',
    title: 'The same SKU on two lines stays two lines, unless the profile says otherwise',
    failure: 'The same SKU on two lines did not stay two lines',
    section: 'good practice (contract 2.1 says one element per item)',
    why: 'A shopper who sees two lines in the app expects two lines on the page, and the second must not overwrite the first.',
    remedy:
      'Keep the lines as sent. If your shop makes one line of them, with all units, set expect.sameSku in the profile.',
    dependsOn: EXACT_ITEMS,
    run: async site => {
      const compareBy = site.profile.expect.sameSku === 'apart' ? 'lines' : 'units'
      await assertShown(site, site.newCart([0, 2], [1, 1], [0, 3]), { compareBy })
    }
  },
  {
    id: 'scripts-blocked',
    group: 'page',
    title: 'The page shows the bag without scripts',
    failure: 'Without scripts, the page did not show the bag',
    section: 'good practice (on a phone, scripts load late or not at all)',
    why: 'On a poor connection the page may load without its scripts. The shopper should still be able to read what is in the bag.',
    remedy: 'Render the lines on the server.',
    dependsOn: EXACT_ITEMS,
    run: site => openCartWith(site, { javaScriptEnabled: false }, 'without scripts')
  },
  {
    id: 'cookies-refused',
    group: 'page',
    title: 'The page shows the bag in a web view that refuses cookies',
    failure: 'Without cookies, the page did not show the bag',
    section: 'good practice (a real iOS app clears its cookies, and web views may drop them)',
    why: 'An app clears its cookie store before it opens the page, and a web view may refuse cookies. The site cannot tell that this happened.',
    remedy: 'Identify the bag by a token that cannot be guessed, in the URL or the body of the request.',
    dependsOn: EXACT_ITEMS,
    run: site => openCartWith(site, { blocksCookies: true }, 'without cookies')
  },
  {
    id: 'other-origins',
    group: 'page',
    title: 'The page makes requests only to the origins in the profile',
    failure: 'The page made requests to other origins',
    section: 'good practice (a checkout page depends on nobody else)',
    why: 'Anything that a checkout page loads from elsewhere can break it, slow it down and learn who buys what.',
    remedy: 'Serve what the page needs yourself, or add the origin to the profile: origins.',
    dependsOn: EXACT_ITEMS,
    run: async site => {
      const { url, origins } = (await sharedPage(site)).view
      const allowed = [new URL(site.profile.url).origin, new URL(url()).origin, ...site.profile.origins]
      const others = [...origins].filter(origin => !allowed.includes(origin))
      if (others.length > 0) throw new CheckFailed(`The page made requests to ${others.join(', ')}.`)
    }
  },
  {
    id: 'not-yet-complete',
    group: 'page',
    title: 'Title and URL of the page do not look like those of a completed order',
    failure: 'The page looked like that of a completed order',
    section: 'good practice (real apps recognise a completed order by its title or URL)',
    why: 'The app recognises a completed order by title or URL. If the checkout page matches, the app empties the bag before anything is ordered.',
    remedy: 'Use those words only on the page that confirms the order.',
    dependsOn: EXACT_ITEMS,
    run: async site => {
      const { completeTitle, completeUrl } = site.profile
      if (completeTitle === undefined && completeUrl === undefined) {
        throw new CheckNotJudged('The profile has neither completeTitle nor completeUrl.')
      }
      const { view } = await sharedPage(site)
      const contains = (text: string, phrase: string | undefined) =>
        phrase !== undefined && text.toLowerCase().includes(phrase.toLowerCase())
      const title = await view.call(({ page }) => page.title())
      if (contains(title, completeTitle))
        throw new CheckFailed(`The title is "${title}", which contains "${completeTitle}".`)
      const url = view.url()
      if (contains(url, completeUrl)) throw new CheckFailed(`The URL is ${url}, which contains "${completeUrl}".`)
    }
  }
]
