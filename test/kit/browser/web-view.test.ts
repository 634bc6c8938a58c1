// The web view that plays the app: a described request is sent exactly, even if no form would encode it like that.
import { readdirSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { mock } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import t from 'tap'
import { screenshot, webViews } from '../../../src/kit/browser/web-view.ts'
import { DEFAULT_SELECTORS } from '../../../src/kit/conformance/profile.ts'
import { sharedViews } from '../../browser/shared-views.ts'
import { chromiumPath, policyViolations, viewsFor } from '../../browser/views.ts'
import { listen } from '../../listen.ts'

t.test('a body is sent byte for byte, from a page with an opaque origin, with the described headers', async t => {
  const requests: { body: string; origin: string | undefined; type: string | undefined; channel: unknown }[] = []
  const site = await listen(t, async (request, response) => {
    const body = await text(request)
    const { origin, 'content-type': type, 'x-channel': channel } = request.headers
    requests.push({ body, origin, type, channel })
    response.writeHead(200, { 'Content-Type': 'text/html' }).end('<title>Here</title>')
  })
  const view = await sharedViews().open()
  t.teardown(view.close)
  const url = `${site.origin}/checkout`
  const bodies = ['token=x', 'a=b+c&a=%2B', '{"token":"x y"}', 'items[0][sku]=%zz&', 'ü']
  for (const body of bodies) {
    const headers = [{ name: 'X-Channel', value: 'app' }]
    const response = await view.open({ method: 'POST', url, headers, body, cookies: [] })
    t.equal(response.status(), 200)
    t.equal(await view.page.title(), 'Here')
  }
  // Whatever sends it again, sends the same.
  await view.page.reload()
  do await view.page.goBack()
  while (view.page.url().startsWith('data:'))
  bodies.push('ü', 'items[0][sku]=%zz&')
  const posts = requests.filter(({ type }) => type !== undefined)
  t.strictSame(
    posts.map(({ body }) => body),
    bodies
  )
  for (const { origin, type, channel } of posts) {
    t.strictSame([origin, type, channel], ['null', 'application/x-www-form-urlencoded', 'app'])
  }
})

t.test('on a screenshot of a whole page, a bar at the bottom of the screen is at the end of the page', async t => {
  const bar = '<p style="position:fixed;bottom:0;left:0;width:100%;height:50px;margin:0;background:#00f">'
  const page = `<!doctype html><body style="height:3000px;margin:0;background:#fff">${bar}`
  const headers = [{ name: 'Content-Type', value: 'text/html' }]
  const url = 'http://shop.example/cart'
  const answer = { url, status: 200, statusText: 'OK', headers, body: Buffer.from(page), milliseconds: 1 }
  const png = Buffer.from(await screenshot(answer, chromiumPath())).toString('base64')
  const view = await sharedViews().open()
  t.teardown(view.close)
  const blueRows = await view.page.evaluate(`fetch('data:image/png;base64,${png}')
    .then(image => image.blob()).then(createImageBitmap).then(image => {
      const context = document.createElement('canvas').getContext('2d')
      Object.assign(context.canvas, { width: 1, height: image.height })
      context.drawImage(image, 0, 0)
      const { data } = context.getImageData(0, 0, 1, image.height)
      return Array.from({ length: image.height }, (_, row) => row).filter(row => data[row * 4] === 0)
    })`)
  t.strictSame(
    blueRows,
    Array.from({ length: 50 }, (_, i) => 2950 + i)
  )
})

t.test("what breaks a page's Content-Security-Policy is noted, and nothing else that it logs", async t => {
  const policy = "script-src 'unsafe-inline'; img-src 'none'"
  const site = await listen(t, async (_request, response) => {
    const headers = { 'Content-Type': 'text/html', 'Content-Security-Policy': policy }
    response.writeHead(200, headers).end('<script>console.log("Hello")</script><img src="/mug.svg">')
  })
  const view = await sharedViews().open()
  t.teardown(view.close)
  const violations = policyViolations(view.page)
  const noted = view.page.waitForEvent('console', message => message.text().includes('mug.svg'))
  await view.open({ method: 'GET', url: site.origin, headers: [] })
  await noted
  t.match(violations, { length: 1, 0: "img-src 'none'" })
})

t.test('a browser that cannot start leaves nothing behind', async t => {
  // In a folder of its own: other tests open and close browsers meanwhile.
  const folder = t.testdir({})
  const { TMPDIR } = process.env
  process.env.TMPDIR = folder
  t.teardown(() => {
    if (TMPDIR === undefined) delete process.env.TMPDIR
    else process.env.TMPDIR = TMPDIR
  })
  const views = webViews('/none/such')
  await t.rejects(views.open({ blocksCookies: true }))
  await views.close()
  t.strictSame(
    readdirSync(folder).filter(name => name.startsWith('cart-transfer')),
    []
  )
})

t.test('a page that takes too long to parse is given up, and the next one is read', async t => {
  const views = viewsFor(t)
  const selectors = { ...DEFAULT_SELECTORS, line: 'b' }
  // Each element holds the text of all that follow.
  const html = '<b>'.repeat(400) + 'text '.repeat(4000)
  await t.rejects(views.read(html, selectors, 1), { message: /within 0\.001 s/ })
  t.match(await views.read('<b data-sku=MUG>', selectors), { lines: [{ sku: 'MUG' }] })
})

t.test('a browser that hangs does not keep anybody waiting for a view', async t => {
  const views = viewsFor(t)
  const { page } = await views.open()
  const session = await page.context().browser()?.newBrowserCDPSession()
  const { processInfo } = (await session?.send('SystemInfo.getProcessInfo')) ?? { processInfo: [] }
  const browser = Number(processInfo.find(({ type }) => type === 'browser')?.id)
  process.kill(browser, 'SIGSTOP')
  t.teardown(() => process.kill(browser, 'SIGCONT'))
  mock.timers.enable({ apis: ['setTimeout'] })
  t.teardown(() => mock.timers.reset())
  const opened = t.rejects(views.open(), { message: /within 30 s/ })
  await setImmediate()
  mock.timers.tick(30_000)
  await opened
})
