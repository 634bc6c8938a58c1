// What a shopper sees in real Chromium, with one profile throughout: exactly the transferred bag, also after a second
// transfer, a reload and Back. In `npm test` by one option; the kit does the same to the demo merchants by each.
import t from 'tap'
import { jsonDescription } from '../../src/transfer/json-description/json-description.ts'
import { asksForPage } from '../../src/transfer/option.ts'
import { inTurn } from '../nightly.ts'
import { bag, goBackTo, leadsBack, openShopView, showsBag } from './shop-view.ts'
import { webViewOptions } from './views.ts'

for (const option of inTurn(webViewOptions, 2)) {
  t.test(
    `option ${option.name}: the page shows exactly the transferred bag, after a second one, a reload and Back`,
    async t => {
      const view = await openShopView(t, option)
      const { page, transfer } = view
      // A returning shopper: an old session of the shop's own must make no difference.
      await view.context.addCookies([{ name: 'session', value: 'old-login', domain: '127.0.0.1', path: '/' }])
      const first = bag(1, ['MUG', 2], ['THROW', 1], ['MUG', 3])
      const second = bag(2, ['CLOCK', 1], ['BASKET', 4])
      const changed = bag(1, ['ROPE', 9])
      const hostile = bag(4, ['<script>alert("sku")</script>', 1], ['a+b c', 2], ['ソ-☕', 3])
      let dialogs = 0
      page.on('dialog', dialog => {
        dialogs++
        return dialog.dismiss()
      })

      await transfer(first)
      await showsBag(t, view, first, 'exactly the items, with a SKU on two lines as two lines')
      t.equal(await page.title(), 'Checkout – The Shop')
      t.equal(await page.getAttribute('[data-total]', 'data-total'), '12745')
      await page.reload()
      await showsBag(t, view, first, 'a reload shows the same')

      await transfer(second)
      await showsBag(t, view, second, 'a second bag in the same profile shows only itself')
      await goBackTo(view, 'http')
      await showsBag(t, view, first, 'Back shows the first bag, not a mixture or a browser error')
      await page.reload()
      await showsBag(t, view, first, 'so does a reload there')

      await transfer(changed)
      await showsBag(t, view, changed, 'another bag under the same reference replaces the first')
      await transfer(bag(3, ['LAMP', 1], ['NOWHERE', 1]))
      if (asksForPage(option)) {
        t.match(await page.textContent('h1'), 'Some items in your bag aren’t available right now')
        t.strictSame(await view.lines(), [], 'a refused bag shows no line')
        t.match(await page.textContent('main'), /Brass lantern[\s\S]*NOWHERE/)
        await leadsBack(t, view)
        await transfer(second)
        await goBackTo(view, 'http')
        t.strictSame(await view.lines(), [], 'Back to a refused bag shows the refusal, and no line of another bag')
        t.match(await page.textContent('h1'), 'Some items in your bag aren’t available right now')
        await goBackTo(view, 'http')
      }
      await showsBag(t, view, changed, 'after a refused bag, Back shows the last accepted one')

      await transfer(hostile)
      await showsBag(t, view, hostile, 'every character arrives')
      const [script] = await view.lines()
      t.match(script?.text, '<script>alert("title")</script> & "quotes" \u202eRTL ☕')
      t.equal(await page.locator('main script').count(), 0)
      t.equal(dialogs, 0)
      t.strictSame(view.violations, [], 'no violation of the content security policy')
    }
  )
}

t.test('option 1: a described GET with cookies and headers opens the checkout', async t => {
  const view = await openShopView(t, jsonDescription, {
    transfer: {
      description: {
        httpMethod: 'GET',
        headers: [{ name: 'X-Channel', value: 'app' }],
        cookies: [{ name: 'channel', value: 'app', path: '/', isHttpOnly: true, expiresAfterMinutes: 60 }]
      }
    }
  })
  const now = Date.now()
  view.tick(now - Date.parse('2026-11-20T10:00:00Z'))
  const sent = new Promise<Record<string, string>>(resolve => {
    view.page.on('request', request => {
      if (request.isNavigationRequest()) resolve(request.allHeaders())
    })
  })
  await view.context.addCookies([{ name: 'old-login', value: '1', domain: '127.0.0.1', path: '/' }])
  const cart = bag(1, ['MUG', 1])
  await view.transfer(cart)
  await showsBag(t, view, cart, 'the page shows the bag')
  t.match(await sent, { 'x-channel': 'app', cookie: 'channel=app' })
  const [cookie] = await view.context.cookies()
  t.match(cookie, { name: 'channel', httpOnly: true, secure: false })
  t.equal(cookie?.expires, Math.floor(now / 1000) + 60 * 60)
})
