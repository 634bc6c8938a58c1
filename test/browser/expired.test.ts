// A checkout that expires while the shopper types, in real Chromium: placing the order shows that it has expired and
// orders nothing. Back and reload show a page of the shop; with two options, a new checkout.
import t, { type Test } from 'tap'
import type { Cart } from '../../src/cart/cart.ts'
import { goBack, navigations } from './navigations.ts'
import { bag, openShopView } from './shop-view.ts'
import {
  clickThrough,
  fillIn,
  followSteps,
  formAction,
  isCheckout,
  isConfirmed,
  keepsForm,
  placeButton,
  SELLS
} from './shopper.ts'

const DAY = 24 * 60 * 60 * 1000
const AMOUNTS = { subTotal: '25.00', discount: '0.00', delivery: '9.95', total: '34.95' }

for (const { name, option, changes, reloadTransfers } of navigations) {
  t.test(name, async t => {
    const view = await openShopView(t, option, { ...SELLS, ...changes })
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
      await clickThrough(page, placeButton(page))
      await showsExpired(t)
    }
    await t.test(
      'placing the order shows that the checkout has expired, and Back shows the form as it was',
      async t => {
        const cart = bag(1, ['MUG', 2])
        const expired = await letExpire(cart)
        await placeExpired(t)
        await goBack(t, view)
        await keepsForm(t, view, cart)
        t.equal(await formAction(page), expired)
        await placeExpired(t)
        t.strictSame(orders(), [])
      }
    )

    await t.test(`a reload shows ${reloadTransfers ? 'a new checkout' : 'that it has expired'}`, async t => {
      const cart = bag(2, ['MUG', 2])
      const expired = await letExpire(cart)
      await page.reload()
      if (!reloadTransfers) return showsExpired(t)
      await isCheckout(t, view, cart)
      t.not(await formAction(page), expired)
      await fillIn(page)
      await placeButton(page).click()
      t.strictSame([await isConfirmed(t, view, cart.reference, AMOUNTS)], orders(), 'it can be ordered from')
    })
    t.strictSame(view.violations, [], 'no violation of the content security policy')
  })
}
