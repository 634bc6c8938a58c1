// Paying in the simulator page, as `npm start` serves it, in real Chromium: declined, given up, paid later, and the money that
// then arrives; each exchange is a step.
import t from 'tap'
import { startServer } from '../server-process.ts'
import { until } from '../until.ts'
import { sharedViews } from './shared-views.ts'
import { policyViolations } from './views.ts'

const MAY = {
  email: 'may@example.com',
  name: 'May Day',
  address1: 'Am Kai 1',
  postcode: '20457',
  city: 'Hamburg'
}

/** Its frame runs no scripts, so those of a test look in from outside. */
const WARNING_SIZE = "getComputedStyle(document.querySelector('.banner strong')).fontSize"

t.test('the way from a bag to its payment and back is in the phone, and all of it in the steps', async t => {
  const { output, stop } = await startServer(t, { folder: t.testdir({}), coverage: true })
  const { page, close } = await sharedViews().open()
  t.teardown(close)
  const violations = policyViolations(page)
  await page.setViewportSize({ width: 1280, height: 800 })
  await page.goto(String(/\nSimulator: .*\n {2}(.*)\n/.exec(output().err)?.[1]))
  const frame = page.frameLocator('#view iframe')
  const press = (text: string) => frame.locator('button, a', { hasText: text }).first().dispatchEvent('click')
  const steps = () => page.locator('#step-list > li > h3').allInnerTexts()
  /** The steps since the last time, once one of them is the last that is expected. */
  let seen = 0
  const stepsUntil = async (last: string) => {
    await until(last, async () => (await steps()).slice(seen).includes(last))
    const added = (await steps()).slice(seen)
    seen += added.length
    return added
  }

  await page.getByLabel('Shop', { exact: true }).selectOption('werft')
  await page.getByLabel('Language').selectOption('en')
  t.match(await page.textContent('#meaning'), 'has to be paid first')
  await page.locator('#view .go').click()
  await frame.getByText(/pay on the next page/).waitFor()
  await stepsUntil('The shop’s page opens in the web view')
  for (const [id, text] of Object.entries(MAY)) await frame.locator(`[name=${id}]`).fill(text)
  await press('Buy now')
  const open = 'The payment page opens in the web view'
  t.strictSame(await stepsUntil(open), [
    'The shopper presses a button',
    'This server opens the payment',
    'The web view is led to the payment page',
    'The web view follows the redirect',
    open
  ])
  await frame.getByText('No money moves').waitFor()
  t.match(await frame.locator('html').evaluate(WARNING_SIZE), /^(2[4-9]|[3-9]\d)px$/, 'in large letters')

  await press('Have the card declined')
  await frame.getByText('Nothing was charged').waitFor()
  await press('Back to the shop without paying')
  await frame.getByText('You haven’t been charged.').waitFor()
  for (const [id, text] of Object.entries(MAY)) t.equal(await frame.locator(`[name=${id}]`).inputValue(), text)
  await press('Buy now')
  await frame.getByText('Pay later').waitFor()
  seen = (await steps()).length

  await press('Pay later')
  await frame.getByText('Your payment is on its way.').waitFor()
  const placed = 'This server sends the webhook order.placed'
  const later = await stepsUntil(placed)
  t.strictSame(
    later.filter(title => title !== placed),
    [
      'The shopper presses a button',
      'The payment provider notifies this server',
      'This server asks the payment provider',
      'The payment page redirects the web view',
      'The web view follows the redirect',
      'The shop redirects the web view',
      'The web view follows the redirect',
      'The next page opens in the web view'
    ]
  )
  await page.getByRole('button', { name: 'Open the payment page again' }).click()
  await frame.getByText('Let the money arrive').waitFor()
  await press('Let the money arrive')
  await frame.getByText('This has been paid.').waitFor()
  const arrived = await stepsUntil('This server sends the webhook order.paid')
  t.ok(arrived.includes('The payment provider notifies this server'))
  await press('Back to the shop')
  await frame.getByText('Your payment has arrived.').waitFor()
  t.match(await page.textContent('#sees'), 'order complete')

  t.notMatch(await page.content(), /sk_test_|whsec_/, 'no secret is shown')
  t.match(await page.content(), 'Bearer $WERFT_STRIPE_KEY')
  t.strictSame(violations, [])
  t.match(await stop(), { code: 0 })
})
