// A bag with an SKU that is HTML: nothing in the answer may be made of it, wherever in the page it is written.
import type { Check } from '../check.ts'
import { probe } from '../probe.ts'
import { Failed } from '../verdict-errors.ts'
import { SHOWN } from './page-checks.ts'

/** An element that no page has. */
const PROBE = 'cart-transfer-probe'

/** It closes whatever the SKU may stand in, and then runs a script in two ways: no SKU may have more characters. */
const HOSTILE = `'"--></title></textarea></style></script><${PROBE}><img src=x onerror=alert(1)><script>alert(2)</script>`
const FOUND = `document.querySelectorAll('${PROBE}').length`

export const hostileChecks: Check[] = [
  {
    id: 'hostile-sku',
    group: 'refusals',
    title: 'A SKU of HTML is text on the page: no element is made of it and no script runs',
    section: 'good practice (contract 2 has SKUs as text)',
    why: 'Anyone can write a link or a form with such a SKU. Where it runs, they act as your page does.',
    remedy:
      'Escape everything that came with the request, in error messages too; in a script, write < as \\u003c. Answer what is no page with application/json.',
    needs: SHOWN,
    run: async site => {
      const view = await site.view()
      let dialogs = 0
      view.page.on('dialog', async dialog => {
        dialogs++
        await dialog.dismiss()
      })
      const cart = { ...site.bag(), items: [{ sku: HOSTILE, quantity: 1 }] }
      const opened = await probe(site.profile.expect.unknownSku, () => site.open(site.write(cart), view))
      // A refusal of what the platform sent is no page of the app, but whoever follows a link sees it as one.
      if (opened.isHtml && !opened.isShown) await site.inBrowser(() => view.page.setContent(opened.text))
      const made = Number(await site.inBrowser(() => view.page.evaluate(FOUND)))
      const problem = `${made} elements were made of the SKU ${HOSTILE}, and ${dialogs} scripts ran.`
      if (made + dialogs > 0) throw new Failed(`${problem} Right would be none.`)
    }
  }
]
