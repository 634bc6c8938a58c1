// A SKU that is HTML: no element may result from it, wherever in the page it appears.
import type { Check } from '../check.ts'
import { AS_RECEIVED } from '../final-response.ts'
import { sendProbe } from '../probe.ts'
import { CheckFailed } from '../verdict-errors.ts'
import { EXACT_ITEMS } from './page-checks.ts'

/** An element that no page has. */
const PROBE_TAG = 'cart-transfer-probe'

/** Closes whatever it is embedded in, then runs a script in two ways. As long as a SKU may be. */
const HOSTILE = `'"--></title></textarea></style></script><${PROBE_TAG}><img src=x onerror=alert(1)><script>alert(2)</script>`
const COUNT_PROBES = `document.querySelectorAll('${PROBE_TAG}').length`

export const hostileChecks: Check[] = [
  {
    id: 'hostile-sku',
    group: 'refusals',
    title: 'A SKU that contains HTML is plain text on the page: it creates no element and runs no script',
    failure: 'A SKU that contains HTML became part of the page',
    section: 'good practice (contract 2 defines SKUs as strings)',
    why: 'Anyone can create a link or a form with such a SKU. If it runs, it can do whatever your page can do.',
    remedy:
      'Escape everything that comes from the request, in error messages too; in a script, write < as \\u003c. Send responses that are not pages as application/json.',
    dependsOn: EXACT_ITEMS,
    run: async site => {
      const view = await site.newView()
      let dialogs = 0
      await view.call(async ({ page }) =>
        page.on('dialog', dialog => {
          dialogs++
          // A page that is closed by now needs no answer.
          Promise.allSettled([dialog.dismiss()])
        })
      )
      const cart = { ...site.newCart(), items: [{ sku: HOSTILE, quantity: 1 }] }
      const response = await sendProbe(site.profile.expect.unknownSku, () =>
        site.open(site.requestFor(cart), view, AS_RECEIVED)
      )
      // The app never shows a refusal sent to the platform, but anyone who follows a link sees it as a page.
      if (response.isHtml && !response.isShown) await view.call(({ page }) => page.setContent(response.text))
      const elements = Number(await view.call(({ page }) => page.evaluate(COUNT_PROBES)))
      if (elements + dialogs === 0) return
      throw new CheckFailed(
        `The SKU ${HOSTILE} created ${elements} elements and ran ${dialogs} scripts; expected none.`
      )
    }
  }
]
