// Forms that common parsers cut or mix up in silence: those with very many fields, and those without indexes. A query
// cannot have so many fields: not even eight characters for each would fit into the 8 kB of a request line.
import type { WebRequest } from '../../../transfer/option.ts'
import { checkGroup, EXACT_ITEMS, usesBody, usesPairs } from '../check.ts'
import { cartFieldsFirst, editPairs } from '../edit-request.ts'
import { assertShownOrRefused, type CartLine } from '../site.ts'
import { CLAIMED_PRICE } from './equivalence-checks.ts'

/**
 * Just over a thousand fields. qs keeps 1,000 and PHP 1,001: of three a line, neither cuts through one's SKU and quantity,
 * which a site would notice. A site that refuses prices which are not its own gets two a line.
 */
const MANY_FIELDS = [{ lines: 334, more: { price: CLAIMED_PRICE } }, { lines: 500 }]

/** More than the 20 values that qs makes a list of. */
const FREE_LINES = 25

const INDEX_FREE = 'index-free'

/** The orders in which clients write fields: as the contract lists them, those of each item sorted, or all sorted. */
const FIELD_ORDERS: ((request: WebRequest) => WebRequest)[] = [
  request => request,
  request => editPairs(request, pairs => pairs.toReversed()),
  request => editPairs(request, pairs => pairs.toSorted(([a], [b]) => a.localeCompare(b)))
]

export const formChecks = checkGroup({ group: 'limits' }, [
  {
    id: 'many-fields',
    title: 'A bag of more than 1,000 form fields is shown in full or refused, never cut',
    failure: 'A bag of more than 1,000 form fields was neither shown in full nor refused',
    section: 'contract 1; 8 gives no maximum number of items',
    why: 'PHP (max_input_vars) and qs (parameterLimit) read 1,000 fields and drop the others in silence, and with them the last items of the bag.',
    remedy:
      'Raise the limit of your form parser to three fields for each line that you accept, and refuse a form that reaches it.',
    appliesTo: option => usesPairs(option) && usesBody(option),
    dependsOn: [...EXACT_ITEMS, 'big-bag'],
    run: async site => {
      for (const { lines, more } of MANY_FIELDS) {
        const { items, ...cart } = site.newCart(...Array.from({ length: lines }, (_, i): CartLine => [i, 1]))
        const request = site.requestFor({ ...cart, items: items.map(item => ({ ...item, ...more })) })
        // A site would notice if the reference were cut off.
        await assertShownOrRefused(site, items, cartFieldsFirst(request))
      }
    }
  },
  {
    id: 'index-free-names',
    title: 'A bag with index-free names is shown exactly or refused, in whatever order its fields come',
    failure: 'A bag with index-free names was neither shown exactly nor refused',
    section: 'good practice (contract 2.3 has these names, and leaves the order of fields open)',
    why: 'Many form parsers do not pair items[][sku] with items[][quantity], or only in one order, or only up to 20 items. The shopper gets another bag than in the app.',
    remedy:
      'Pair SKUs and quantities in the order sent, and refuse a bag with more of one than of the other. If you read only indexed names, refuse all others.',
    appliesTo: ({ variants = {} }) => INDEX_FREE in variants,
    run: async site => {
      const { length } = site.profile.skus.exist
      // Each SKU with a quantity of its own: what is mixed up does not add up to the same units.
      const lines = Array.from({ length: FREE_LINES }, (_, i): CartLine => [i, ((i % length) % 3) + 1])
      for (const inOrder of FIELD_ORDERS) {
        const cart = site.newCart(...lines)
        await assertShownOrRefused(site, cart.items, inOrder(site.requestFor(cart, INDEX_FREE)))
      }
    }
  }
])
