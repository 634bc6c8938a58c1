// Two replicas behind Caddy as config/deploy/ has it: as behind nginx, but for a limit of connections. Older versions of
// Caddy, such as Debian's, cannot send a body to a second replica, so what is killed here is only asked by GET.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { PROFILE_PATH } from '../../src/merchant/merchant.ts'
import { transferOptions } from '../../src/transfer/index.ts'
import { jsonDescription } from '../../src/transfer/json-description/json-description.ts'
import { asksForPage, type TransferOption } from '../../src/transfer/option.ts'
import { queryGet } from '../../src/transfer/query-get/query-get.ts'
import { ucp } from '../../src/transfer/ucp/ucp.ts'
import { OLDER } from '../../src/ucp/versions.ts'
import { uuid } from '../build.ts'
import { isNightly } from '../nightly.ts'
import { ROOT } from '../node-process.ts'
import { linesOf } from '../pages/read-page.ts'
import { PERSONAL, titleOf } from '../pages/shopper.ts'
import { sharedPostgres } from '../postgres.ts'
import { HELD_DRAIN } from '../server-process.ts'
import { until } from '../until.ts'
import { checkoutStays } from './checkout-stays.ts'
import { ITEMS, startSite } from './site.ts'
import { startCaddy } from './start-caddy.ts'
import { REPLICA } from './start-nginx.ts'

const { newUrl } = await sharedPostgres()
// Not t.testdir: another file of the same process makes it anew.
const folder = mkdtempSync(join(tmpdir(), 'cart-transfer-caddy-'))
t.teardown(() => rmSync(folder, { recursive: true, force: true }))
const site = await startSite(t, {
  folder,
  databaseUrl: await newUrl(),
  startProxy: startCaddy,
  server: { preload: HELD_DRAIN, env: { DRAIN_SECONDS: '60' } }
})
const { origin, replicas, accessLog, baseOf, send, order, statusFrom } = site
t.teardown(() => Promise.all(replicas.map(({ stop }) => stop('SIGKILL'))))

let next = 1

t.test('bags are ordered, and nothing of a token, a bag, an order or a person is in the log', async t => {
  for (const option of transferOptions) {
    const confirmation = await order(option, uuid(next++))
    t.equal(titleOf(confirmation), 'Order complete – The Shop', option.name)
    t.equal(linesOf(confirmation).length, ITEMS.length)
  }
  await until('the log of every request', () => accessLog().entries.length >= 18)
  const { text, entries } = accessLog()
  t.notMatch(text, /checkout|cart|sku|order=|%|authorization/i)
  for (const personal of PERSONAL) t.notOk(text.includes(personal))
  t.strictSame(
    [...new Set(entries.map(({ path }) => path))].filter(path => path !== '/simulator').sort(),
    transferOptions.map(({ name }) => `/shop-${name.toLowerCase()}`).sort()
  )
})

t.test('the server’s own limits are met before those of Caddy', async t => {
  const longest = `${queryGet.request({ items: ITEMS, currency: 'GBP', reference: uuid(next++) }, baseOf(queryGet)).url}&x=`
  const get = (length: number) => fetch(longest.padEnd(length, 'x'))
  t.equal((await get(2048)).status, 200)
  for (const length of [2049, 60_000]) t.equal((await get(length)).status, 414)
  const headers = { 'content-type': 'application/json' }
  const post = (bytes: number) => fetch(baseOf(jsonDescription), { method: 'POST', headers, body: ' '.repeat(bytes) })
  const server = await post(2 * 1024 * 1024)
  const type = 'urn:problem-type:cart-transfer:body-too-large'
  t.match([server.status, await server.json()], [413, { type, detail: /^(?!.*2 MiB)/ }])
  const caddy = await post(2 * 1024 * 1024 + 1)
  const refusal = (await caddy.json()) as object
  // Debian's Caddy may also take a body that is cut off at its limit for a replica that fails.
  if (caddy.status === 503) t.match(refusal, { type: 'about:blank', status: 503 })
  else t.match([caddy.status, refusal], [413, { type, status: 413 }])
  const large = { x: 'x'.repeat(60_000), y: 'y'.repeat(10_000) }
  t.equal((await fetch(baseOf(jsonDescription), { headers: large })).status, 431)
})

t.test('platforms find the profile of UCP at the root of the site, in each version', async t => {
  for (const path of ['', ...OLDER.map(version => `/${version}`)]) {
    const answer = await fetch(`${origin}${PROFILE_PATH}${path}`, { redirect: 'error' })
    t.equal(answer.status, 200)
    t.match(answer.headers.get('cache-control'), /^public, max-age=\d+$/)
    t.match(await answer.text(), `"endpoint":"${baseOf(ucp as TransferOption)}"`)
  }
})

t.test('an address that a client makes up does not count, and the checks are for the machine itself', async t => {
  const ask = async (forwarded: string) => {
    const answer = await fetch(baseOf(jsonDescription), { headers: { 'x-forwarded-for': forwarded } })
    return { replica: answer.headers.get(REPLICA), left: Number(answer.headers.get('x-ratelimit-remaining')) }
  }
  // Each replica counts for itself, and from the beginning in each minute: one may end in between.
  const areCounted = async () => {
    const before = new Map<string | null, number>()
    for (let i = 1; i <= 6; i++) {
      const { replica, left } = await ask(`192.0.2.${i}`)
      if (left !== (before.get(replica) ?? left + 1) - 1) return false
      before.set(replica, left)
    }
    return true
  }
  t.ok((await areCounted()) || (await areCounted()), 'all of them as one')
  const asked = new Set<string | null>()
  // One that was sent the bodies that were too large is left alone for a second.
  await until('both to be asked, although a client chooses one', async () => {
    const answer = await fetch(baseOf(jsonDescription), { headers: { 'cart-transfer-checkout': 'a' } })
    return asked.add(answer.headers.get(REPLICA)).size === 2
  })

  t.equal(await statusFrom('127.0.0.1', '/readyz'), 200)
  for (const path of ['/readyz', '//%72eadyz', '/healthz']) t.equal(await statusFrom('127.0.0.2', path), 403, path)
  t.equal((await fetch(`${origin}/simulator`)).status, 404)
})

// In `npm test` behind nginx alone.
if (isNightly) {
  t.test('a replica that is stopped under load costs no shopper an answer', async t => {
    const { confirmed, kept } = await site.whileOrdering(2, async more => {
      await more(10)
      const from = site.errorLog().length
      replicas[0]?.child.kill('SIGTERM')
      await until('Caddy to notice', () => {
        const lines = site.errorLog().slice(from).split('\n')
        return lines.some(line => line.includes('"status_code":503') && line.includes(`"${site.addresses[0]}"`))
      })
      // What it had sent there before it noticed is answered.
      await more(10)
      replicas[0]?.child.kill('SIGWINCH')
      await replicas[0]?.exited
      await more(10)
      await site.startAgain(0)
      await more(10)
    })
    t.strictSame(kept, confirmed, 'each order is there, once')
  })
}

t.test(
  'a checkout stays on one replica until that one is gone, and one that is killed costs no GET an answer',
  async t => {
    await checkoutStays(t, site, false)
    for (let i = 0; i < 10; i++) t.equal((await send(queryGet, uuid(next++))).status, 200)
  }
)

t.test('without a replica, a platform gets a problem and a shopper a page, in a language of the server’s', async t => {
  await Promise.all(replicas.map(({ stop }) => stop('SIGKILL')))
  for (const option of transferOptions) {
    const answer = await send(option, uuid(next++))
    const { status } = answer
    const headers = Object.fromEntries(answer.headers)
    const body = await answer.text()
    t.match({ status, headers }, { status: 503, headers: { 'retry-after': '5', 'cache-control': 'no-store' } })
    if (!asksForPage(option)) {
      t.match(headers['content-type'], 'application/problem+json')
      t.match(JSON.parse(body), { type: 'about:blank', status: 503, detail: /the same reference/ })
    } else t.equal(titleOf(body), 'Sorry, we can’t take your bag right now')
  }
  for (const language of ['ar', 'de', 'en', 'es', 'fr', 'ja']) {
    const said = JSON.parse(readFileSync(join(ROOT, `src/messages/${language}.json`), 'utf8'))
    const page = await (await fetch(origin, { headers: { 'accept-language': `${language}-XX,en;q=0.5` } })).text()
    t.match(page, `<html lang="${language}" dir="${language === 'ar' ? 'rtl' : 'ltr'}">`)
    t.match(page, `<h1>${said['not-now']}</h1><p>${said.wait}</p>`)
    const file = readFileSync(join(ROOT, 'config/deploy/caddy/Caddyfile'), 'utf8')
    t.ok(file.includes(`"${said['bag-too-large']}" "${said['change-bag']}"`))
  }
})
