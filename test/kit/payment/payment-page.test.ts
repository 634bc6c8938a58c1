// The page of the stand-in for Stripe, in real Chromium, on a phone and without scripts.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import t from 'tap'
import { sharedViews } from '../../browser/shared-views.ts'
import { policyViolations } from '../../browser/views.ts'
import { listen } from '../../listen.ts'
import { openDouble, sessionParams } from './open-double.ts'

const AXE = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')
const VIOLATIONS =
  'axe.run().then(({ violations }) => violations.map(({ id, nodes }) => id + nodes.map(({ html }) => html)))'

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()

t.test('on the page a shopper pays, has a card declined, pays later, or goes back', async t => {
  const shop = await listen(t, (request, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end(`<!doctype html><title>Shop</title>${request.url}`)
  })
  const { double, stripe, tick } = await openDouble(t, { shopName: 'Harbour Goods' })
  const { page, close } = await sharedViews().open({ javaScriptEnabled: false })
  t.teardown(close)
  const violations = policyViolations(page)
  const urls = { success_url: `${shop.origin}/paid?session={CHECKOUT_SESSION_ID}`, cancel_url: `${shop.origin}/bag` }
  const open = async (changes: object = {}, currency = 'gbp') => {
    const { id, url } = await stripe.checkout.sessions.create(sessionParams({ ...urls, ...changes }, currency))
    await page.goto(String(url))
    return id
  }
  const isPaid = async (id: string) => {
    t.equal(page.url(), `${shop.origin}/paid?session=${id}`)
    return (await stripe.checkout.sessions.retrieve(id)).payment_status
  }
  const text = () => page.innerText('body')

  await t.test('pay', async t => {
    const id = await open()
    t.match(
      await text(),
      /No money moves\s+This is a stand-in for Stripe[\s\S]*Pay Harbour Goods\s+£29\.90[\s\S]*Mug\s+2 × £12\.50\s+£25\.00\s+Delivery\s+£4\.90\s+may@example\.com/
    )
    await press(page, 'Pay')
    t.equal(await isPaid(id), 'paid')
    await page.goto(`${double.origin}/c/pay/${id}`)
    t.match(await text(), 'This has been paid.')
    t.strictSame(await page.getByRole('button').allInnerTexts(), ['Refund', 'Dispute'])
    await page.getByRole('link', { name: 'Back to the shop' }).click()
    t.equal(await isPaid(id), 'paid')
  })

  await t.test('decline, then pay', async t => {
    const id = await open()
    await press(page, 'Have the card declined')
    t.equal(await page.getByRole('alert').innerText(), 'Your card was declined. Nothing was charged.')
    await press(page, 'Pay')
    t.equal(await isPaid(id), 'paid')
  })

  await t.test('pay later, and the money arrives or does not', async t => {
    for (const [name, status, end] of [
      ['Let the money arrive', 'paid', 'This has been paid.'],
      ['Let the payment fail', 'unpaid', 'This was not paid: the money did not come.']
    ] as const) {
      const id = await open({ locale: 'ja' }, 'jpy')
      await press(page, 'Pay later')
      t.equal(await isPaid(id), 'unpaid')
      const { payment_intent } = await stripe.checkout.sessions.retrieve(id)
      const { next_action } = await stripe.paymentIntents.retrieve(String(payment_intent))
      await page.goto(String(next_action?.konbini_display_details?.hosted_voucher_url))
      t.match(await text(), '￥2,990')
      await press(page, name)
      t.match(await text(), end)
      t.equal((await stripe.checkout.sessions.retrieve(id)).payment_status, status)
    }
  })

  await t.test('cancel, and what cannot be paid any more', async t => {
    const id = await open({ customer_email: undefined, locale: 'auto' })
    await page.getByRole('link', { name: 'Back to the shop without paying' }).click()
    t.equal(page.url(), `${shop.origin}/bag`)
    t.equal((await stripe.checkout.sessions.retrieve(id)).status, 'open')
    await page.goBack()
    tick(24 * 60)
    await press(page, 'Pay')
    t.match(await text(), 'This page has expired. Nothing was charged.')
    t.equal(page.url(), `${double.origin}/c/pay/${id}`)
    t.equal((await stripe.checkout.sessions.retrieve(id)).status, 'expired')

    await open({ cancel_url: undefined, locale: undefined }, 'sek')
    t.strictSame(
      await page.getByRole('button').allInnerTexts(),
      ['Pay', 'Have the card declined'],
      'SEK has no method that is paid later'
    )
    t.equal(await page.getByRole('link').count(), 0)
    t.equal((await page.goto(`${double.origin}/c/pay/cs_test_none`))?.status(), 404)
    t.equal((await page.goto(double.origin))?.status(), 404)
  })
  t.strictSame(violations, [])
})

t.test('everybody can read it, on narrow screens too', async t => {
  const { double, stripe } = await openDouble(t)
  const { page, close } = await sharedViews().open()
  t.teardown(close)
  const name = 'A cardigan with a long name, knitted in Scotland from undyed wool, in the colour of driftwood'
  const line_items = Array.from({ length: 3 }, () => ({
    quantity: 3,
    price_data: { currency: 'eur', unit_amount: 9_999_999, product_data: { name } }
  }))
  const { id, url } = await stripe.checkout.sessions.create(sessionParams({ line_items }))
  double.act(id, 'decline')
  for (const [width, colorScheme] of [
    [390, 'light'],
    [320, 'dark']
  ] as const) {
    await page.setViewportSize({ width, height: 844 })
    await page.emulateMedia({ colorScheme })
    await page.goto(String(url))
    await page.reload()
    t.equal(await page.evaluate('document.documentElement.scrollWidth'), width)
    await page.evaluate(AXE)
    t.strictSame(await page.evaluate(VIOLATIONS), [], `${width} px, ${colorScheme}`)
  }
})
