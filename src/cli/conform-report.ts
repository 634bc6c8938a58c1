// The reports that the conformance kit prints: a table for people, JSON for programs.
import {
  basisOf,
  type CheckResult,
  type ConformanceReport,
  countsOf,
  exitCodeOf,
  groupsOf,
  ofBasis,
  overallVerdict
} from '../kit/conformance/run-checks.ts'
import { visible, visibleJson } from '../start/visible-text.ts'
import { columns } from './terminal-text.ts'

/** The section without its remark. */
function shortSection(section: string): string {
  return section.replace(/( \(|;).*/s, '')
}

/** A table, with the details of every check that has not passed; nothing in it can act on the terminal. */
export function textReport({ profile, results }: ConformanceReport): string {
  const table = columns()
  // Lays out all rows once for the widths, so that the columns of all groups line up.
  const row = ({ check, verdict }: CheckResult) => [
    verdict === 'failed' ? 'FAILED' : verdict,
    check.id,
    shortSection(check.section),
    check.title
  ]
  table(results.map(row))
  const groups = groupsOf(results).map(([group, of]) => {
    const lines = of.map(result => [table([row(result)]), detailOf(result)].join(''))
    return `${group}\n${lines.map(line => line.replace(/^(?=.)/gm, '  ')).join('')}`
  })
  const sums = [
    contractSentence(results),
    ...(['contract', 'good practice'] as const).map(basis => `${basis}: ${sumOf(ofBasis(results, basis))}`),
    sumOf(results)
  ]
  const title = visible(`${profile.name}: option ${profile.option}, ${profile.url}`)
  return `${title}\n\n${groups.join('\n')}\n${sums.join('\n')}\n`
}

/** Whether the site conforms to the contract: good practice does not decide it. */
export function contractSentence(results: CheckResult[]): string {
  const sentences = {
    passed: 'This site conforms to the contract.',
    failed: 'This site does not conform to the contract.',
    'not judged': 'Whether this site conforms to the contract could not be judged in full.'
  }
  return sentences[overallVerdict(ofBasis(results, 'contract'))]
}

function sumOf(results: CheckResult[]): string {
  const counts = countsOf(results)
  return `${counts.passed} passed, ${counts.failed} failed, ${counts['not judged']} not judged`
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
    contract: verdictAndCounts(ofBasis(results, 'contract')),
    goodPractice: verdictAndCounts(ofBasis(results, 'good practice')),
    checks: results.map(({ check, verdict, happened, detail, findings, milliseconds }) => {
      const { id, group, title, section } = check
      return { id, group, title, section, basis: basisOf(check), verdict, happened, detail, findings, milliseconds }
    })
  })}\n`
}

function verdictAndCounts(results: CheckResult[]) {
  return { verdict: overallVerdict(results), counts: countsOf(results) }
}
