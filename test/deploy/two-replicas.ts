// `npm run test:replicas`: the behaviour suites with two stores on one PostgreSQL in turn; then the conformance kit for each
// option, orders at once, and orders while replicas are stopped and killed, against two replicas behind nginx, which sends
// bags to them in turn. It prints a table.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { transferOptions } from '../../src/transfer/index.ts'
import { uuid } from '../build.ts'
import { AUTHORITY_FILE } from '../kit/certificates/tls-server.ts'
import { ROOT, runNode } from '../node-process.ts'
import { sharedPostgres } from '../postgres.ts'
import { allSuites } from '../store/all-suites.ts'
import { inTurn } from '../store/in-turn.ts'
import { addColumns, openTested } from '../store/postgres/opened.ts'
import type { OpenStore } from '../store/store-suite.ts'
import { startSite } from './site.ts'

/** The demo merchants: one for each option. */
const DEMOS = ['harbour', 'werft', 'kissa']
const SUBMITS = 50
const SHOPPERS = 12
/** How often a replica is stopped or killed, in turn, and how many orders there are before each time. */
const STOPS = 12
const ORDERS_PER_STOP = 20

const read = (name: string) => readFileSync(join(ROOT, 'config', name), 'utf8')

t.setTimeout(600_000)
const folder = t.testdir({})
const databaseUrl = await (await sharedPostgres()).newUrl()
const site = await startSite(t, {
  folder,
  databaseUrl,
  moreMerchants: origin =>
    DEMOS.map(name => {
      const merchant = { ...JSON.parse(read(`${name}.json`)), publicUrl: `${origin}/${name}` }
      // Nothing here would take it.
      delete merchant.checkout.payment
      const text = JSON.stringify(merchant).replaceAll(`"${name}/`, `"${join(ROOT, 'config', name)}/`)
      writeFileSync(join(folder, `${name}.json`), text)
      return `${name}.json`
    })
})
const rows: string[] = []

/** Adds a row: what was done, what came of it, and how many requests went to each replica since the last one. */
let counted = 0
function report(what: string, result: string): void {
  const entries = site.accessLog().entries.slice(counted)
  counted += entries.length
  const asked = entries.map(({ replicas }) => replicas.split(', '))
  const shares = site.addresses.map(address => asked.filter(([first]) => first === address).length)
  const again = asked.filter(({ length }) => length > 1).length
  const failed = entries.filter(({ status }) => status >= 500).length
  rows.push(`| ${[what, result, ...shares, again, failed].join(' | ')} |`)
}

await t.test('behaviour suites', async t => {
  const open: OpenStore = async t => inTurn([await openTested(t), await openTested(t)])
  allSuites(t, 'two in turn', open, open)
  await t.test('all', async () => {})
  report('behaviour suites of the store, two in turn', `${t.counts.pass} passed, ${t.counts.fail} failed`)
})

for (const name of DEMOS) {
  await t.test(`conformance kit: ${name}`, async t => {
    const profile = read(`${name}/conform.json`).replace('http://127.0.0.1:3000', site.origin)
    writeFileSync(join(folder, `${name}-profile.json`), profile)
    const env = { ...process.env, INIT_CWD: folder, NODE_EXTRA_CA_CERTS: AUTHORITY_FILE }
    const { code, stdout, stderr } = await runNode(['src/cli/conform.ts', `${name}-profile.json`], { env })
    t.equal(code, 0, stderr + stdout)
    const { option } = JSON.parse(profile)
    report(`\`npm run conform\`, option ${option}`, /^\d+ passed, .*$/m.exec(stdout)?.[0] ?? 'failed')
  })
}

let next = 1

for (const option of transferOptions) {
  await t.test(`option ${option.name}: submits at once make one order`, async t => {
    const reference = uuid(next++)
    const form = await site.open(option, reference)
    const submits = Array.from({ length: SUBMITS }, (_, i) => site.submit(form, site.addresses[i % 2]))
    const pages = await Promise.all(submits)
    t.strictSame(new Set(pages.map(({ status }) => status)), new Set([200]))
    t.equal(new Set(pages.map(({ url }) => new URL(url).searchParams.get('order'))).size, 1)
    const orders = (await site.ordered()).filter(ordered => ordered === reference).length
    t.equal(orders, 1)
    report(`${SUBMITS} submits at once, half to each replica, option ${option.name}`, `${orders} order`)
  })
}

await t.test('orders while replicas are stopped and killed: each is confirmed, and kept once', async t => {
  const { confirmed, kept } = await site.whileOrdering(SHOPPERS, async more => {
    for (let stops = 0; stops < STOPS; stops++) {
      await more(ORDERS_PER_STOP)
      // As a newer version does, between its stop and that of the other one.
      if (stops === 1) await addColumns(databaseUrl)
      await site.replicas[stops % 2]?.stop(stops % 4 < 2 ? 'SIGKILL' : 'SIGTERM')
      await site.startAgain(stops % 2)
    }
  })
  t.strictSame(kept, confirmed)
  report(
    `orders of ${SHOPPERS} shoppers, ${STOPS / 2} stops, ${STOPS / 2} \`kill -9\``,
    `${confirmed.length} confirmed, ${kept.length} kept`
  )
})

t.teardown(() => {
  const head = ['', 'result', 'to replica 1', 'to replica 2', 'sent to the other one', 'answered 5xx']
  console.error(`\n| ${head.join(' | ')} |\n|${'---|'.repeat(head.length)}\n${rows.join('\n')}\n`)
})
