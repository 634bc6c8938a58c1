// What a shopper sees in real Chromium, with one profile throughout: exactly the transferred bag, also after a second
// transfer, a reload and Back.
import t from 'tap'
import { jsonDescription } from '../../src/transfer/json-description/json-description.ts'
import { bag, goBackTo, openShopView, showsBag, webViewOptions } from './shop-view.ts'

const HOSTILE = ['<script>alert("sku")</script>', ' a+b c ', 'ソ-☕']

for (const option of webViewOptions) {
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
      if (option.answer === 'page') {
        t.match(await page.textContent('h1'), 'Some items in your bag aren’t available right now')
        t.strictSame(await view.lines(), [], 'a refused bag shows no line')
        t.match(await page.textContent('main'), /Brass lantern[\s\S]*NOWHERE/)
        t.equal(await page.getAttribute('main .leave a', 'href'), 'shop://continue')
        await transfer(second)
        await goBackTo(view, 'http')
        t.strictSame(await view.lines(), [], 'Back to a refused bag shows the refusal, and no line of another bag')
        t.match(await page.textContent('h1'), 'Some items in your bag aren’t available right now')
        await goBackTo(view, 'http')
      }
      await showsBag(t, view, changed, 'after a refused bag, Back shows the last accepted one')
      t.strictSame(view.violations, [], 'no violation of the content security policy')
    }
  )

  t.test(`option ${option.name}: hostile titles and SKUs appear as plain text`, async t => {
    const view = await openShopView(t, option)
    const cart = bag(1, ...HOSTILE.map((sku, i): [string, number] => [sku, i + 1]))
    let dialogs = 0
    view.page.on('dialog', async dialog => {
      dialogs++
      await dialog.dismiss()
    })
    await view.transfer(cart)
    await showsBag(t, view, cart, 'every character arrives')
    const [script] = await view.lines()
    t.match(script?.text, '<script>alert("title")</script> & "quotes" \u202eRTL ☕')
    t.equal(await view.page.locator('main script').count(), 0)
    t.equal(dialogs, 0)
  })

  t.test(`option ${option.name}: works without scripts, and requests nothing from another origin`, async t => {
    const view = await openShopView(t, option, {}, { javaScriptEnabled: false })
    const cart = bag(1, ['MUG', 1], ['CLOCK', 2])
    await view.transfer(cart)
    t.equal(await view.page.locator('[data-sku]').count(), 2)
    t.equal(await view.page.getAttribute('[data-total]', 'data-total'), '25250')
    t.strictSame([...view.origins], [new URL(view.page.url()).origin])
  })
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

t.test('the page fits a narrow phone, also at twice the text size', async t => {
  const view = await openShopView(t, jsonDescription)
  await view.transfer(bag(1, ['THROW', 9999], ['<script>alert("sku")</script>', 1]))
  await view.page.setViewportSize({ width: 320, height: 640 })
  const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'
  t.equal(await view.page.evaluate(overflow), 0, 'no horizontal scrolling at 320 px')
  await view.page.evaluate(
    "const sheet = new CSSStyleSheet(); sheet.replaceSync('html{font-size:200%}'); document.adoptedStyleSheets = [sheet]"
  )
  t.equal(await view.page.evaluate(overflow), 0, 'nor at twice the text size')
})

t.test("an app's injected <style> applies only if the merchant allows it", async t => {
  const inject =
    "const style = document.createElement('style'); style.textContent = 'h1{display:none}'; document.head.append(style); getComputedStyle(document.querySelector('h1')).display"
  for (const appInjectsStyles of [true, false]) {
    const view = await openShopView(t, jsonDescription, { checkout: { appInjectsStyles } })
    await view.transfer(bag(1, ['MUG', 1]))
    t.equal(await view.page.evaluate(inject), appInjectsStyles ? 'none' : 'block')
    t.match(
      await view.page.evaluate("getComputedStyle(document.querySelector('.shop')).fontWeight"),
      '700',
      'our own style applies'
    )
  }
})
