// The conformance kit, run against our server with a real shop behind it.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../node-process.ts'
import type { Merchant } from './merchants.ts'
import { runProgram } from './programs.ts'
import type { Goods, Kit } from './shop.ts'

/** Each with the ids of checks that did not pass: `failed: back`. */
export type Verdict = { contract: string; goodPractice: string }

type JsonReport = {
  contract: { verdict: string }
  goodPractice: { verdict: string }
  checks: { id: string; basis: 'contract' | 'good practice'; verdict: string }[]
}

const isLink = (option: string) => ['meta', 'permalink'].includes(option)

/** Of our storefront's page. */
const OURS: Kit = { page: { total: '[data-total]@data-total' }, completeTitle: 'Order complete' }

/** In milliseconds: a page that scripts write is opened a hundred times. */
const TIMEOUT = { html: 300_000, scripts: 30 * 60_000 }

/** @throws if the kit could not be run */
export async function conform(
  { way, option, url, kit = OURS }: Merchant,
  goods: Goods,
  folder: string
): Promise<Verdict> {
  const profile = {
    name: `${way}, ${option}`.slice(0, 80),
    option,
    url,
    currency: goods.currency,
    // Meta has no way to write an id with these.
    skus: {
      exist: goods.exist.filter(sku => option !== 'meta' || !/[,:]/.test(sku)),
      unknown: [goods.unknown],
      outOfStock: [goods.outOfStock]
    },
    // A description leads to a page of the shop's, which takes no POST.
    expect: { describedMethod: 'GET', sameSku: goods.sameSku },
    maxQuantity: goods.maxQuantity,
    // Links are short: the longest has more lines.
    ...(isLink(option) && { bigBag: 200 }),
    ...kit
  }
  const file = (name: string) => join(folder, name)
  writeFileSync(file('profile.json'), JSON.stringify(profile))
  const run = { command: process.execPath, cwd: ROOT, log: file('conform.log') }
  const args = ['src/cli/conform.ts', file('profile.json'), '--json', file('report.json')]
  const code = await runProgram({ ...run, args }, 'settleSeconds' in kit.page ? TIMEOUT.scripts : TIMEOUT.html)
  if (![0, 1, 3].includes(code)) {
    throw new Error(`the conformance kit could not be run: ${readFileSync(run.log, 'utf8').trim()}`)
  }
  const { contract, goodPractice, checks } = JSON.parse(readFileSync(file('report.json'), 'utf8')) as JsonReport
  const idsOf = (of: string, verdict: string) =>
    checks.filter(check => check.basis === of && check.verdict === verdict).map(({ id }) => id)
  const textOf = (verdict: string, of: string) => {
    const others = [...idsOf(of, 'failed'), ...idsOf(of, 'not judged').map(id => `${id} (not judged)`)]
    return others.length > 0 ? `${verdict}: ${others.join(', ')}` : verdict
  }
  return {
    contract: textOf(contract.verdict, 'contract'),
    goodPractice: textOf(goodPractice.verdict, 'good practice')
  }
}
