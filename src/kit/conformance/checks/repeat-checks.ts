// A reference that comes again (contract 2: unique per order): with the same bag, and with another one.
import type { Check } from '../check.ts'
import { SHOWN } from './page-checks.ts'

export const repeatChecks: Check[] = [
  {
    id: 'same-cart-again',
    group: 'repeats',
    title: 'The same bag again under its reference shows the same items, not twice as many',
    section: 'good practice (contract 1 says exactly the items; 2 says that a reference is unique per order)',
    why: 'A shopper taps checkout, goes back to the app and taps it again. That is not a second helping.',
    remedy: 'Replace what is stored under a reference; never add to it.',
    needs: SHOWN,
    run: async site => {
      const cart = site.bag([0, 1], [1, 2])
      for (let i = 0; i < 2; i++) {
        await site.judge(await site.visit(site.write(cart)), { status: '2xx', items: cart.items })
      }
    }
  },
  {
    id: 'other-cart-again',
    group: 'repeats',
    title: 'Another bag under the same reference shows exactly that one, or is refused as the profile says',
    section: 'good practice (contract 1 says exactly the items; 2 says that a reference is unique per order)',
    why: 'A shopper changes the bag and taps checkout again. The old bag, or a mixture, is not what they want to pay for.',
    remedy: 'Replace the whole bag, or refuse the second one and say so in the profile: expect.otherCart.',
    needs: SHOWN,
    run: async site => {
      const first = site.bag([0, 1], [1, 2])
      const second = { ...first, items: site.bag([2, 3], [0, 4]).items }
      await site.judge(await site.visit(site.write(first)), { status: '2xx', items: first.items })
      const { otherCart: status } = site.profile.expect
      await site.judge(await site.visit(site.write(second)), { status, items: second.items })
    }
  }
]
