// Bags that cannot be sold: refused as a whole, with the item named, and with nothing in the answer that runs.
import { type Check, Failed, NotJudged } from './check.ts'
import { shortened } from './judge.ts'
import type { Profile } from './profile-schema.ts'
import type { Site, Visit } from './site.ts'

type Kind = { name: string; list: 'unknown' | 'outOfStock'; expected: 'unknownSku' | 'outOfStock'; says: string }

const KINDS: Kind[] = [
  { name: 'unknown-sku', list: 'unknown', expected: 'unknownSku', says: 'an unknown SKU' },
  { name: 'out-of-stock', list: 'outOfStock', expected: 'outOfStock', says: 'a SKU that is out of stock' }
]

/** An element that no page has, and two ways to run a script, in one SKU. */
const PROBE = 'cart-transfer-probe'
const HOSTILE = `"'><${PROBE}></${PROBE}><img src=x onerror=alert(1)><script>alert(2)</script>`
const FOUND = `document.querySelectorAll('${PROBE}').length`

function skuOf({ skus }: Profile, list: Kind['list']): string {
  const [sku] = skus[list]
  if (sku === undefined) throw new NotJudged(`The profile names no such SKU: skus.${list} is empty.`)
  return sku
}

/** Hands over a bag of one item that can be sold and one that cannot. */
function handOver(site: Site, sku: string): Promise<Visit> {
  const cart = site.bag([0, 1])
  return site.visit(site.write({ ...cart, items: [...cart.items, { sku, quantity: 1 }] }))
}

function refusalsOf({ name, list, expected, says }: Kind): Check[] {
  return [
    {
      id: `${name}-refused`,
      group: 'refusals',
      title: `A bag with ${says} is refused, and nothing of it is shown`,
      section: 'good practice (decisions, "What is accepted"); contract 7 shows no errors',
      why: 'A page with the rest of the bag looks like success, and the shopper learns of the lost item when the parcel comes.',
      remedy: 'Refuse the whole bag with a status such as 422 and show no line of it.',
      run: async site => {
        const visit = await handOver(site, skuOf(site.profile, list))
        await site.judge(visit, { status: site.profile.expect[expected], items: [] })
      }
    },
    {
      id: `${name}-named`,
      group: 'refusals',
      title: `The refusal of ${says} names it`,
      section: 'good practice (decisions, "What answers")',
      why: '"Something went wrong" helps nobody: the shopper cannot mend the bag, and the platform cannot mend the catalogue.',
      remedy: 'Write the SKU, and the title where you know it, into the answer.',
      needs: [`${name}-refused`],
      run: async site => {
        const sku = skuOf(site.profile, list)
        const { text } = await handOver(site, sku)
        if (!text.includes(sku))
          throw new Failed(`${sku} is not named. The answer says: ${shortened(text.replace(/\s+/g, ' ').trim())}`)
      }
    }
  ]
}

export const refusalChecks: Check[] = [
  ...KINDS.flatMap(refusalsOf),
  {
    id: 'hostile-sku',
    group: 'refusals',
    title: 'A SKU of HTML is text on the page: no element is made of it and no script runs',
    section: 'good practice (contract 2 has SKUs as text)',
    why: 'Anyone can write a link or a form with such a SKU. Where it runs, they act as your page does.',
    remedy: 'Escape everything that came with the request, in error messages too.',
    run: async site => {
      const view = await site.view()
      let dialogs = 0
      view.page.on('dialog', async dialog => {
        dialogs++
        await dialog.dismiss()
      })
      const cart = { ...site.bag(), items: [{ sku: HOSTILE, quantity: 1 }] }
      await site.open(site.write(cart), view)
      const made = Number(await site.inBrowser(() => view.page.evaluate(FOUND)))
      const problem = `${made} elements were made of the SKU ${HOSTILE}, and ${dialogs} scripts ran.`
      if (made + dialogs > 0) throw new Failed(`${problem} Right would be none.`)
    }
  }
]
