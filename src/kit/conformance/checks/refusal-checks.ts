// Bags that cannot be sold: refused as a whole, with the item named.
import type { Check } from '../check.ts'
import { excerpt } from '../detail-text.ts'
import { AS_RECEIVED, assertResponse, type FinalResponse } from '../final-response.ts'
import { sendProbe } from '../probe.ts'
import { listedSkus } from '../profile.ts'
import { mentions } from '../responses.ts'
import type { Site } from '../site.ts'
import { CheckFailed, CheckNotJudged } from '../verdict-errors.ts'
import { EXACT_ITEMS } from './page-checks.ts'

/** A kind of SKU that cannot be sold: its list in the profile, and the key of the expected status. */
type UnsellableSku = {
  id: string
  list: 'unknown' | 'outOfStock'
  key: 'unknownSku' | 'outOfStock'
  label: string
  subject: string
}

const UNSELLABLE_SKUS: UnsellableSku[] = [
  { id: 'unknown-sku', list: 'unknown', key: 'unknownSku', label: 'an unknown SKU', subject: 'An unknown SKU' },
  {
    id: 'out-of-stock',
    list: 'outOfStock',
    key: 'outOfStock',
    label: 'a SKU that is out of stock',
    subject: 'An out-of-stock SKU'
  }
]

/** Sends a bag of one item that can be sold and one that cannot. */
async function sendUnsellable(
  site: Site,
  { list, key }: UnsellableSku
): Promise<{ sku: string; status: string; response: FinalResponse }> {
  const [sku] = listedSkus(site.profile.skus[list])
  if (sku === undefined)
    throw new CheckNotJudged(
      `The profile has no such SKU: skus.${list} is empty. If the shop never has one, give "none".`
    )
  const cart = site.newCart([0, 1])
  const request = site.requestFor({ ...cart, items: [...cart.items, { sku, quantity: 1 }] })
  const status = site.profile.expect[key]
  return { sku, status, response: await sendProbe(status, () => site.load(request)) }
}

function checksFor(unsellable: UnsellableSku): Check[] {
  const { id, list, label, subject } = unsellable
  const appliesTo: Check['appliesTo'] = (_, { skus }) => skus[list] !== 'none'
  return [
    {
      id: `${id}-refused`,
      group: 'refusals',
      title: `A bag with ${label} is refused, and none of it is shown`,
      failure: { notRefused: subject },
      section: 'good practice (contract 1 says exactly the items; 7 leaves errors open)',
      why: 'A page with the rest of the bag looks like success, and the shopper notices the missing item when the parcel arrives.',
      remedy: 'Refuse the whole bag with a status such as 422, and show none of its lines.',
      appliesTo,
      dependsOn: EXACT_ITEMS,
      run: async site => {
        const { status, response } = await sendUnsellable(site, unsellable)
        await assertResponse(response, { status, items: [] })
      }
    },
    {
      id: `${id}-named`,
      group: 'refusals',
      title: `The refusal of ${label} names it`,
      failure: `The refusal of ${label} did not name it`,
      section: 'good practice (contract 7 leaves errors open)',
      why: '"Something went wrong" helps nobody: the shopper cannot fix the bag, and the platform cannot fix the catalogue.',
      remedy: 'Include the SKU in the response, and the title if you know it.',
      appliesTo,
      dependsOn: [`${id}-refused`],
      run: async site => {
        const { sku, response } = await sendUnsellable(site, unsellable)
        if (mentions(response.text, sku)) return
        await response.takeScreenshot(AS_RECEIVED)
        const finding = { expected: `A refusal that names ${sku}`, got: excerpt(response.text) }
        throw new CheckFailed(`The response does not name ${sku}. It says: ${finding.got}`, [finding])
      }
    }
  ]
}

export const refusalChecks: Check[] = UNSELLABLE_SKUS.flatMap(checksFor)
