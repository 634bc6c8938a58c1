// What a shopper sees, in real Chromium with one profile for everything: exactly the bag that was handed over, also
// the second time, after a reload, and after Back.
import t from 'tap'
import { transferOptions } from '../../src/transfer/index.ts'
import { jsonDescription } from '../../src/transfer/json-description/json-description.ts'
import { bag, goBackTo, shows, stand } from './stand.ts'

const HOSTILE = ['<script>alert("sku")</script>', ' a+b c ', 'ソ-☕']

for (const option of transferOptions) {
  t.test(`option ${option.name}`, async t => {
    const view = await stand(t, option)
    const { page, handOver } = view
    // The profile of a shopper who was here before: an old session of the shop's own must not come into it.
    await view.context.addCookies([{ name: 'session', value: 'old-login', domain: '127.0.0.1', path: '/' }])
    const first = bag(1, ['MUG', 2], ['THROW', 1], ['MUG', 3])
    const second = bag(2, ['CLOCK', 1], ['BASKET', 4])
    const changed = bag(1, ['ROPE', 9])

    await handOver(first)
    await shows(t, view, first, 'the page shows exactly the items, the same SKU on two lines as two')
    t.equal(await page.title(), 'Checkout – The Shop')
    t.equal(await page.getAttribute('[data-total]', 'data-total'), '12745')
    await page.reload()
    await shows(t, view, first, 'a reload shows the same')

    await handOver(second)
    await shows(t, view, second, 'a second bag in the same profile shows only itself')
    await goBackTo(view, 'http')
    await shows(t, view, first, 'Back shows the first bag, not a mixture and not an error of the browser')
    await page.reload()
    await shows(t, view, first, 'and so does a reload there')

    await handOver(changed)
    await shows(t, view, changed, 'the same reference with another bag shows only that')
    await handOver(bag(3, ['LAMP', 1], ['NOWHERE', 1]))
    if (option.answer === 'page') {
      t.match(await page.textContent('h1'), 'Some items in your bag cannot be bought right now')
      t.strictSame(await view.lines(), [], 'a refused bag shows no line')
      t.match(await page.textContent('main'), /Brass lantern[\s\S]*NOWHERE/)
      t.equal(await page.getAttribute('main .leave a', 'href'), 'shop://continue')
      await handOver(second)
      await goBackTo(view, 'http')
      t.strictSame(await view.lines(), [], 'Back to a refused bag shows it refused, and no line of another')
      t.match(await page.textContent('h1'), 'Some items in your bag cannot be bought right now')
      await goBackTo(view, 'http')
    }
    await shows(t, view, changed, 'Back from a refused bag shows the last good one')
    t.strictSame(view.violations, [], 'nothing on the pages breaks their own policy')
  })

  t.test(`option ${option.name}: hostile titles and SKUs print as text`, async t => {
    const view = await stand(t, option)
    const cart = bag(1, ...HOSTILE.map((sku, i): [string, number] => [sku, i + 1]))
    let dialogs = 0
    view.page.on('dialog', async dialog => {
      dialogs++
      await dialog.dismiss()
    })
    await view.handOver(cart)
    await shows(t, view, cart, 'every character arrives')
    const [script] = await view.lines()
    t.match(script?.text, '<script>alert("title")</script> & "quotes" \u202eRTL ☕')
    t.match(script?.text, '<script>alert("sku")</script>')
    t.equal(await view.page.locator('main script').count(), 0)
    t.equal(dialogs, 0)
  })

  t.test(`option ${option.name}: works with scripts off and asks no other origin`, async t => {
    const view = await stand(t, option, {}, { javaScriptEnabled: false })
    const cart = bag(1, ['MUG', 1], ['CLOCK', 2])
    await view.handOver(cart)
    t.equal(await view.page.locator('[data-sku]').count(), 2)
    t.equal(await view.page.getAttribute('[data-total]', 'data-total'), '25250')
    t.strictSame([...view.origins], [new URL(view.page.url()).origin])
  })
}

t.test('option 1: a described GET, cookies and headers work as the app carries them out', async t => {
  const view = await stand(t, jsonDescription, {
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
  await view.handOver(cart)
  await shows(t, view, cart, 'the page shows the bag')
  t.match(await sent, { 'x-channel': 'app', cookie: 'channel=app' })
  const [cookie] = await view.context.cookies()
  t.match(cookie, { name: 'channel', httpOnly: true, secure: false })
  t.equal(cookie?.expires, Math.floor(now / 1000) + 60 * 60)
})

t.test('the pages fit a narrow phone, at twice the text size too', async t => {
  const view = await stand(t, jsonDescription)
  await view.handOver(bag(1, ['THROW', 9999], ['<script>alert("sku")</script>', 1]))
  await view.page.setViewportSize({ width: 320, height: 640 })
  const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'
  t.equal(await view.page.evaluate(overflow), 0, 'no sideways scrolling at 320 px')
  await view.page.evaluate(
    "const sheet = new CSSStyleSheet(); sheet.replaceSync('html{font-size:200%}'); document.adoptedStyleSheets = [sheet]"
  )
  t.equal(await view.page.evaluate(overflow), 0, 'nor with text of twice the size')
})

t.test("an app's injected <style> works where the merchant allows it, and only there", async t => {
  const inject =
    "const style = document.createElement('style'); style.textContent = 'h1{display:none}'; document.head.append(style); getComputedStyle(document.querySelector('h1')).display"
  for (const appInjectsStyles of [true, false]) {
    const view = await stand(t, jsonDescription, { checkout: { appInjectsStyles } })
    await view.handOver(bag(1, ['MUG', 1]))
    t.equal(await view.page.evaluate(inject), appInjectsStyles ? 'none' : 'block')
    t.match(
      await view.page.evaluate("getComputedStyle(document.querySelector('.shop')).fontWeight"),
      '700',
      'our own style applies'
    )
  }
})
