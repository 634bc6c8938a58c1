// The web view that plays the app: a described request is sent exactly, even if no form would encode it like that.
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import t from 'tap'
import { openWebView } from '../../../src/kit/browser/web-view.ts'
import { chromiumPath } from '../../browser/chromium-path.ts'

t.test('a body is sent byte for byte, from a page with an opaque origin, with the described headers', async t => {
  const requests: { body: string; origin: string | undefined; type: string | undefined; channel: unknown }[] = []
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    const { origin, 'content-type': type, 'x-channel': channel } = request.headers
    requests.push({ body, origin, type, channel })
    response.writeHead(200, { 'Content-Type': 'text/html' }).end('<title>Here</title>')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  const view = await openWebView({ executablePath: chromiumPath() })
  t.teardown(view.close)
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/checkout`
  const bodies = ['token=x', 'a=b+c&a=%2B', '{"token":"x y"}', 'items[0][sku]=%zz&', 'ü']
  for (const body of bodies) {
    const headers = [{ name: 'X-Channel', value: 'app' }]
    const response = await view.open({ method: 'POST', url, headers, body, cookies: [] })
    t.equal(response.status(), 200)
    t.equal(await view.page.title(), 'Here')
  }
  const posts = requests.filter(({ type }) => type !== undefined)
  t.strictSame(
    posts.map(({ body }) => body),
    bodies
  )
  for (const { origin, type, channel } of posts) {
    t.strictSame([origin, type, channel], ['null', 'application/x-www-form-urlencoded', 'app'])
  }
})

t.test('a browser that cannot start leaves nothing behind', async t => {
  const profiles = () => readdirSync(tmpdir()).filter(name => name.startsWith('cart-transfer-profile-'))
  const before = profiles()
  await t.rejects(openWebView({ executablePath: '/none/such', blocksCookies: true }))
  t.strictSame(
    profiles().filter(name => !before.includes(name)),
    []
  )
})
