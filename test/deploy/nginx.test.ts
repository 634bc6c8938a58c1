// Two replicas behind nginx as config/deploy/ has it, with TLS: any replica serves any request, one that stops or is killed
// costs nobody an answer, and what nginx has to answer itself is said as the server says it.
import { readFileSync, writeFileSync } from 'node:fs'
import { connect } from 'node:http2'
import { join } from 'node:path'
import t from 'tap'
import { PROFILE_PATH } from '../../src/merchant/merchant.ts'
import { formPost } from '../../src/transfer/form-post/form-post.ts'
import { transferOptions } from '../../src/transfer/index.ts'
import { jsonDescription } from '../../src/transfer/json-description/json-description.ts'
import { asksForPage, type TransferOption } from '../../src/transfer/option.ts'
import { queryGet } from '../../src/transfer/query-get/query-get.ts'
import { ucp } from '../../src/transfer/ucp/ucp.ts'
import { OLDER } from '../../src/ucp/versions.ts'
import { merchantFile, uuid } from '../build.ts'
import { readDocument } from '../http/openapi/served-document.ts'
import { listen } from '../listen.ts'
import { linesOf } from '../pages/read-page.ts'
import { formOf, PERSONAL, titleOf } from '../pages/shopper.ts'
import { sharedPostgres } from '../postgres.ts'
import { until } from '../until.ts'
import { checkoutStays } from './checkout-stays.ts'
import { ITEMS, startSite } from './site.ts'

const { newUrl } = await sharedPostgres()
const folder = t.testdir({})
/** Answers with a higher price each time, so that each replica has another one. */
let price = 20
const dear = await listen(t, (_request, reply) => {
  price += 1
  reply.end(`id\ttitle\tprice\tavailability\nMUG\tMug\t${price} GBP\tin_stock`)
})
const site = await startSite(t, {
  folder,
  databaseUrl: await newUrl(),
  moreMerchants: origin => {
    const catalogue = { feed: dear.origin, refreshMinutes: 1440 }
    const file = { ...merchantFile('2A', { id: 'dear', publicUrl: `${origin}/dear` }), catalogue }
    writeFileSync(join(folder, 'dear.json'), JSON.stringify(file))
    return ['dear.json']
  }
})
const { origin, addresses, replicas, accessLog, errorLog, baseOf, send, order, statusFrom } = site

/** The replicas that were asked for each request since then, in order. */
const askedFrom = (start: number) =>
  accessLog()
    .entries.slice(start)
    .map(({ replicas }) => replicas)

/** As a replica has it. */
const document = await fetch(`http://${addresses[0]}/shop-${jsonDescription.name.toLowerCase()}/openapi.json`)
const { answerMistakes } = await readDocument(await document.text())

let next = 1

t.test('bags go to the replicas in turn, and each shows what the other has taken', async t => {
  const from = accessLog().entries.length
  for (const option of transferOptions) {
    const confirmation = await order(option, uuid(next++))
    t.equal(titleOf(confirmation), 'Order complete – The Shop', option.name)
    t.equal(linesOf(confirmation).length, ITEMS.length)
  }
  // Options 1 and links have a request more: bag, page, order, confirmation; a UCP cart has two, as its link leads on. Only the path
  // of the last two has a token, of links also that of the page.
  const requests = 4 + 3 + 3 + 4 + 4 + 5
  // nginx writes a line after the answer has been sent.
  await until('the log of every request', () => askedFrom(from).length >= requests)
  const asked = askedFrom(from)
  t.equal(asked.length, requests)
  const inTurn = [0, 1, 4, 7, 10, 14, 18].map(i => asked[i])
  const first = addresses.indexOf(String(inTurn[0]))
  t.ok(inTurn.every((replica, i) => replica === addresses[(first + i) % 2]))
})

t.test('nothing of a token, a bag, an order or a person is in the logs', async t => {
  const { text, entries } = accessLog()
  t.notMatch(text, /checkout|cart|sku|order=|%/i)
  for (const personal of PERSONAL) t.notOk(text.includes(personal))
  t.strictSame(
    [...new Set(entries.map(({ path }) => path))].sort(),
    transferOptions.map(({ name }) => `/shop-${name.toLowerCase()}`).sort()
  )
  t.equal(errorLog().replaceAll(/.*setrlimit.*\n/g, ''), '')
})

t.test('the server’s own limits are met before those of nginx', async t => {
  const longest = `${queryGet.request({ items: ITEMS, currency: 'GBP', reference: uuid(next++) }, baseOf(queryGet)).url}&x=`
  const get = (length: number) => fetch(longest.padEnd(length, 'x'))
  t.equal((await get(2048)).status, 200)
  for (const length of [2049, 60_000]) {
    const answer = await get(length)
    t.match([answer.status, await answer.text()], [414, 'Your bag has too many items for one order – The Shop'])
  }
  const json = { 'content-type': 'application/json' }
  const post = (bytes: number) =>
    fetch(baseOf(jsonDescription), { method: 'POST', headers: json, body: ' '.repeat(bytes) })
  const type = 'urn:problem-type:cart-transfer:body-too-large'
  const server = await post(2 * 1024 * 1024)
  t.match(
    [server.status, await server.json()],
    [413, { type, detail: 'The body may have at most 1089536 bytes; this one has more.' }]
  )
  const nginx = await post(2 * 1024 * 1024 + 1)
  t.match([nginx.status, await nginx.json()], [413, { type, title: 'The request body is too large', status: 413 }])
  const headers = { x: 'x'.repeat(60_000), y: 'y'.repeat(10_000) }
  t.equal((await fetch(baseOf(jsonDescription), { headers })).status, 431)
})

t.test('platforms find the profile of UCP at the root of the site, in each version', async t => {
  for (const path of ['', ...OLDER.map(version => `/${version}`)]) {
    const answer = await fetch(`${origin}${PROFILE_PATH}${path}`, { redirect: 'error' })
    t.equal(answer.status, 200)
    t.match(answer.headers.get('cache-control'), /^public, max-age=\d+$/)
    t.match(await answer.text(), `"endpoint":"${baseOf(ucp as TransferOption)}"`)
  }
})

t.test('pages are packed, over HTTP/2 too, and what nginx must not touch arrives as it was', async t => {
  const session = connect(origin)
  const stream = session.request({
    ':path': `/shop-2b/cart?item_0_sku=MUG&item_0_quantity=1&currency=GBP&reference=${uuid(next++)}`,
    'accept-encoding': 'gzip'
  })
  const headers = await new Promise<Record<string, unknown>>(resolve => stream.once('response', resolve))
  t.match(headers, { ':status': 200, 'content-encoding': 'gzip', vary: /Accept-Encoding/ })
  t.match(headers, { 'cache-control': /no-cache/, 'strict-transport-security': /max-age/ })
  stream.close()
  session.close()
})

t.test('an address that a client makes up does not count, and the checks are for the machine itself', async t => {
  const left = async (forwarded: string) => {
    const answer = await fetch(baseOf(jsonDescription), { headers: { 'x-forwarded-for': forwarded } })
    return Number(answer.headers.get('x-ratelimit-remaining'))
  }
  // Each replica counts for itself, and from the beginning in each minute: one may end in between.
  const areCounted = async () => {
    const [a = 0, b = 0, ...rest] = [await left('192.0.2.1'), await left('192.0.2.2'), await left('192.0.2.3')]
    return rest[0] === a - 1 && (await left('192.0.2.4')) === b - 1
  }
  t.ok((await areCounted()) || (await areCounted()), 'all of them as one')
  t.notMatch(replicas.map(({ output }) => output().out).join(''), 'TRUSTED_PROXIES')

  t.equal(await statusFrom('127.0.0.1', '/readyz'), 200)
  t.equal(await statusFrom('127.0.0.2', '/readyz'), 403)
  t.equal(await statusFrom('127.0.0.2', '//%72eadyz'), 403)
  t.equal(await statusFrom('127.0.0.2', '/healthz'), 403)
  t.equal((await fetch(`${origin}/simulator`)).status, 404)
})

t.test('a replica that is stopped, or killed, under load costs no shopper an answer', async t => {
  const begin = accessLog().entries.length
  const { confirmed, kept } = await site.whileOrdering(2, async more => {
    const goesOnWithout = async (replica: number, signal: 'SIGTERM' | 'SIGKILL') => {
      const from = accessLog().entries.length
      await replicas[replica]?.stop(signal)
      await more(10)
      await until(`requests for the one that got ${signal} to go to the other`, () =>
        askedFrom(from).some(asked => asked.startsWith(`${addresses[replica]}, `))
      )
    }
    await more(10)
    await goesOnWithout(0, 'SIGTERM')
    await site.startAgain(0)
    await goesOnWithout(1, 'SIGKILL')
    await site.startAgain(1)
  })
  t.strictSame(kept, confirmed, 'each order is there, once')
  const { entries } = accessLog()
  t.notOk(entries.slice(begin).some(({ status }) => status >= 500))
})

t.test('while replicas have other prices, a shopper is asked about one once', async t => {
  let asked = 0
  for (let i = 0; i < 12; i++) {
    const cart = { items: [{ sku: 'MUG', quantity: 1 }], currency: 'GBP', reference: uuid(next++) }
    const { url, headers = [], body = '' } = formPost.request(cart, `${origin}/dear/cart`)
    const bag = fetch(url, { method: 'POST', headers: headers.map(({ name, value }) => [name, value]), body })
    let form = formOf(await (await bag).text())
    const statuses: number[] = []
    while (form && statuses.length < 5) {
      const answer: Response = await site.submit(form)
      statuses.push(answer.status)
      form = answer.status === 200 ? undefined : formOf(await answer.text())
    }
    if (statuses.length > 1) asked += 1
    t.match(statuses.join(), /^(409,)?200$/)
  }
  t.ok(asked > 0, 'prices differ')
})

t.test('a checkout stays on one replica until that one is gone', t => checkoutStays(t, site))

t.test('without a replica, a platform gets a problem and a shopper a page, in a language of the server’s', async t => {
  await Promise.all(replicas.map(({ stop }) => stop()))
  for (const option of transferOptions) {
    const answer = await send(option, uuid(next++))
    const { status } = answer
    const headers = Object.fromEntries(answer.headers)
    const body = await answer.text()
    t.match({ status, headers }, { status: 503, headers: { 'retry-after': '5', 'cache-control': 'no-store' } })
    if (!asksForPage(option)) {
      t.match(headers['content-type'], 'application/problem+json')
      t.match(JSON.parse(body), { status: 503, detail: /the same reference/ })
      if (option === jsonDescription) t.strictSame(answerMistakes('/cart', { status, headers, body }), [], body)
    } else t.equal(titleOf(body), 'Sorry, we can’t take your bag right now')
  }
  for (const language of ['ar', 'de', 'en', 'es', 'fr', 'ja']) {
    const said = JSON.parse(readFileSync(join(import.meta.dirname, `../../src/messages/${language}.json`), 'utf8'))
    const ask = async (init: RequestInit) =>
      (await fetch(origin, { ...init, headers: { 'accept-language': `${language}-XX,en;q=0.5` } })).text()
    const unavailable = await ask({})
    t.match(unavailable, `<html lang="${language}" dir="${language === 'ar' ? 'rtl' : 'ltr'}">`)
    t.match(unavailable, `<h1>${said['not-now']}</h1><p>${said.wait}</p>`)
    const tooLarge = await ask({ method: 'POST', body: Buffer.alloc(3_000_000) })
    t.match(tooLarge, `<h1>${said['bag-too-large']}</h1><p>${said['change-bag']}</p>`)
  }
})
