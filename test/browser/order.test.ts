// From the bag to the confirmation in real Chromium, with every option: mistakes, a double click, a reload and the same
// bag again result in one order, which the app recognises. The page has no script, so one option without scripts stands
// for all; in `npm test` it is the only one, as order-form.test.ts and the simulator order with scripts.
import t from 'tap'
import { inTurn } from '../nightly.ts'
import { bag, openShopView, showsBag } from './shop-view.ts'
import { clickThrough, fill, followSteps, isConfirmed, MAY, POSTCODE, placeButton, SELLS } from './shopper.ts'
import { webViewOptions } from './views.ts'

const PERSONAL = /may(@|%40)|quay.street|whitby|yo21(\+|%20)1aa/i

const SCRIPTS_OFF = '2A'

for (const option of inTurn(webViewOptions, 1)) {
  const javaScriptEnabled = option.name !== SCRIPTS_OFF
  t.test(`option ${option.name}, scripts ${javaScriptEnabled ? 'on' : 'off'}: a bag becomes one order`, async t => {
    const view = await openShopView(t, option, SELLS, { javaScriptEnabled })
    const { page, transfer, orders } = view
    const steps = followSteps(view)
    const first = bag(1, ['MUG', 2], ['CLOCK', 1])

    await transfer(first)
    t.equal(await page.getAttribute('[data-total]', 'data-total'), '14950', 'the first delivery method is included')
    t.match(await page.textContent('main'), 'Pay on delivery')
    await fill(page, { ...MAY, Email: 'may.example.com', Address: '' })
    await page.getByLabel('Express').check()
    await clickThrough(page, placeButton(page))

    t.match(steps.at(-1), { method: 'POST', status: 422 })
    t.notMatch(await page.title(), 'Order complete')
    const summary = page.getByRole('alert').getByRole('link')
    t.strictSame(await summary.allInnerTexts(), [
      'Enter an email address such as name@example.com',
      'Enter your address',
      'Enter your postcode'
    ])
    t.ok(await page.getByLabel('Express').isChecked(), 'the delivery method is kept')
    t.equal(await page.getAttribute('[data-total]', 'data-total'), '15495')

    await fill(page, { ...MAY, ...POSTCODE })
    await placeButton(page).dblclick()
    const amounts = { subTotal: '145.00', discount: '0.00', delivery: '9.95', total: '154.95' }
    const number = await isConfirmed(t, view, first.reference, amounts)
    t.match(steps.at(-2), { method: 'POST', status: 303 }, 'placing the order redirects with 303')
    t.match(steps.at(-1), { method: 'GET', path: `/complete?order=${number}`, status: 200 })
    await showsBag(t, view, first, 'the confirmation shows the bag')
    t.strictSame(orders(), [number], 'a double click places one order')
    await page.reload()
    t.equal(await isConfirmed(t, view, first.reference, amounts), number, 'a reload shows the same order')

    await transfer(first)
    t.match(await page.textContent('h1'), 'You’ve already placed this order')
    await page.getByRole('link', { name: number }).click()
    t.equal(await isConfirmed(t, view, first.reference, amounts), number, 'the same bag again leads to its order')

    t.strictSame(view.violations, [], 'no violation of the content security policy')
    t.strictSame([...view.origins], [new URL(page.url()).origin], 'nothing is requested from another origin')
    t.strictSame(
      steps.filter(({ path }) => PERSONAL.test(path)),
      [],
      'no URL contains personal data'
    )
  })
}
