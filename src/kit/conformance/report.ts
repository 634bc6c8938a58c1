// The results of a run, counted and grouped, and what follows from them: the exit code, and whether the site conforms.
import type { Check } from './check.ts'
import type { Profile } from './profile-schema.ts'
import type { CheckResult, CheckVerdict } from './run-checks.ts'

export type ConformanceReport = {
  profile: Profile
  /** When the run started, ISO 8601. */
  at: string
  results: CheckResult[]
}

/** Where a check comes from. Only the contract decides whether a site conforms. */
export type Basis = 'contract' | 'good practice'

export function basisOf({ section }: Check): Basis {
  return section.startsWith('contract') ? 'contract' : 'good practice'
}

export function ofBasis(results: CheckResult[], basis: Basis): CheckResult[] {
  return results.filter(({ check }) => basisOf(check) === basis)
}

/** How many checks ended with each verdict. */
export function countsOf(results: CheckResult[]): Record<CheckVerdict, number> {
  const count = (verdict: CheckVerdict) => results.filter(result => result.verdict === verdict).length
  return { passed: count('passed'), failed: count('failed'), 'not judged': count('not judged') }
}

/** The verdict on several checks: failed if one did, passed if all did. */
export function overallVerdict(results: CheckResult[]): CheckVerdict {
  const counts = countsOf(results)
  if (counts.failed > 0) return 'failed'
  return counts['not judged'] > 0 ? 'not judged' : 'passed'
}

/** 0: every check passed; 1: at least one failed, good practice too; 3: none failed, but some could not be judged. */
export function exitCodeOf(results: CheckResult[]): 0 | 1 | 3 {
  return ({ passed: 0, failed: 1, 'not judged': 3 } as const)[overallVerdict(results)]
}

/** The results by group, in the order in which they ran. */
export function groupsOf(results: CheckResult[]): [group: string, results: CheckResult[]][] {
  return [...Map.groupBy(results, ({ check }) => check.group)]
}
