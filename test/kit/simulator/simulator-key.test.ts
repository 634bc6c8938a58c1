// The key of the simulator: without it nothing is there, whoever asks and however; with it, one click opens the page.
import { request } from 'node:http'
import t, { type Test } from 'tap'
import { reachable } from '../../../src/kit/simulator/simulator-key.ts'
import type { Merchant } from '../../../src/merchant/merchant.ts'
import { type Build, buildListening, merchantFile, SIMULATOR_KEY, simulatorCookie, uuid } from '../../build.ts'
import { listen } from '../../listen.ts'
import { answerTo } from '../../raw-http.ts'

const TOKEN = 'a-token-of-at-least-thirty-two-characters'

/** A shop that asks who calls, and has no public address. */
const open = (t: Test, parts: Build = {}) =>
  buildListening(t, {
    merchants: [
      merchantFile('1', {
        publicUrl: '/shop',
        transfer: { authentication: { type: 'bearer', secretVariables: ['SHOP_TOKEN'] } }
      })
    ],
    variables: { SHOP_TOKEN: TOKEN },
    simulator: {},
    ...parts
  })

const bagOf = (reference: string) =>
  JSON.stringify({ items: [{ sku: 'MUG', quantity: 1 }], currency: 'GBP', reference })

/** As nginx forwards over HTTP/1.1 unless told otherwise: to the Host that it knows, and without a word of who asks. */
function forwardTo(t: Test, port: number) {
  return listen(t, (incoming, outgoing) => {
    const { method, url: path, headers } = incoming
    const onward = request({ port, method, path, headers: { ...headers, host: `127.0.0.1:${port}` } }, answer => {
      outgoing.writeHead(answer.statusCode ?? 0, answer.headers)
      answer.pipe(outgoing)
    })
    incoming.pipe(onward)
  })
}

t.test('through a proxy that cannot be told from this machine, a stranger sends no bag with the secret', async t => {
  const { app, port, store } = await open(t)
  const { origin } = await forwardTo(t, port)
  const headers = { 'content-type': 'application/json' }
  const payload = {
    merchant: 'shop',
    sender: 'platform',
    request: {
      method: 'POST',
      url: `${app.listeningOrigin}/shop/cart`,
      headers: [{ name: 'Content-Type', value: 'application/json' }],
      body: bagOf(uuid())
    }
  }
  t.equal((await fetch(`${origin}/shop/cart`, { method: 'POST', headers, body: bagOf(uuid()) })).status, 401)
  t.equal((await fetch(`${origin}/simulator`)).status, 404)
  const send = (more: object) =>
    fetch(`${origin}/simulator/requests`, {
      method: 'POST',
      headers: { ...headers, ...more },
      body: JSON.stringify(payload)
    })
  t.equal((await send({})).status, 404)
  t.equal(await store.newestCheckout('shop', uuid()), undefined)
  t.equal((await send(simulatorCookie(app))).status, 200, 'with the key it does')
  t.ok(await store.newestCheckout('shop', uuid()))
})

t.test('without the key, every address of it is answered as one that does not exist, whatever the method', async t => {
  const { port } = await open(t, { rateLimit: { requestsPerMinute: 1000, trustedProxies: [] } })
  const paths = [
    ...['/simulator', '/simulator/', '/simulator?key=', `/simulator?key=${SIMULATOR_KEY}x`, '/simulator?key=%E0%A4%A'],
    ...[
      '/simulator/simulator.js',
      '/simulator/products?merchant=shop',
      '/simulator/frames/x',
      '/simulator//',
      '/SIMULATOR'
    ],
    ...['/simulator/transfers', '/simulator/requests', `/simulator/requests#key=${SIMULATOR_KEY}`, '/%73imulator']
  ]
  const more = [
    ...['Accept: text/html', 'Content-Type: application/json\r\nContent-Length: 2', 'Host: localhost'],
    ...[
      '',
      `=${SIMULATOR_KEY}`,
      '-0',
      `-${port}`,
      `-${port}=`,
      `-${port}=${SIMULATOR_KEY}x`,
      `-1${port}=${SIMULATOR_KEY}`
    ].map(text => `Cookie: simulator${text}`),
    `Cookie: xsimulator-${port}=${SIMULATOR_KEY}`,
    `Authorization: Bearer ${SIMULATOR_KEY}`
  ]
  const varying = /^(date|x-ratelimit-(remaining|reset)): .*\r\n|"requestId":"[^"]*"|reference number: [\w-]+/gim
  const ask = async (method: string, path: string, header: string) => {
    const host = header.startsWith('Host') ? '' : 'Host: shop.example\r\n'
    const body = header.includes('Length') ? '{}' : ''
    const answer = await answerTo(port, `${method} ${path} HTTP/1.1\r\n${host}${header}\r\n\r\n${body}`)
    return answer.replaceAll(varying, '')
  }
  for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND', 'QUERY']) {
    for (const [i, path] of paths.entries()) {
      const header = String(more[i % more.length])
      for (const sent of i === 0 ? more : [header]) {
        const nowhere = await ask(method, path.replace(/simulator(?!\.)/i, 'simulated'), sent)
        t.equal(await ask(method, path, sent), nowhere, `${method} ${path} ${sent}`)
        t.match(nowhere, /^HTTP\/1\.1 404 /)
      }
    }
  }
})

t.test('the address with the key leaves a cookie, and leads to the page without it', async t => {
  const { app, logs } = await open(t)
  const { cookie } = simulatorCookie(app)
  const visit = (query: string, headers = {}) =>
    fetch(`${app.listeningOrigin}/simulator${query}`, { redirect: 'manual', headers })
  const first = await visit(`?key=${SIMULATOR_KEY}`)
  t.match(first, { status: 303 })
  t.match(Object.fromEntries(first.headers), {
    location: '/simulator',
    'cache-control': 'no-store',
    'set-cookie': `${cookie}; Path=/simulator; HttpOnly; SameSite=Lax`
  })
  t.equal(
    (await visit(`?key=${SIMULATOR_KEY}`, { 'x-forwarded-proto': 'https' })).headers.get('set-cookie'),
    `${first.headers.get('set-cookie')}; Secure`
  )
  const page = await visit('', { cookie: `a=b; ${cookie}; c=d` })
  t.equal(page.status, 200)
  t.notOk((await page.text()).includes(SIMULATOR_KEY), 'the page does not have it')
  t.equal((await visit('?key=old', { cookie })).status, 303, 'an old address still leads there')
  t.notOk(JSON.stringify(logs).includes(SIMULATOR_KEY), 'nor has the log')
})

t.test('two servers of a machine, whose cookies a browser sends to both, do not keep each other out', async t => {
  const one = await open(t)
  const other = await open(t, { simulator: { key: SIMULATOR_KEY.toUpperCase() } })
  const cookies = [`simulator-${other.port}=${SIMULATOR_KEY.toUpperCase()}`, simulatorCookie(one.app).cookie]
  for (const { app } of [one, other]) {
    for (const cookie of [cookies.join('; '), cookies.toReversed().join('; ')]) {
      t.equal((await fetch(`${app.listeningOrigin}/simulator`, { headers: { cookie } })).status, 200)
    }
  }
  t.equal((await fetch(`${other.app.listeningOrigin}/simulator?key=${SIMULATOR_KEY}`)).status, 404)
})

t.test('a cookie of the same name that another server of the machine has set keeps nobody out', async t => {
  const { app } = await open(t)
  const { cookie } = simulatorCookie(app)
  const planted = cookie.replace(/=.*/, '=planted')
  for (const both of [`${planted}; ${cookie}`, `${cookie}; ${planted}`]) {
    t.equal((await fetch(`${app.listeningOrigin}/simulator`, { headers: { cookie: both } })).status, 200)
  }
})

t.test('where a bag is paid is reached if an answer leads there, and it is on this machine', async t => {
  const own = 'http://127.0.0.1:3000'
  const { route } = reachable(() => own, false)
  const [form, page] = [`${own}/shop/checkout/a`, 'http://127.0.0.1:4242/c/pay/1']
  const shop = { id: 'shop', path: '/shop' } as Merchant
  const paid = { ...shop, payment: {} } as Merchant
  t.equal(route(paid, page, undefined), undefined, 'nothing has led there')
  t.equal(route(shop, page, form), undefined, 'the merchant takes no payment')
  t.equal(route(paid, 'https://checkout.stripe.com/c/pay/1', form), undefined, 'that page needs scripts')
  t.strictSame(route(paid, page, form), {})
  t.strictSame(route(paid, page, undefined), {}, 'what is pressed there')
  t.strictSame(route(paid, form, page), { connectTo: own }, 'the way back')
})
