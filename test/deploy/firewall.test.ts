// nginx with ModSecurity and the Core Rule Set, as config/deploy/firewall/ says: what honest apps, shoppers and shops send
// passes, each piece of it would be refused without our exclusions, and attacks on anything else are refused as before.
import { createHmac } from 'node:crypto'
import { chmodSync, existsSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import Stripe from 'stripe'
import t from 'tap'
import type { Item } from '../../src/cart/cart.ts'
import { signatureHeaders } from '../../src/secrets.ts'
import { transferOptions } from '../../src/transfer/index.ts'
import { jsonDescription } from '../../src/transfer/json-description/json-description.ts'
import { asksForPage, type TransferOption } from '../../src/transfer/option.ts'
import { buildListening, FEED, merchantFile, uuid } from '../build.ts'
import { SHOP_SECRET, shopFile } from '../integrations/destination/own-shop.ts'
import { AUTHORITY } from '../kit/certificates/tls-server.ts'
import { freePort } from '../listen.ts'
import { PAYMENT, SECRET } from '../pages/paying-shop.ts'
import { valuesOf } from '../pages/read-page.ts'
import { ADA, formOf, titleOf } from '../pages/shopper.ts'
import { until } from '../until.ts'
import { ATTACKS, HARMLESS, MARKUP, SKUS, TYPED } from './firewall-traffic.ts'
import { FORM } from './site.ts'
import { startNginx } from './start-nginx.ts'

const JSON_TYPE = { 'content-type': 'application/json' }

setDefaultCACertificates([...getCACertificates(), AUTHORITY])
const port = await freePort()
const origin = `https://localhost:${port}`
const idOf = ({ name }: TransferOption) => `shop-${name.toLowerCase()}`
const at = (id: string) => ({ id, publicUrl: `${origin}/${id}` })
const hook = shopFile('1', 'https://shop.example', at('hook'))
const { url, secretVariable } = hook.checkout.destination
const server = await buildListening(t, {
  isNow: true,
  feed: `${FEED}\n${[...SKUS, 'ORA-1001'].map(sku => `"${sku.replaceAll('"', '""')}"\tTee\t\tin_stock\t5.00 GBP\t`).join('\n')}`,
  merchants: [
    ...transferOptions.map(option =>
      merchantFile(option.name, {
        ...at(idOf(option)),
        transfer: { maxItems: 900 },
        checkout: { giftNote: true }
      })
    ),
    merchantFile('2A', { ...at('paying'), checkout: { payment: PAYMENT } }),
    hook,
    {
      ...hook,
      ...at('woo'),
      checkout: { ...hook.checkout, destination: { type: 'woocommerce', url, secretVariable } }
    }
  ],
  variables: { SHOP_SECRET, STRIPE_KEY: 'sk_test_ofAShop123', STRIPE_SECRET: SECRET }
})
const replicas = [server.port, server.port]
// Not t.testdir: another file of the same process makes it anew.
const folder = mkdtempSync(join(tmpdir(), 'cart-transfer-firewall-'))
t.teardown(() => rmSync(folder, { recursive: true, force: true }))
// Started by root, nginx opens its logs again as www-data.
chmodSync(folder, 0o755)
const site = await startNginx(t, { folder: join(folder, 'excluding'), port, replicas, firewall: 'excluding' })
const plain = await startNginx(t, {
  folder: join(folder, 'plain'),
  port: await freePort(),
  replicas,
  firewall: 'plain'
})

let next = 1
const cartOf = (items: Item[]) => ({ items, currency: 'GBP', reference: uuid(next++) })

async function send(option: TransferOption, items: Item[], to = origin): Promise<Response> {
  const { url, method, headers = [], body } = option.request(cartOf(items), `${to}/${idOf(option)}/cart`)
  const named = headers.map(({ name, value }): [string, string] => [name, value])
  return fetch(url, { method, headers: named, ...(body !== undefined && { body }) })
}

/** The page that a bag leads to, and its address. */
async function open(option: TransferOption, items: Item[]) {
  const answer = await send(option, items)
  const text = await answer.text()
  if (asksForPage(option)) return { url: answer.url, html: text }
  const { continue_url: link, url, httpMethod, body } = JSON.parse(text)
  if (link !== undefined) {
    const page = await fetch(link)
    return { url: page.url, html: await page.text() }
  }
  return { url, html: await (await fetch(url, { method: httpMethod, headers: FORM, body })).text() }
}

const post = (path: string, fields: object, to = origin, headers: object = {}) =>
  fetch(new URL(path, to), {
    method: 'POST',
    headers: { ...FORM, ...headers },
    body: `${new URLSearchParams({ ...fields })}`
  })

const bagOf = (skus: string[]) => skus.map(sku => ({ sku, quantity: 1 }))

t.test('bags with any SKU reach their page by each option, and an order leaves that page', async t => {
  for (const option of transferOptions) {
    const { url, html } = await open(option, bagOf(SKUS))
    t.strictSame(valuesOf(html, 'data-sku'), SKUS, option.name)
    const form = formOf(html)
    const answer = await post(String(form?.action), { ...form?.fields, ...ADA }, origin, { referer: url })
    t.equal(titleOf(await answer.text()), 'Order complete – The Shop')
  }
})

t.test('without the exclusions, each of these SKUs is refused', async t => {
  // In a path they are letters and digits.
  for (const option of transferOptions.filter(({ encoding }) => encoding !== 'path')) {
    for (const sku of SKUS) {
      const { status } = await send(option, bagOf([sku]), plain.origin)
      t.equal(status === 403, !HARMLESS.includes(sku), `${option.name}: ${sku}`)
    }
  }
  const referer = `${origin}/cart?item_0_sku=${encodeURIComponent('tee "or" mug')}`
  t.equal((await post('/cart', {}, plain.origin, { referer })).status, 403)
})

t.test('a page with an SKU like an error of Oracle’s is sent whole', async t => {
  const option = transferOptions.find(({ name }) => name === '2A') as TransferOption
  t.strictSame(valuesOf((await open(option, bagOf(['ORA-1001']))).html, 'data-sku'), ['ORA-1001'])
  await t.rejects(send(option, bagOf(['ORA-1001']), plain.origin), 'not without our exclusions')
})

/** Of no checkout. */
const TOKEN = `m${'0'.repeat(31)}`

t.test('shoppers order with what they are called, and write, in any language', async t => {
  const option = transferOptions.find(({ name }) => name === '2A') as TransferOption
  const orders = Math.max(...Object.values(TYPED).map(({ length }) => length))
  for (let i = 0; i < orders; i++) {
    const typed = Object.fromEntries(Object.entries(TYPED).map(([field, texts]) => [field, texts[i % texts.length]]))
    const form = formOf((await open(option, bagOf(['MUG']))).html)
    const sent = { ...form?.fields, ...ADA, ...typed }
    const answers = [await post(String(form?.action), sent)]
    // A phone number or an email that looks wrong stops an order once.
    const again = formOf(await (answers[0] as Response).clone().text())
    if (again) answers.push(await post(again.action, { ...again.fields, ...sent }))
    t.equal(titleOf(await (answers.at(-1) as Response).text()), 'Order complete – The Shop', JSON.stringify(typed))
  }
  const meant = await post(`/shop-2a/checkout/${TOKEN}`, { use: "d'or@gmail.com" })
  t.equal(meant.status, 404, 'an email that was offered')
})

t.test('without the exclusions, each of these texts is refused', async t => {
  for (const [field, texts] of Object.entries(TYPED)) {
    for (const text of texts) {
      t.equal((await post(`/shop-2a/checkout/${TOKEN}`, { [field]: text }, plain.origin)).status, 403, text)
    }
  }
})

t.test('a bag of 900 lines with prices passes, and a larger one, or one with attacks, is too big', async t => {
  const body = (lines: number) =>
    Array.from({ length: lines }, (_, i) => `items[${i}][sku]=MUG&items[${i}][quantity]=1&items[${i}][price]=12.50`)
      .concat(`currency=GBP&reference=${uuid(next++)}`)
      .join('&')
  const sendLines = (lines: number, to = origin) =>
    fetch(`${to}/shop-2a/cart`, { method: 'POST', headers: FORM, body: body(lines) })
  t.equal((await sendLines(333, plain.origin)).status, 400)
  t.equal(valuesOf(await (await sendLines(900)).text(), 'data-sku').length, 900)
  const answer = await sendLines(1000)
  t.match([answer.status, await answer.text()], [413, '<h1>Your bag has too many items for one order</h1>'])
  // They would take nginx longer than anybody waits.
  const attacks = await fetch(`${origin}/shop-2a/cart`, {
    method: 'POST',
    headers: FORM,
    body: `${body(330)}&x=1 or 1=1--`.repeat(2)
  })
  t.equal(attacks.status, 413)
})

t.test('what Stripe and the merchant’s shop sign passes, whatever is in it', async t => {
  const name = '株式会社; exec time & "or" 1 or 1=1'
  const sendJson = (path: string, payload: object, sign: (body: string) => object, to = origin) => {
    const body = JSON.stringify(payload)
    return fetch(to + path, { method: 'POST', headers: { ...JSON_TYPE, ...sign(body) }, body })
  }
  const object = { id: 'ch_1', object: 'charge', billing_details: { name } }
  const event = { id: 'evt_1', object: 'event', type: 'charge.updated', data: { object } }
  const byStripe = (payload: string) => ({
    'stripe-signature': Stripe.webhooks.generateTestHeaderString({ payload, secret: SECRET })
  })
  const report = {
    number: '1001',
    reference: uuid(next++),
    currency: 'GBP',
    items: bagOf(SKUS),
    total: '60.00'
  }
  const byHook = (body: string) => ({ ...signatureHeaders(SHOP_SECRET, 'msg_1', body, new Date()) })
  const [, draft] = JSON.parse(
    readFileSync(join(import.meta.dirname, '../integrations/destination/woocommerce/webhooks.json'), 'utf8')
  )
  // As many values as an order of WooCommerce with 200 lines has.
  const meta_data = Array.from({ length: 2000 }, (_, id) => ({ id, key: 'note', value: name }))
  const order = { ...JSON.parse(draft.body), billing: { company: name }, meta_data }
  const byWoo = (body: string) => ({
    'x-wc-webhook-topic': 'order.updated',
    'x-wc-webhook-signature': createHmac('sha256', SHOP_SECRET).update(body).digest('base64')
  })
  const all: [string, object, (body: string) => object, number][] = [
    ['/paying/payments/stripe', event, byStripe, 200],
    ['/hook/orders', report, byHook, 201],
    ['/woo/orders/woocommerce', order, byWoo, 200]
  ]
  for (const [path, payload, sign, status] of all) {
    const answer = await sendJson(path, payload, sign)
    t.equal(answer.status, status, `${path}: ${await answer.text()}`)
    const refused = await sendJson(path, payload, sign, plain.origin)
    t.ok([400, 403].includes(refused.status), path)
    const inspected = await sendJson(`${path}?x=1%27%20or%201=1`, payload, sign)
    t.ok([403, 413].includes(inspected.status), 'with a query')
  }
})

/** Every place but those that exclusions are for. */
const PLACES: Record<string, (text: string) => Promise<Response>> = {
  'a query': text => fetch(`${origin}/shop-2a/cart?q=${encodeURIComponent(text)}`),
  'a query beside a bag': text =>
    fetch(`${origin}/shop-2b/cart?item_0_sku=MUG&currency=${encodeURIComponent(text)}&reference=${uuid()}`),
  'the name in a query': text => fetch(`${origin}/shop-2a/checkout/${TOKEN}?name=${encodeURIComponent(text)}`),
  'the name elsewhere': text => post('/shop-2a/cart', { name: text }),
  'a price': text => post('/shop-2a/cart', { 'items[0][sku]': 'MUG', 'items[0][price]': text }),
  'a field like the SKU': text => post('/shop-2a/cart', { 'items[0][sku][a]': text }),
  'a reference': text => {
    const body = JSON.stringify({ ...cartOf(bagOf(['MUG'])), reference: text })
    return fetch(`${origin}/shop-1/cart`, { method: 'POST', headers: JSON_TYPE, body })
  },
  'a token': text => post('/shop-1/checkout', { token: text }),
  'a postcode': text => post(`/shop-2a/checkout/${TOKEN}`, { ...ADA, postcode: text }),
  'an unknown field': text => post(`/shop-2a/checkout/${TOKEN}`, { ...ADA, note: text })
}

t.test('attacks on anything else are refused, and markup everywhere', async t => {
  for (const [place, send] of Object.entries(PLACES)) {
    for (const text of ATTACKS) t.equal((await send(text)).status, 403, `${text} as ${place}`)
  }
  for (const text of MARKUP) {
    for (const field of Object.keys(TYPED)) {
      t.equal((await post(`/shop-2a/checkout/${TOKEN}`, { [field]: text })).status, 403, `${text} as ${field}`)
    }
  }
  const headers = { cookie: 'a=1%27%20or%201=1--', referer: '<script>alert(1)</script>', 'user-agent': 'sqlmap/1.5' }
  for (const [name, value] of Object.entries(headers)) {
    t.equal((await fetch(`${origin}/shop-2a`, { headers: { [name]: value } })).status, 403, name)
  }
  // A client would make a plain path of it.
  const path = '/shop-2b/..%2fcart?item_0_sku=MUG'
  const status = await new Promise(resolve =>
    request(origin, { path }, answer => resolve(answer.resume().statusCode)).end()
  )
  t.equal(status, 403, path)
})

t.test('whoever is refused is told what to do, in their language, with a code that the log has', async t => {
  const attack = { name: '<script>alert(1)</script>', email: ADA.email }
  const codes: string[] = []
  for (const language of ['ar', 'de', 'en', 'es', 'fr', 'ja']) {
    const said = JSON.parse(readFileSync(join(import.meta.dirname, `../../src/messages/${language}.json`), 'utf8'))
    const headers = { 'accept-language': language }
    const order = await (await post(`/shop-2a/checkout/${TOKEN}`, attack, origin, headers)).text()
    const code = /<bdi>([0-9a-f]{32})</.exec(order)?.[1] ?? 'none'
    codes.push(code)
    const line = said.request.replace('{id}', `<bdi>${code}</bdi>`)
    t.match(order, `<h1>${said['order-not-placed']}</h1>`)
    t.match(order, /<p>[^<]*&lt;[^<]*&gt;[^<]*<\/p>/)
    t.match(order, `<p>${line}</p>`)
    t.match(
      await (await post('/shop-2a/cart', attack, origin, headers)).text(),
      `<h1>${said['not-now']}</h1><p>${said['change-bag']}</p>`
    )
  }
  const cart = { ...cartOf(bagOf(['MUG'])), currency: attack.name }
  for (const body of [JSON.stringify(cart), '{"items":']) {
    const answer = await fetch(`${origin}/${idOf(jsonDescription)}/cart`, { method: 'POST', headers: JSON_TYPE, body })
    t.match(answer.headers.get('content-type'), 'application/problem+json')
    const problem = (await answer.json()) as { detail: string }
    t.match([answer.status, problem], [403, { type: 'about:blank', status: 403 }])
    codes.push(/under ([0-9a-f]{32})\.$/.exec(problem.detail)?.[1] ?? 'none')
  }
  const file = join(folder, 'excluding/firewall.log')
  const log = () => readFileSync(file, 'utf8')
  /** The ids of the rules that the log has under a code. */
  const rulesOf = (code = '') =>
    Array.from(log().matchAll(new RegExp(`\\[id "(\\d+)"\\].*\\[unique_id "${code}"\\]`, 'g')), ([, id]) => id)
  t.strictSame(rulesOf(codes.pop()), ['47003'], 'malformed')
  // What found it, and last what refused it.
  for (const code of codes) t.match(rulesOf(code).join(), /941110,.*949110$/)
  t.notMatch(log(), ADA.email)
  t.notMatch(log(), /accept-language/i)
  t.equal(site.errorLog().replaceAll(/.*setrlimit.*\n/g, ''), '')
  // As logrotate does it.
  renameSync(file, `${file}.1`)
  process.kill(Number(readFileSync(join(folder, 'excluding/nginx.pid'), 'utf8')), 'SIGUSR1')
  const isNewLog = () => existsSync(file) && log().includes('[id "949110"]')
  await until('the new log', async () => (await post('/shop-2a/cart', attack)) && isNewLog())
})
