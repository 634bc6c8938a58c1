// The reports that the conformance kit prints: a table for people, JSON for programs.
import { type ConformanceReport, countsOf, exitCodeOf, groupsOf } from '../kit/conformance/report.ts'
import type { CheckResult } from '../kit/conformance/run-checks.ts'
import { visible, visibleJson } from '../visible-text.ts'
import { columns } from './terminal-text.ts'

/** The section without its remark. */
function basisOf(section: string): string {
  return section.replace(/( \(|;).*/s, '')
}

/** A table, with the details of every check that has not passed; nothing in it can act on the terminal. */
export function textReport({ profile, results }: ConformanceReport): string {
  const table = columns()
  // Lays out all rows once for the widths, so that the columns of all groups line up.
  const row = ({ check, verdict }: CheckResult) => [
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

function detailOf({ verdict, detail, check }: CheckResult): string {
  if (detail === '') return ''
  const lines = [...detail.split('\n'), ...(verdict === 'failed' ? [check.remedy] : [])]
  return lines.map(line => `    ${visible(line)}\n`).join('')
}

export function jsonReport({ profile, at, results }: ConformanceReport): string {
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
