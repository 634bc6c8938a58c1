// Plain `npm start`: one of its shops is paid at a stand-in for Stripe, which nobody else gets.
import t from 'tap'
import { freePort } from '../../listen.ts'
import { formOf } from '../../pages/shopper.ts'
import { startShop } from '../../running-shop.ts'
import { startServer } from '../../server-process.ts'

/** Prints whatever is loaded of the demo, and of the SDK of Stripe. */
const PRINT_LOADED = `
  import { registerHooks } from 'node:module'
  registerHooks({ load: (url, context, next) => {
    if (/\\/src\\/(demo|kit\\/payment)\\/|\\/node_modules\\/stripe\\//.test(url)) console.error('loaded ' + url)
    return next(url, context)
  } })`

const MAY = { email: 'may@example.com', name: 'May Day', address1: 'Am Kai 1', city: 'Hamburg', postcode: '20457' }

t.test('a bag of the shop that takes payment is an order once it is paid, another shop’s at once', async t => {
  const folder = t.testdir({})
  let [port, next] = [await freePort(), await freePort()]
  while (next !== port + 1) [port, next] = [next, await freePort()]
  const env = { PORT: String(port), METRICS_PORT: String(next) }
  const { origin, printed, output, logs, stop } = await startServer(t, {
    ...{ folder, env, preload: PRINT_LOADED, coverage: true }
  })
  t.equal((await fetch(`http://127.0.0.1:${next}/metrics`)).status, 200, 'metrics have the port that they were given')
  const buy = async (shop: string) => {
    const curl = printed.find(({ address }) => address.includes(shop))?.curl ?? ''
    const [, body, address = ''] = /(?:--data-raw '([^']*)' )?'([^']*)'$/.exec(curl) ?? []
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const page = await fetch(address, body === undefined ? {} : { method: 'POST', headers, body })
    const { action = '', fields } = formOf(await page.text()) ?? {}
    const typed = { ...MAY, state: '東京都', ...(shop === 'kissa' && { postcode: '100-0001' }) }
    const form = new URLSearchParams({ ...fields, ...typed })
    const sent = await fetch(origin + action, { method: 'POST', body: form, redirect: 'manual' })
    t.equal(sent.status, 303, await sent.text())
    return String(sent.headers.get('location'))
  }
  t.match(await buy('kissa'), /^\/kissa\/checkout\/[^/]+\/complete\?order=/, 'it takes no payment')

  const paymentPage = await buy('werft')
  t.match(
    output().err,
    `\nA stand-in for Stripe, where Werft & Faden's shoppers pay: no money moves\n  ${new URL(paymentPage).origin}\n`
  )
  t.match(await (await fetch(paymentPage)).text(), /<strong>No money moves<\/strong>.*<h1>Pay Werft &amp; Faden<\/h1>/s)
  const paid = await fetch(paymentPage, { method: 'POST', body: new URLSearchParams({ action: 'pay' }) })
  t.match(paid.url, new RegExp(`^${origin}/werft/checkout/[^/]+/complete\\?order=`))
  t.match(await paid.text(), /<title>Order complete/)
  t.match(await stop(), { code: 0 })
  const orders = logs().filter(({ msg }) => msg === 'order')
  t.match(orders, [{ merchant: 'kissa' }, { merchant: 'werft', payment: /-1$/, state: 'paid' }])
  t.match(output().err, /loaded .*\/kit\/payment\/payment-double.ts\nloaded /)
  t.notMatch(output().out, /sk_test_|whsec_/, 'no secret is logged')
})

t.test('a start with merchant files loads none of it', async t => {
  const { output, stop } = await startShop(t, { preload: PRINT_LOADED })
  await stop()
  t.match(output().err, /^\nThe Shop: option 1.*\n$/s)
  t.notMatch(output().err, 'loaded ')
})
