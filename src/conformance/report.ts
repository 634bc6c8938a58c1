// What came of a run, for people on a terminal and for programs: a table, JSON, and the exit code.
import { columns, visible, visibleJson } from '../terminal-text.ts'
import type { Profile } from './profile-schema.ts'
import type { Result, Verdict } from './run-checks.ts'

export type Report = {
  profile: Profile
  /** When it began, in ISO 8601. */
  at: string
  results: Result[]
}

/** How many checks ended each way. */
export function countsOf(results: Result[]): Record<Verdict, number> {
  const count = (verdict: Verdict) => results.filter(result => result.verdict === verdict).length
  return { passed: count('passed'), failed: count('failed'), 'not judged': count('not judged') }
}

/** 0: every check was judged and passed; 1: any failed; 3: none failed, but some could not be judged. */
export function exitCodeOf(results: Result[]): 0 | 1 | 3 {
  const counts = countsOf(results)
  if (counts.failed > 0) return 1
  return counts['not judged'] > 0 ? 3 : 0
}

/** The results in their groups, both in the order in which they ran. */
export function groupsOf(results: Result[]): [group: string, results: Result[]][] {
  return [...Map.groupBy(results, ({ check }) => check.group)]
}

/** The section without what is said about it. */
function basisOf(section: string): string {
  return section.replace(/( \(|;).*/s, '')
}

/** A table for people, with the detail below what has not passed; nothing in it can act on the terminal. */
export function textReport({ profile, results }: Report): string {
  const table = columns()
  // Every row is laid out once for the widths, so that all groups stand below each other.
  const row = ({ check, verdict }: Result) => [
    verdict === 'failed' ? 'FAILED' : verdict,
    check.id,
    basisOf(check.section),
    check.title
  ]
  table(results.map(row))
  const groups = groupsOf(results).map(([group, of]) => {
    const lines = of.map(result => [table([row(result)]), detailOf(result)].join(''))
    return `${group}\n${lines.map(line => line.replace(/^(?=.)/gm, '  ')).join('')}`
  })
  const counts = countsOf(results)
  const sum = `${counts.passed} passed, ${counts.failed} failed, ${counts['not judged']} not judged`
  return `${visible(`${profile.name}: option ${profile.option}, ${profile.url}`)}\n\n${groups.join('\n')}\n${sum}\n`
}

function detailOf({ verdict, detail, check }: Result): string {
  if (detail === '') return ''
  const lines = [...detail.split('\n'), ...(verdict === 'failed' ? [check.remedy] : [])]
  return lines.map(line => `    ${visible(line)}\n`).join('')
}

export function jsonReport({ profile, at, results }: Report): string {
  const { name, option, url } = profile
  return `${visibleJson({
    name,
    option,
    url,
    at,
    exitCode: exitCodeOf(results),
    counts: countsOf(results),
    checks: results.map(({ check, verdict, detail, milliseconds }) => {
      const { id, group, title, section } = check
      return { id, group, title, section, verdict, detail, milliseconds }
    })
  })}\n`
}
