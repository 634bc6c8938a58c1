// `npm run conform`: runs the conformance kit against a merchant site, ours or any other, and reports the results.
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { constants } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import { Eta } from 'eta'
import { OperatorError } from '../errors.ts'
import { findChromium } from '../kit/browser/launch-chromium.ts'
import { webViews } from '../kit/browser/web-view.ts'
import { verifiedKey } from '../kit/client/send-request.ts'
import { checks } from '../kit/conformance/checks/checks.ts'
import { readProfile } from '../kit/conformance/profile.ts'
import {
  type Basis,
  basisOf,
  type CheckResult,
  type ConformanceReport,
  countsOf,
  exitCodeOf,
  groupsOf,
  listSent,
  ofBasis,
  overallVerdict,
  runChecks
} from '../kit/conformance/run-checks.ts'
import { visible, visibleJson } from '../start/visible-text.ts'
import { transferOptions } from '../transfer/index.ts'
import type { TransferOption } from '../transfer/option.ts'
import { CREDENTIAL_FLAGS, CREDENTIAL_USAGE, readCredentials } from './read-credentials.ts'
import { type Command, columns, onlyArgument, runCommand, SWITCH, TEXT_FLAG } from './run-command.ts'

const FLAGS = { strict: SWITCH, junit: TEXT_FLAG, json: TEXT_FLAG, html: TEXT_FLAG, ...CREDENTIAL_FLAGS }

export const conform: Command<typeof FLAGS> = {
  usage: `npm run conform -- <profile.json> [--token-from VARIABLE | …]
                   [--strict] [--junit FILE] [--json FILE] [--html FILE]

  <profile.json>  what there is to know of the site; src/kit/README.md says what it holds

${CREDENTIAL_USAGE}

  --strict        wants every check judged: none skipped because the profile has no entry for it
  --junit         JUnit XML for CI
  --json          one object for programs
  --html          one page with screenshots, for people

exit code: 0 every check passed or was skipped, 1 any failed (good practice too), 2 it could not be run (the profile cannot
be read, there is no Chromium, the site cannot be reached, its certificate is not trusted), 3 none failed but some could not
be judged, or with --strict were skipped, 130 and 143 it was stopped
`,
  flags: FLAGS,
  failed: 2,
  run: async ({ values, positionals }, { environment, print, printError, showProgress }) => {
    const file = onlyArgument(positionals, 'profile')
    const { startedIn, chromium } = environment()
    const profile = readProfile(resolve(startedIn, file), transferOptions)
    const option = transferOptions.find(({ name }) => name === profile.option) as TransferOption
    const credentials = readCredentials(values, option, profile.transfers !== undefined)
    const executablePath = findChromium(chromium)
    const files = [
      { file: values.junit, make: junitReport },
      { file: values.json, make: jsonReport },
      { file: values.html, make: htmlReport }
    ].flatMap(({ file, make }) => (file === undefined ? [] : { file: resolve(startedIn, file), make }))
    for (const { file } of files) {
      const folder = dirname(file)
      if (!existsSync(folder)) throw new OperatorError(`there is no folder ${folder} to write ${basename(file)} into`)
    }

    // Node verifies the certificate, and passes its trust on to the browser.
    const key = await verifiedKey(profile.url, profile.timeoutSeconds * 1000)
    const views = webViews(executablePath, { closesOnSignal: false, trustedKeys: key === undefined ? [] : [key] })
    const stop = Promise.race((['SIGINT', 'SIGTERM'] as const).map(signal => once(process, signal).then(() => signal)))
    const at = new Date().toISOString()
    try {
      const running = runChecks({
        profile,
        option,
        views,
        checks,
        credentials,
        takesScreenshots: values.html !== undefined,
        onProgress: ({ id }, done, total) => showProgress(id, done, total)
      })
      const results = await Promise.race([running, stop])
      if (typeof results === 'string') {
        // Checks that are under way are abandoned.
        await views.close()
        printError(`stopped by ${results}; nothing was reported`)
        process.exit(128 + constants.signals[results])
      }
      const report = { profile, at, results, isStrict: values.strict }
      // Printed first: writing a file may fail.
      await print(textReport(report))
      for (const { file, make } of files) writeFileSync(file, make(report))
      return exitCodeOf(report)
    } finally {
      await views.close()
    }
  }
}

const BASES = ['contract', 'good practice'] as const

/** A miss of good practice does not look like a breach of the contract. */
const SAYS: Record<Basis, Record<'passed' | 'failed' | 'tone' | 'heading' | 'intro', string>> = {
  contract: {
    passed: 'Conforms to the contract',
    failed: 'Does not conform to the contract',
    tone: 'failed',
    heading: 'Against the contract',
    intro: 'Each of these breaks the contract.'
  },
  'good practice': {
    passed: 'Follows good practice',
    failed: 'Misses some good practice',
    tone: 'good-practice',
    heading: 'Against good practice',
    intro: 'The contract does not demand these, but each can cost the shop an order, or a shopper’s trust.'
  }
}

export function textReport({ profile, results }: ConformanceReport): string {
  const table = columns()
  // Lays out all rows once for the widths, so that the columns of all groups line up.
  const row = ({ check, verdict }: CheckResult) => [
    verdict === 'failed' ? 'FAILED' : verdict,
    check.id,
    // Without its remark.
    check.section.replace(/( \(|;).*/s, ''),
    check.title
  ]
  table(results.map(row))
  const groups = groupsOf(results).map(([group, of]) => {
    const lines = of.map(result => [table([row(result)]), detailOf(result)].join(''))
    return `${group}\n${lines.map(line => line.replace(/^(?=.)/gm, '  ')).join('')}`
  })
  const sums = [
    contractSentence(results),
    ...BASES.map(basis => `${basis}: ${sumOf(ofBasis(results, basis))}`),
    sumOf(results)
  ]
  const title = visible(`${profile.name}: option ${profile.option}, ${profile.url}`)
  return `${title}\n\n${groups.join('\n')}\n${sums.join('\n')}\n`
}

function contractSentence(results: CheckResult[]): string {
  const sentences = {
    passed: 'This site conforms to the contract.',
    failed: 'This site does not conform to the contract.',
    'not judged': 'Whether this site conforms to the contract could not be judged in full.'
  }
  return sentences[overallVerdict(ofBasis(results, 'contract'))]
}

function sumOf(results: CheckResult[]): string {
  const counts = countsOf(results)
  return `${counts.passed} passed, ${counts.failed} failed, ${counts['not judged']} not judged, ${counts.skipped} skipped`
}

function detailOf({ verdict, detail, check }: CheckResult): string {
  if (detail === '') return ''
  const lines = [...detail.split('\n'), ...(verdict === 'failed' ? [check.remedy] : [])]
  return lines.map(line => `    ${visible(line)}\n`).join('')
}

export function jsonReport(report: ConformanceReport): string {
  const { profile, at, results } = report
  const { name, option, url } = profile
  return `${visibleJson({
    name,
    option,
    url,
    at,
    exitCode: exitCodeOf(report),
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

/** What has neither passed nor failed. */
const OPEN = [
  {
    verdict: 'not judged',
    heading: 'Not judged',
    intro: 'What could not be judged has not passed. Most often it needs a check that failed.'
  },
  { verdict: 'skipped', heading: 'Skipped', intro: 'The profile has no entry that these need.' }
]

const REPORT_TEMPLATES = join(import.meta.dirname, '../../views/conformance')

/** Characters that XML 1.0 does not allow, even escaped. */
const NO_XML = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu

function render(template: string, view: object): string {
  return new Eta({ views: REPORT_TEMPLATES }).render(template, view)
}

export function junitReport({ profile, at, results }: ConformanceReport): string {
  const text = render('junit', {
    name: `${profile.name}, option ${profile.option}`,
    // JUnit allows no time zone; this is UTC.
    at: at.replace(/\..*/, ''),
    ...junitSums(results),
    suites: groupsOf(results).map(([name, of]) => ({
      name,
      ...junitSums(of),
      cases: of.map(result => ({
        ...result,
        seconds: result.milliseconds / 1000,
        message: `${result.happened}: ${result.detail.split('\n')[0]}`
      }))
    }))
  })
  return text.replace(NO_XML, '\ufffd')
}

function junitSums(results: CheckResult[]) {
  const { failed, skipped, 'not judged': open } = countsOf(results)
  const milliseconds = results.reduce((sum, result) => sum + result.milliseconds, 0)
  return { tests: results.length, failed, skipped: skipped + open, seconds: milliseconds / 1000 }
}

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
      ...SAYS[basis],
      views: views.filter(view => view.verdict === 'failed' && view.basis === basis)
    })).filter(({ views }) => views.length > 0),
    open: OPEN.map(kind => ({ ...kind, views: views.filter(({ verdict }) => verdict === kind.verdict) })).filter(
      ({ views }) => views.length > 0
    ),
    passed: groupsOf(passed).map(([name, of]) => ({ name, views: of.map(viewOf) }))
  })
}

function viewOf({ findings, screenshots, ...result }: CheckResult) {
  const { check } = result
  return {
    ...result,
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

function summaryOf(basis: Basis, results: CheckResult[]) {
  const { passed, failed, 'not judged': open, skipped } = countsOf(results)
  const verdict = overallVerdict(results)
  const counts = [
    `${passed} of ${results.length} passed`,
    failed && `${failed} failed`,
    open && `${open} not judged`,
    skipped && `${skipped} skipped`
  ]
  return {
    basis,
    tone: verdict === 'failed' ? SAYS[basis].tone : verdict.replace(' ', '-'),
    says: verdict === 'not judged' ? 'Not judged in full' : SAYS[basis][verdict],
    counts: counts.filter(Boolean).join(', ')
  }
}

if (import.meta.main) await runCommand(conform)
