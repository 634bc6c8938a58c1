// The reports that the conformance kit writes to files, from templates that escape everything: JUnit for CI, HTML for
// people.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Eta } from 'eta'
import { listSent } from '../kit/conformance/detail-text.ts'
import {
  type Basis,
  basisOf,
  type CheckResult,
  type CheckVerdict,
  type ConformanceReport,
  countsOf,
  groupsOf,
  ofBasis,
  overallVerdict
} from '../kit/conformance/run-checks.ts'
import { contractSentence } from './conform-report.ts'

const REPORT_TEMPLATES = join(import.meta.dirname, '../../views/conformance')

/** Characters that XML 1.0 does not allow, even escaped. */
const NO_XML = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu

const BASES = ['contract', 'good practice'] as const

const SAYS: Record<Basis, Record<CheckVerdict, string>> = {
  contract: {
    passed: 'Conforms to the contract',
    failed: 'Does not conform to the contract',
    'not judged': 'Not judged in full'
  },
  'good practice': {
    passed: 'Follows good practice',
    failed: 'Misses some good practice',
    'not judged': 'Not judged in full'
  }
}

/** A miss of good practice does not look like a breach of the contract. */
const FAILURES = {
  contract: { tone: 'failed', heading: 'Against the contract', intro: 'Each of these breaks the contract.' },
  'good practice': {
    tone: 'good-practice',
    heading: 'Against good practice',
    intro: 'The contract does not demand these, but each can cost the shop an order, or a shopper’s trust.'
  }
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
      cases: of.map(({ check, verdict, happened, detail, milliseconds }) => ({
        id: check.id,
        title: `${check.title} (${check.section})`,
        seconds: milliseconds / 1000,
        verdict,
        message: `${happened}: ${detail.split('\n')[0]}`,
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
  const views = results.map(viewOf)
  const passed = results.filter(({ verdict }) => verdict === 'passed')
  return render('report', {
    css: readFileSync(join(REPORT_TEMPLATES, 'report.css'), 'utf8'),
    profile,
    at: `${at.replace('T', ' ').replace(/\..*/, '')} UTC`,
    says: contractSentence(results),
    summaries: BASES.map(basis => summaryOf(basis, ofBasis(results, basis))),
    failures: BASES.map(basis => ({
      ...FAILURES[basis],
      views: views.filter(view => view.verdict === 'failed' && view.basis === basis)
    })).filter(({ views }) => views.length > 0),
    notJudged: views.filter(({ verdict }) => verdict === 'not judged'),
    passed: groupsOf(passed).map(([name, of]) => ({ name, views: of.map(viewOf) }))
  })
}

function viewOf({ check, verdict, happened, detail, findings, screenshots }: CheckResult) {
  return {
    check,
    verdict,
    happened,
    detail,
    basis: basisOf(check),
    findings: findings.map(({ expected = check.title, sent = [], ...finding }) => ({
      ...finding,
      expected,
      sent: listSent(sent).join('\n')
    })),
    pictures: screenshots.map(({ caption, jpeg }) => ({
      caption,
      source: `data:image/jpeg;base64,${Buffer.from(jpeg).toString('base64')}`
    }))
  }
}

/** The verdict on one basis: a heading, and what was counted. */
function summaryOf(basis: Basis, results: CheckResult[]) {
  const { passed, failed, 'not judged': open } = countsOf(results)
  const verdict = overallVerdict(results)
  const counts = [`${passed} of ${results.length} passed`, failed && `${failed} failed`, open && `${open} not judged`]
  return {
    basis,
    tone: verdict === 'failed' ? FAILURES[basis].tone : verdict.replace(' ', '-'),
    says: SAYS[basis][verdict],
    counts: counts.filter(count => count !== 0).join(', ')
  }
}
