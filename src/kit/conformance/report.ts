// The results of a run, counted and grouped, and the exit code that follows from them.
import type { Profile } from './profile-schema.ts'
import type { CheckResult, CheckVerdict } from './run-checks.ts'

export type ConformanceReport = {
  profile: Profile
  /** When the run started, ISO 8601. */
  at: string
  results: CheckResult[]
}

/** How many checks ended with each verdict. */
export function countsOf(results: CheckResult[]): Record<CheckVerdict, number> {
  const count = (verdict: CheckVerdict) => results.filter(result => result.verdict === verdict).length
  return { passed: count('passed'), failed: count('failed'), 'not judged': count('not judged') }
}

/** 0: every check passed; 1: at least one failed; 3: none failed, but some could not be judged. */
export function exitCodeOf(results: CheckResult[]): 0 | 1 | 3 {
  const counts = countsOf(results)
  if (counts.failed > 0) return 1
  return counts['not judged'] > 0 ? 3 : 0
}

/** The results by group, in the order in which they ran. */
export function groupsOf(results: CheckResult[]): [group: string, results: CheckResult[]][] {
  return [...Map.groupBy(results, ({ check }) => check.group)]
}
