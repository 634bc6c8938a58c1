// A reference that is sent again (contract 2: unique per order), with the same bag or with another one.
import type { Check } from '../check.ts'
import { assertResponse } from '../final-response.ts'
import { assertShown } from '../open-page.ts'
import { EXACT_ITEMS } from './page-checks.ts'

export const repeatChecks: Check[] = [
  {
    id: 'same-cart-again',
    group: 'repeats',
    title: 'The same bag sent again under its reference shows the same items, not twice as many',
    failure: 'The same bag sent again did not show the same items',
    section: 'good practice (contract 1 says exactly the items; 2 says that a reference is unique per order)',
    why: 'A shopper taps checkout, returns to the app and taps it again. That is still one order.',
    remedy: 'Replace what is stored under a reference; never add to it.',
    dependsOn: EXACT_ITEMS,
    run: async site => {
      const cart = site.newCart([0, 1], [1, 2])
      await assertShown(site, cart)
      await assertShown(site, cart)
    }
  },
  {
    id: 'other-cart-again',
    group: 'repeats',
    title: 'Another bag under the same reference shows exactly its items, or is refused as the profile says',
    failure: 'Another bag under the same reference was neither shown exactly nor refused as the profile says',
    section: 'good practice (contract 1 says exactly the items; 2 says that a reference is unique per order)',
    why: 'A shopper changes the bag and taps checkout again. They do not want to pay for the old bag, or for a mixture.',
    remedy: 'Replace the whole bag, or refuse the second one and set expect.otherCart in the profile.',
    dependsOn: EXACT_ITEMS,
    run: async site => {
      const first = site.newCart([0, 1], [1, 2])
      const second = { ...first, items: site.newCart([2, 3], [0, 4]).items }
      await assertShown(site, first)
      const { otherCart: status } = site.profile.expect
      await assertResponse(await site.load(site.requestFor(second)), { status, items: second.items })
    }
  }
]
