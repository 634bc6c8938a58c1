// Runs the kit against bare sites, with one browser for all of them and nothing but a profile for each.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import type { WebViews } from '../../../src/kit/browser/web-view.ts'
import type { Proof } from '../../../src/kit/client/prove-sender.ts'
import type { Check } from '../../../src/kit/conformance/check.ts'
import { checks } from '../../../src/kit/conformance/checks/checks.ts'
import { readProfile } from '../../../src/kit/conformance/profile.ts'
import { type CheckResult, runChecks } from '../../../src/kit/conformance/run-checks.ts'
import { transferOptions } from '../../../src/transfer/index.ts'
import type { TransferOption } from '../../../src/transfer/option.ts'
import { sharedViews } from '../../browser/shared-views.ts'
import type { Fault } from './bare-reading.ts'
import { startBareSite } from './bare-site.ts'

/** Where a bare site shows its lines and amounts. */
export const SELECTORS = { line: 'tr.position', sku: '.article', quantity: '.count', price: '.each', total: '.sum' }

/** The profile of a bare site: its selectors, and what its shop sells. */
export function bareProfile(option: string, url: string, changes: object = {}): object {
  return {
    name: 'A bare site',
    option,
    url,
    currency: 'GBP',
    skus: {
      exist: ['red-mug', 'blue-mug', 'tea-pot', 'spoon & co', '4711'],
      unknown: ['green-mug'],
      outOfStock: ['lamp']
    },
    page: SELECTORS,
    transfers: new URL('/transfers', url).href,
    completeTitle: 'thank you',
    completeUrl: '/complete',
    bigBag: 60,
    ...(['meta', 'permalink'].includes(option) && { bigBag: 200, codes: { valid: 'TEN', invalid: 'NEVER' } }),
    ...changes
  }
}

/** Runs checks with a profile; by default all of them. */
export async function runWith(
  t: Test,
  profile: object,
  views: WebViews,
  selected = checks,
  takesScreenshots = false,
  credentials?: Proof
): Promise<CheckResult[]> {
  const file = join(t.testdir({}), 'profile.json')
  writeFileSync(file, JSON.stringify(profile))
  const read = readProfile(file, transferOptions)
  const option = transferOptions.find(({ name }) => name === read.option) as TransferOption
  return runChecks({ profile: read, option, views, checks: selected, takesScreenshots, credentials })
}

/** Runs checks, by default all, at a bare site with these faults and with a profile that has these changes. */
export type Kit = ReturnType<typeof kitFor>

export function kitFor(t: Test, views = sharedViews()) {
  return async (option: string, faults: Fault[], changes?: object, selected?: Check[], takesScreenshots?: boolean) => {
    const site = await startBareSite(option, ...faults)
    try {
      return await runWith(t, bareProfile(option, site.url, changes), views, selected, takesScreenshots)
    } finally {
      site.close()
    }
  }
}

/** Checks by id. Dependencies that are not selected do not block them. */
export function only(...ids: string[]): Check[] {
  return checks.filter(({ id }) => ids.includes(id))
}

/** Checks by id, and the checks that they depend on, directly or not. */
export function withDependencies(...ids: string[]): Check[] {
  const wanted = new Set(ids)
  // A check comes after those that it depends on.
  for (const { id, dependsOn = [] } of checks.toReversed()) {
    if (wanted.has(id)) for (const dependency of dependsOn) wanted.add(dependency)
  }
  return only(...wanted)
}

/** The ids of the checks with this verdict. */
export function idsOf(results: CheckResult[], verdict: CheckResult['verdict']): string[] {
  return results.filter(result => result.verdict === verdict).map(({ check }) => check.id)
}
