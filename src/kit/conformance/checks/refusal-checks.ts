// Bags that cannot be sold: refused as a whole, and with the item named.

import type { Check } from '../check.ts'
import { shortened } from '../judge.ts'
import type { Visit } from '../judge-visit.ts'
import { probe } from '../probe.ts'
import type { Profile } from '../profile-schema.ts'
import { names } from '../responses.ts'
import type { Site } from '../site.ts'
import { Failed, NotJudged } from '../verdict-errors.ts'
import { SHOWN } from './page-checks.ts'

type Kind = { name: string; list: 'unknown' | 'outOfStock'; expected: 'unknownSku' | 'outOfStock'; says: string }

const KINDS: Kind[] = [
  { name: 'unknown-sku', list: 'unknown', expected: 'unknownSku', says: 'an unknown SKU' },
  { name: 'out-of-stock', list: 'outOfStock', expected: 'outOfStock', says: 'a SKU that is out of stock' }
]

function skuOf({ skus }: Profile, list: Kind['list']): string {
  const [sku] = skus[list]
  if (sku === undefined) throw new NotJudged(`The profile names no such SKU: skus.${list} is empty.`)
  return sku
}

/** Hands over a bag of one item that can be sold and one that cannot. */
function handOver(site: Site, sku: string, expected: Kind['expected']): Promise<Visit> {
  const cart = site.bag([0, 1])
  const request = site.write({ ...cart, items: [...cart.items, { sku, quantity: 1 }] })
  return probe(site.profile.expect[expected], () => site.visit(request))
}

function refusalsOf({ name, list, expected, says }: Kind): Check[] {
  return [
    {
      id: `${name}-refused`,
      group: 'refusals',
      title: `A bag with ${says} is refused, and nothing of it is shown`,
      section: 'good practice (contract 1 says exactly the items; 7 shows no errors)',
      why: 'A page with the rest of the bag looks like success, and the shopper learns of the lost item when the parcel comes.',
      remedy: 'Refuse the whole bag with a status such as 422 and show no line of it.',
      needs: SHOWN,
      run: async site => {
        const visit = await handOver(site, skuOf(site.profile, list), expected)
        await site.judge(visit, { status: site.profile.expect[expected], items: [] })
      }
    },
    {
      id: `${name}-named`,
      group: 'refusals',
      title: `The refusal of ${says} names it`,
      section: 'good practice (contract 7 shows no errors)',
      why: '"Something went wrong" helps nobody: the shopper cannot mend the bag, and the platform cannot mend the catalogue.',
      remedy: 'Write the SKU, and the title where you know it, into the answer.',
      needs: [`${name}-refused`],
      run: async site => {
        const sku = skuOf(site.profile, list)
        const { text } = await handOver(site, sku, expected)
        if (!names(text, sku))
          throw new Failed(`${sku} is not named. The answer says: ${shortened(text.replace(/\s+/g, ' ').trim())}`)
      }
    }
  ]
}

export const refusalChecks: Check[] = KINDS.flatMap(refusalsOf)
