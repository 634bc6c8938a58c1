// Runs checks against one merchant site, each in web views of its own. A check is passed, failed, or not judged; it
// never passes when it could not be judged.

import type { TransferOption } from '../../transfer/option.ts'
import type { WebView, WebViews } from '../browser/web-view.ts'
import { sendRequest } from '../client/send-request.ts'
import type { Check } from './check.ts'
import { checkSelectors } from './check-selectors.ts'
import type { OptionTraits } from './option-traits.ts'
import type { Profile } from './profile-schema.ts'
import { type Opened, type Picture, type Site, type SiteParts, siteOf } from './site.ts'
import { Failed, NotJudged } from './verdict-errors.ts'

export type CheckVerdict = 'passed' | 'failed' | 'not judged'

export type CheckResult = {
  check: Check
  verdict: CheckVerdict
  /** What was sent and came and would be right, or why it could not be judged; empty for what passed. */
  detail: string
  milliseconds: number
  pictures: Picture[]
}

export type RunParts = {
  profile: Profile
  /** The list in which the profile's option stands. */
  options: TransferOption[]
  views: WebViews
  checks: Check[]
  takesPictures?: boolean
  /** Told of each check before it runs, and how many are done. */
  onProgress?: (check: Check, done: number, total: number) => void
}

/** The checks that concern an option. */
export function concerning(checks: Check[], option: OptionTraits): Check[] {
  return checks.filter(({ concerns }) => concerns?.(option) ?? true)
}

/** Asks once, so that a site that is down is not told as one that fails every check. @throws NotAnswered */
async function reach(parts: Omit<SiteParts, 'opened'>): Promise<void> {
  const site = siteOf({ ...parts, opened: [] })
  await sendRequest(site.write(site.bag([0, 1])), { timeout: site.profile.timeoutSeconds * 1000 })
}

/** @throws ProfileError where no selector can be read, NotAnswered when the site cannot be reached */
export async function runChecks({
  profile,
  options: known,
  views,
  checks,
  takesPictures = false,
  onProgress
}: RunParts): Promise<CheckResult[]> {
  const option = known.find(({ name }) => name === profile.option) as TransferOption
  const kept = new Map<string, Opened>()
  const parts = { profile, option, views, kept }
  await checkSelectors(profile, views)
  await reach(parts)
  const concerned = concerning(checks, option)
  const results = new Map<string, CheckResult>()
  for (const check of concerned) {
    onProgress?.(check, results.size, concerned.length)
    const needed = check.needs?.flatMap(id => results.get(id) ?? []).find(({ verdict }) => verdict !== 'passed')
    results.set(check.id, needed ? waiting(check, needed) : await runCheck(check, parts, takesPictures))
  }
  await closeAll([...kept.values()].map(({ view }) => view))
  return [...results.values()]
}

/** A view whose browser is gone has nothing left to close. */
async function closeAll(views: WebView[]): Promise<void> {
  await Promise.allSettled(views.map(view => view.close()))
}

function waiting(check: Check, needed: CheckResult): CheckResult {
  const became = needed.verdict === 'failed' ? 'failed' : 'was not judged'
  const detail = `It needs ${needed.check.id}, which ${became}.`
  return { check, verdict: 'not judged', detail, milliseconds: 0, pictures: [] }
}

async function runCheck(check: Check, parts: Omit<SiteParts, 'opened'>, takesPictures: boolean): Promise<CheckResult> {
  const opened: WebView[] = []
  const pictures: Picture[] = []
  const started = performance.now()
  const [verdict, detail] = await outcomeOf(check, siteOf({ ...parts, opened, ...(takesPictures && { pictures }) }))
  const milliseconds = Math.round(performance.now() - started)
  const kept = [...parts.kept.values()].map(({ view }) => view)
  await closeAll(opened.filter(view => !kept.includes(view)))
  return { check, verdict, detail, milliseconds, pictures }
}

async function outcomeOf(check: Check, site: Site): Promise<[verdict: CheckVerdict, detail: string]> {
  try {
    await check.run(site)
    return ['passed', '']
  } catch (error) {
    if (error instanceof Failed) return ['failed', error.message]
    if (error instanceof NotJudged) return ['not judged', error.message]
    // A mistake of the kit on one check is no reason to lose what the others have found.
    const [says = ''] = String((error as Error).message).split('\n')
    return ['not judged', `The kit broke down: ${says}`]
  }
}
