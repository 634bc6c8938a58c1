// The reports that the conformance kit writes to files, from templates that escape everything: JUnit for CI, HTML for
// people.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Eta } from 'eta'
import { type ConformanceReport, countsOf, exitCodeOf, groupsOf } from '../kit/conformance/report.ts'
import type { CheckResult } from '../kit/conformance/run-checks.ts'

const REPORT_TEMPLATES = join(import.meta.dirname, '../../views/conformance')

/** Characters that XML 1.0 does not allow, even escaped. */
const NO_XML = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu

const SAYS = {
  0: 'This site passes every check.',
  1: 'This site does not pass.',
  3: 'Nothing failed, but not everything could be judged.'
}

function render(template: string, view: object): string {
  return new Eta({ views: REPORT_TEMPLATES }).render(template, view)
}

export function junitReport({ profile, at, results }: ConformanceReport): string {
  const text = render('junit', {
    name: `${profile.name}, option ${profile.option}`,
    // JUnit allows no time zone; this is UTC.
    at: at.replace(/\..*/, ''),
    ...sumOf(results),
    suites: groupsOf(results).map(([name, of]) => ({
      name,
      ...sumOf(of),
      cases: of.map(({ check, verdict, detail, milliseconds }) => ({
        id: check.id,
        title: `${check.title} (${check.section})`,
        seconds: milliseconds / 1000,
        verdict,
        detail
      }))
    }))
  })
  return text.replace(NO_XML, '\ufffd')
}

function sumOf(results: CheckResult[]) {
  const { failed, 'not judged': skipped } = countsOf(results)
  const milliseconds = results.reduce((sum, result) => sum + result.milliseconds, 0)
  return { tests: results.length, failed, skipped, seconds: milliseconds / 1000 }
}

/** One page with everything in it: styles and pictures, no script. */
export function htmlReport({ profile, at, results }: ConformanceReport): string {
  return render('report', {
    css: readFileSync(join(REPORT_TEMPLATES, 'report.css'), 'utf8'),
    profile,
    at: `${at.replace('T', ' ').replace(/\..*/, '')} UTC`,
    says: SAYS[exitCodeOf(results)],
    counts: countsOf(results),
    open: results.filter(({ verdict }) => verdict !== 'passed'),
    groups: groupsOf(results).map(([name, of]) => ({
      name,
      results: of.map(({ check, verdict, detail, screenshots }) => ({
        check,
        verdict,
        detail: detail === '' ? [] : detail.split('\n'),
        isContract: check.section.startsWith('contract'),
        pictures: screenshots.map(({ caption, jpeg }) => ({
          caption,
          source: `data:image/jpeg;base64,${Buffer.from(jpeg).toString('base64')}`
        }))
      }))
    }))
  })
}
