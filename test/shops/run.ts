// `npm run test:shops`: installs real shops into a temporary folder, and tries our server before each of them: the whole
// conformance kit by every option, and what only a real shop can show. Only npm, and what fetches WordPress, leaves this machine.
import { join } from 'node:path'
import { type Command, runCommand, SWITCH, UsageError } from '../../src/cli/run-command.ts'
import { freePort } from '../listen.ts'
import { cases } from './cases.ts'
import { conform } from './conform.ts'
import { medusaShop } from './medusa/medusa.ts'
import { reportsTo, startMerchants } from './merchants.ts'
import { cleanUpAtExit, temporaryFolder } from './programs.ts'
import { recordAll } from './record.ts'
import { startRelay } from './relay.ts'
import { hasPassed, reportText, type ShopReport, writeReport } from './report.ts'
import { type Addresses, type PageRequest, type Shop, ShopLeftOut } from './shop.ts'
import { startStorefront } from './storefront.ts'
import { ucpCases } from './ucp-cases.ts'
import { vendureShop } from './vendure/vendure.ts'
import { woocommerceShop } from './woocommerce/woocommerce.ts'

/** A new shop is a folder next to these, its import and its name here. */
const shops: Shop[] = [vendureShop(), medusaShop(), woocommerceShop(process.env)]

const NAMES = shops.map(({ name }) => name).join(', ')

const FLAGS = { quick: SWITCH, write: SWITCH }

/** How long everything may take, in milliseconds. */
const TIMEOUT = 90 * 60_000

const translate = (text: string) => process.stderr.write(`${text}\n`)

async function tryShop(shop: Shop, folder: string, { isQuick, writes }: Mode): Promise<ShopReport> {
  const shopFolder = join(folder, shop.name)
  translate(`${shop.title}: install`)
  await shop.install(shopFolder)
  translate(`${shop.title}: fill, start`)
  const ourPort = await freePort()
  const reports = reportsTo(ourPort, shop.ways)
  await shop.prepare(shopFolder, reports)
  const port = await freePort()
  let program = await shop.start(shopFolder, port)
  const addresses: Addresses = { shop: `http://127.0.0.1:${port}`, page: '', otherHost: '' }
  const pagePort = await startStorefront(shop.ways, () => addresses)
  addresses.page = `http://127.0.0.1:${pagePort}`
  addresses.otherHost = `http://localhost:${pagePort}`
  if (writes) await recordAll(shop, addresses)

  const relay = await startRelay(port, shop.cartRequest)
  const behindRelay = { ...addresses, shop: `http://127.0.0.1:${relay.port}` }
  const ours = await startMerchants(shop, behindRelay, join(folder, `${shop.name}-merchants`), ourPort, reports)
  const report: ShopReport = {
    title: shop.title,
    at: new Date().toISOString().slice(0, 10),
    conformance: [],
    cases: []
  }
  const context = {
    goods: shop.goods,
    merchants: ours.merchants,
    ucp: ours.ucp,
    ours,
    shop: {
      reportedWay: shop.ways[shop.orders.way]?.title,
      order: (page: PageRequest) => shop.orders.place(page, addresses),
      holdCart: relay.holdAnswer,
      cartsAsked: relay.cartsAsked,
      kill: () => program.kill(),
      start: async () => {
        program = await shop.start(shopFolder, port)
      }
    }
  }
  for (const { title, run } of [...cases, ...ucpCases, ...(shop.cases ?? [])]) {
    translate(`${shop.title}: ${title}`)
    const seen = await run(context).then(
      text => ({ passed: true, seen: text }),
      error => ({ passed: false, seen: String(error.message).split('\n').join(' ') })
    )
    report.cases.push({ title, ...seen })
  }
  for (const merchant of isQuick ? [] : [...ours.merchants, ...ours.ucp]) {
    translate(`${shop.title}: conformance kit, ${merchant.way}, option ${merchant.option}`)
    report.conformance.push({ merchant, verdict: await conform(merchant, shop.goods, folder) })
  }
  await ours.end()
  await program.kill()
  return report
}

type Mode = { isQuick: boolean; writes: boolean }

export const testShops: Command<typeof FLAGS> = {
  usage: `npm run test:shops -- [NAME] [--quick] [--write]

  NAME     one shop: ${NAMES}; by default all
  --quick  without the conformance kit
  --write  writes what the shops answer into test/integrations/destination/NAME/recorded.json, for the tests of the adapters, and the
           report into src/integrations/destination/README.md, unless it is a quick one
`,
  flags: FLAGS,
  run: async ({ values, positionals }, { print }) => {
    const { quick: isQuick = false, write: writes = false } = values
    const chosen = shops.filter(({ name }) => positionals.length === 0 || positionals.includes(name))
    const unknown = positionals.find(given => !shops.some(({ name }) => name === given))
    if (unknown !== undefined) throw new UsageError(`there is no shop ${JSON.stringify(unknown)}; give one of ${NAMES}`)
    cleanUpAtExit()
    setTimeout(() => {
      translate(`stopped after ${TIMEOUT / 60_000} minutes`)
      process.exit(2)
    }, TIMEOUT).unref()
    const folder = temporaryFolder()
    const reports: ShopReport[] = []
    for (const shop of chosen) {
      const report = await tryShop(shop, folder, { isQuick, writes }).catch(error => {
        if (!(error instanceof ShopLeftOut)) throw error
        translate(`${shop.title} is left out: ${error.message}`)
      })
      if (!report) continue
      await print(`${reportText(report)}\n\n`)
      if (writes && !isQuick) writeReport(reportText(report))
      reports.push(report)
    }
    return reports.length > 0 && reports.every(hasPassed) ? 0 : 1
  }
}

if (import.meta.main) {
  await runCommand(testShops)
  process.exit()
}
