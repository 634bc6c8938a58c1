// A checkout that expires while the shopper types, in real Chromium: placing it says so and orders nothing, and Back and
// reload lead to a page of the shop's, by two options to a new checkout.
import t, { type Test } from 'tap'
import type { Cart } from '../../src/cart/cart.ts'
import { fillIn, followSteps, formAction, isCheckout, isConfirmed, keeps, placeButton, SELLS } from './shopper.ts'
import { bag, stand } from './stand.ts'
import { describedGet, describedPost, goBack, posted, queried, type Way } from './ways.ts'

/** A transfer that is sent again is a new checkout; a token that is sent again is the old one. */
type Shown = 'the form as it was' | 'that it has expired' | 'a new checkout'

const EXPECTED: { way: Way; back: Shown; reload: Shown }[] = [
  { way: describedPost, back: 'the form as it was', reload: 'that it has expired' },
  { way: describedGet, back: 'that it has expired', reload: 'that it has expired' },
  { way: posted, back: 'the form as it was', reload: 'a new checkout' },
  { way: queried, back: 'a new checkout', reload: 'a new checkout' }
]

const DAY = 24 * 60 * 60 * 1000
const AMOUNTS = { subTotal: '25.00', discount: '0.00', delivery: '9.95', total: '34.95' }

for (const { way, back, reload } of EXPECTED) {
  t.test(way.name, async t => {
    const view = await stand(t, way.option, { ...SELLS, ...way.changes })
    const { page, handOver, tick, orders } = view
    const steps = followSteps(view)

    /** Opens a checkout and fills it in; then it expires. @returns where its form is sent */
    const letExpire = async (cart: Cart) => {
      await handOver(cart)
      await fillIn(page)
      tick(DAY)
      return formAction(page)
    }
    const saysExpired = async (t: Test) => {
      await page.getByRole('heading', { name: 'This checkout has expired', exact: true }).waitFor()
      t.match(steps.at(-1), { status: 410 })
      t.match(await page.textContent('main'), 'Nothing has been ordered. Go back to the app and tap checkout again.')
      t.equal(await page.getByRole('link', { name: 'Back to the app' }).getAttribute('href'), 'shop://continue')
      t.strictSame(await view.lines(), [])
    }
    const place = async (t: Test) => {
      await placeButton(page).click()
      await saysExpired(t)
    }
    const is: Record<Shown, (t: Test, cart: Cart, expired: string) => Promise<void>> = {
      'the form as it was': async (t, cart, expired) => {
        await keeps(t, view, cart)
        t.equal(await formAction(page), expired)
        await place(t)
      },
      'that it has expired': saysExpired,
      'a new checkout': async (t, cart, expired) => {
        await isCheckout(t, view, cart)
        t.not(await formAction(page), expired)
        await fillIn(page)
        await placeButton(page).click()
        const number = await isConfirmed(t, view, cart.reference, AMOUNTS)
        t.ok(orders().includes(number), 'it can be ordered')
      }
    }
    const ordersOf = (...shown: Shown[]) => shown.filter(what => what === 'a new checkout').length

    await t.test(`placing says that it has expired, and Back from there shows ${back}`, async t => {
      const cart = bag(1, ['MUG', 2])
      const expired = await letExpire(cart)
      await place(t)
      await goBack(t, view, way.backFinds)
      await is[back](t, cart, expired)
      t.equal(orders().length, ordersOf(back))
    })

    await t.test(`a reload shows ${reload}`, async t => {
      const cart = bag(2, ['MUG', 2])
      const expired = await letExpire(cart)
      await page.reload()
      await is[reload](t, cart, expired)
      t.equal(orders().length, ordersOf(back, reload))
    })
    t.strictSame(view.violations, [], 'nothing on the pages breaks their own policy')
  })
}
