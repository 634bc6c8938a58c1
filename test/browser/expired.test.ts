// A checkout that expires while the shopper types, in real Chromium: placing the order shows that it has expired and
// orders nothing. Back and reload show a page of the shop; with two options, a new checkout.
import t, { type Test } from 'tap'
import type { Cart } from '../../src/cart/cart.ts'
import { describedGet, describedPost, goBack, type Navigation, posted, queried } from './navigations.ts'
import { bag, openShopView } from './shop-view.ts'
import { fillIn, followSteps, formAction, isCheckout, isConfirmed, keepsForm, placeButton, SELLS } from './shopper.ts'

/** A transfer that is sent again opens a new checkout; a token that is sent again, the old one. */
type Shown = 'the form as it was' | 'that it has expired' | 'a new checkout'

const EXPECTED: { navigation: Navigation; back: Shown; reload: Shown }[] = [
  { navigation: describedPost, back: 'the form as it was', reload: 'that it has expired' },
  { navigation: describedGet, back: 'that it has expired', reload: 'that it has expired' },
  { navigation: posted, back: 'the form as it was', reload: 'a new checkout' },
  { navigation: queried, back: 'a new checkout', reload: 'a new checkout' }
]

const DAY = 24 * 60 * 60 * 1000
const AMOUNTS = { subTotal: '25.00', discount: '0.00', delivery: '9.95', total: '34.95' }

for (const { navigation, back, reload } of EXPECTED) {
  t.test(navigation.name, async t => {
    const view = await openShopView(t, navigation.option, { ...SELLS, ...navigation.changes })
    const { page, transfer, tick, orders } = view
    const steps = followSteps(view)

    /** Opens a checkout, fills it in and lets it expire. @returns the action of its form */
    const letExpire = async (cart: Cart) => {
      await transfer(cart)
      await fillIn(page)
      tick(DAY)
      return formAction(page)
    }
    const showsExpired = async (t: Test) => {
      await page.getByRole('heading', { name: 'This checkout has expired', exact: true }).waitFor()
      t.match(steps.at(-1), { status: 410 })
      t.match(await page.textContent('main'), 'Nothing has been ordered. Go back to the app and tap checkout again.')
      t.equal(await page.getByRole('link', { name: 'Back to the app' }).getAttribute('href'), 'shop://continue')
      t.strictSame(await view.lines(), [])
    }
    const placeExpired = async (t: Test) => {
      await placeButton(page).click()
      await showsExpired(t)
    }
    const check: Record<Shown, (t: Test, cart: Cart, expired: string) => Promise<void>> = {
      'the form as it was': async (t, cart, expired) => {
        await keepsForm(t, view, cart)
        t.equal(await formAction(page), expired)
        await placeExpired(t)
      },
      'that it has expired': showsExpired,
      'a new checkout': async (t, cart, expired) => {
        await isCheckout(t, view, cart)
        t.not(await formAction(page), expired)
        await fillIn(page)
        await placeButton(page).click()
        const number = await isConfirmed(t, view, cart.reference, AMOUNTS)
        t.ok(orders().includes(number), 'it can be ordered from')
      }
    }
    const countOrders = (...shown: Shown[]) => shown.filter(page => page === 'a new checkout').length

    await t.test(
      `placing the order shows that the checkout has expired, and Back from there shows ${back}`,
      async t => {
        const cart = bag(1, ['MUG', 2])
        const expired = await letExpire(cart)
        await placeExpired(t)
        await goBack(t, view, navigation.backLoadsFrom)
        await check[back](t, cart, expired)
        t.equal(orders().length, countOrders(back))
      }
    )

    await t.test(`a reload shows ${reload}`, async t => {
      const cart = bag(2, ['MUG', 2])
      const expired = await letExpire(cart)
      await page.reload()
      await check[reload](t, cart, expired)
      t.equal(orders().length, countOrders(back, reload))
    })
    t.strictSame(view.violations, [], 'no violation of the content security policy')
  })
}
