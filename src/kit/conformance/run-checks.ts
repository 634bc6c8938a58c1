// Runs checks against one merchant site, each in its own web views. A check passes, fails, is not judged, as what came was
// inconclusive, or is skipped, as the profile has no entry for it.
import { OperatorError } from '../../errors.ts'
import { asksForPage, type TransferOption } from '../../transfer/option.ts'
import { proveSender } from '../client/prove-sender.ts'
import { sendRequest } from '../client/send-request.ts'
import type { Check } from './check.ts'
import { CheckFailed, CheckNotJudged, CheckSkipped, type Finding, OUTCOMES } from './final-response.ts'
import { checkSelectors, type Profile } from './profile.ts'
import { createSite, type Screenshot, type Site, type SiteOptions } from './site.ts'

export type CheckVerdict = 'passed' | 'failed' | 'not judged' | 'skipped'

export type CheckResult = {
  check: Check
  verdict: CheckVerdict
  /** What was received, expected and sent, or why it was not judged or skipped; empty if it passed. */
  detail: string
  /** What happened if it failed, as a sentence; empty otherwise. */
  happened: string
  /** What was expected and what came, for each request that failed; at least one if the check did. */
  findings: Finding[]
  milliseconds: number
  screenshots: Screenshot[]
}

export type RunOptions = SiteOptions & {
  checks: Check[]
  /** Called before each check with the number of checks done. */
  onProgress?: (check: Check, done: number, total: number) => void
}

export function applicableChecks(checks: Check[], option: TransferOption, profile: Profile): Check[] {
  return checks.filter(({ appliesTo }) => appliesTo?.(option, profile) ?? true)
}

/** @throws OperatorError if a selector is invalid, the site cannot be reached, or its certificate is not trusted */
export async function runChecks({ checks, onProgress, ...options }: RunOptions): Promise<CheckResult[]> {
  const { profile, option, views, credentials } = options
  const site = createSite(options)
  await checkSelectors(profile, views)
  // A site that is down should not be reported as one that fails every check.
  const secret = asksForPage(option) ? undefined : credentials
  const { sent } = proveSender(site.requestFor(site.newCart([0, 1])), secret, new Date())
  await sendRequest(sent, { timeout: profile.timeoutSeconds * 1000 })
  const applicable = applicableChecks(checks, option, profile)
  const results = new Map<string, CheckResult>()
  for (const check of applicable) {
    onProgress?.(check, results.size, applicable.length)
    const blocker = check.dependsOn?.flatMap(id => results.get(id) ?? []).find(({ verdict }) => verdict !== 'passed')
    results.set(check.id, await runCheck(check, site, blocker))
  }
  return [...results.values()]
}

/** @param blocker a check that it depends on, and that has not passed */
async function runCheck(check: Check, site: Site, blocker: CheckResult | undefined): Promise<CheckResult> {
  const started = performance.now()
  site.startOver()
  const judged = blocker ? blockedBy(blocker) : await judge(check, site)
  const milliseconds = Math.round(performance.now() - started)
  return { check, ...judged, milliseconds, screenshots: await site.endCheck() }
}

type Judged = Pick<CheckResult, 'verdict' | 'detail' | 'happened' | 'findings'>

function unjudged(detail: string, verdict: 'not judged' | 'skipped' = 'not judged'): Judged {
  return { verdict, detail, happened: '', findings: [] }
}

function blockedBy({ check: { id }, verdict }: CheckResult): Judged {
  const detail = `It depends on ${id}, which ${verdict === 'failed' ? '' : 'was '}${verdict}.`
  return unjudged(detail, verdict === 'skipped' ? verdict : 'not judged')
}

async function judge(check: Check, site: Site): Promise<Judged> {
  try {
    await check.run(site)
    return { verdict: 'passed', detail: '', happened: '', findings: [] }
  } catch (error) {
    if (error instanceof CheckFailed) {
      const sent = [...site.steps]
      const findings = error.findings.map(finding => ({ problem: error.message, sent, ...finding }))
      const detail = findings.map(describeFinding).join('\n')
      return { verdict: 'failed', detail, happened: error.happened ?? whatHappened(check, findings), findings }
    }
    if (error instanceof CheckNotJudged) return unjudged(error.message)
    if (error instanceof CheckSkipped) return unjudged(error.message, 'skipped')
    // Nothing can be judged at all.
    if (error instanceof OperatorError) throw error
    // A bug in one check should not lose the results of the others.
    const [message = ''] = String((error as Error).message).split('\n')
    return unjudged(`Internal error in the kit: ${message}`)
  }
}

function describeFinding({ mistake, problem, sent }: Finding & { problem: string; sent: string[] }): string {
  return [mistake === undefined ? problem : `${mistake}: ${problem}`, ...listSent(sent)].join('\n')
}

export function listSent(sent: string[]): string[] {
  if (sent.length <= 1) return sent.map(step => `Sent: ${step}`)
  return ['Sent, in this order:', ...sent.map((step, i) => `${i + 1}. ${step}`)]
}

function whatHappened({ failure }: Check, findings: Finding[]): string {
  if (typeof failure === 'string') return failure
  const outcomes = findings.map(({ outcome }) => outcome)
  const worst = OUTCOMES.find(outcome => outcomes.includes(outcome)) ?? 'was not refused as expected'
  return `${failure.notRefused} ${worst}`
}

export type ConformanceReport = {
  profile: Profile
  /** When the run started, ISO 8601. */
  at: string
  results: CheckResult[]
  /** Whether a skipped check counts as not judged. */
  isStrict?: boolean | undefined
}

/** Where a check comes from. Only the contract decides whether a site conforms; for links, it is their document too. */
export type Basis = 'contract' | 'good practice'

export function basisOf({ section }: Check): Basis {
  return section.startsWith('good practice') ? 'good practice' : 'contract'
}

export function ofBasis(results: CheckResult[], basis: Basis): CheckResult[] {
  return results.filter(({ check }) => basisOf(check) === basis)
}

export function countsOf(results: CheckResult[]): Record<CheckVerdict, number> {
  const counts = { passed: 0, failed: 0, 'not judged': 0, skipped: 0 }
  for (const { verdict } of results) counts[verdict] += 1
  return counts
}

/** What was skipped does not count. */
export function overallVerdict(results: CheckResult[]): Exclude<CheckVerdict, 'skipped'> {
  const counts = countsOf(results)
  if (counts.failed > 0) return 'failed'
  return counts['not judged'] > 0 ? 'not judged' : 'passed'
}

/** 0: every check passed; 1: at least one failed, good practice too; 3: none failed, but some could not be judged. */
export function exitCodeOf({ results, isStrict }: Pick<ConformanceReport, 'results' | 'isStrict'>): 0 | 1 | 3 {
  const verdict = overallVerdict(results)
  if (verdict === 'passed' && isStrict && countsOf(results).skipped > 0) return 3
  return ({ passed: 0, failed: 1, 'not judged': 3 } as const)[verdict]
}

export function groupsOf(results: CheckResult[]): [group: string, results: CheckResult[]][] {
  return [...Map.groupBy(results, ({ check }) => check.group)]
}
