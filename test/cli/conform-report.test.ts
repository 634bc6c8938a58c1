// The reports of a run, for people, CI and programs: each escapes everything in it.
import t from 'tap'
import { htmlReport, jsonReport, junitReport, textReport } from '../../src/cli/conform-report.ts'
import { checks } from '../../src/kit/conformance/checks/checks.ts'
import type { Profile } from '../../src/kit/conformance/profile.ts'
import {
  type CheckResult,
  type CheckVerdict,
  type ConformanceReport,
  exitCodeOf
} from '../../src/kit/conformance/run-checks.ts'

const HOSTILE = '</failure>]]><script>alert(1)</script> & "\u001b[31m\u202e\u0000\ud800\ufffe'

/** Results of the first checks of the list, one for each verdict. */
function resultsOf(...verdicts: CheckVerdict[]): CheckResult[] {
  return checks.slice(0, verdicts.length).map((check, i) => {
    const verdict = verdicts[i] as CheckVerdict
    const detail = verdict === 'passed' ? '' : `It came:\n${HOSTILE}`
    const findings = [
      { sent: [HOSTILE, 'Reload'], expected: HOSTILE, got: detail },
      { mistake: 'one of several', got: 'nothing' }
    ]
    return {
      ...{ check, verdict, detail, milliseconds: 1500 },
      ...(verdict === 'failed' ? { happened: String(check.failure), findings } : { happened: '', findings: [] }),
      screenshots: [{ caption: HOSTILE, jpeg: new Uint8Array([1, 2]) }]
    }
  })
}

function reportOf(...verdicts: CheckVerdict[]): ConformanceReport {
  const profile = { name: HOSTILE, option: '1', url: 'https://shop.example/cart' } as Profile
  return { profile, at: '2026-11-20T10:00:00.123Z', results: resultsOf(...verdicts) }
}

t.test('the exit code follows from the verdicts', async t => {
  t.equal(exitCodeOf(resultsOf('passed', 'passed')), 0)
  t.equal(exitCodeOf(resultsOf('passed', 'failed', 'not judged')), 1)
  t.equal(exitCodeOf(resultsOf('passed', 'not judged')), 3, 'a check that could not be judged has not passed')
})

t.test('the table lists every check, with control characters escaped', async t => {
  const text = textReport(reportOf('passed', 'failed', 'not judged'))
  t.match(text, /^description\n {2}passed +description-json +contract 4\.1 rule 1 +The response to a bag/m)
  t.match(text, /^ {2}FAILED +description-types .*\n {6}It came:\n {6}<\/failure>.*\n {6}Always send "url"/m)
  t.match(text, /^ {2}not judged +/m)
  const sums = ['contract: 1 passed, 1 failed, 0 not judged', 'good practice: 0 passed, 0 failed, 1 not judged']
  t.match(text, `\nThis site does not conform to the contract.\n${sums.join('\n')}\n1 passed, 1 failed, 1 not judged\n`)
  t.notMatch(text.replaceAll('\n', ''), /[\p{Cc}\p{Cf}\p{Cs}]/u)
  t.match(text, '\\u{1b}[31m')
})

t.test('the JSON report is one object', async t => {
  const text = jsonReport(reportOf('passed', 'failed'))
  t.notMatch(text, '\u202e')
  t.match(JSON.parse(text), {
    option: '1',
    url: 'https://shop.example/cart',
    at: '2026-11-20T10:00:00.123Z',
    exitCode: 1,
    counts: { passed: 1, failed: 1, 'not judged': 0 },
    contract: { verdict: 'failed', counts: { passed: 1, failed: 1, 'not judged': 0 } },
    goodPractice: { verdict: 'passed', counts: { passed: 0, failed: 0, 'not judged': 0 } },
    checks: [
      {
        ...{ id: 'description-json', group: 'description', section: 'contract 4.1 rule 1', basis: 'contract' },
        ...{ verdict: 'passed', happened: '', detail: '' }
      },
      {
        verdict: 'failed',
        happened: /^A required field/,
        detail: /^It came:\n<\/failure>/,
        findings: [{ sent: [/^<.failure>/, 'Reload'], got: /^It came/ }, { mistake: 'one of several' }],
        milliseconds: 1500
      }
    ]
  })
})

t.test('the JUnit report counts failures and skipped checks, and is valid XML with any content', async t => {
  const text = junitReport(reportOf('passed', 'failed', 'not judged'))
  t.match(
    text,
    /<testsuite name="description" timestamp="2026-11-20T10:00:00" tests="3" failures="1" skipped="1" errors="0" time="4.5">/
  )
  t.equal(text.match(/<testcase /g)?.length, 3)
  t.match(text, /<failure message="A required field was missing, .*: It came:">It came:\n&lt;\/failure&gt;/)
  t.match(text, /<skipped message="It came:/)
  t.notMatch(text, '<script')
  for (const forbidden of ['\u0000', '\u001b', '\ud800', '\ufffe']) t.notOk(text.includes(forbidden))
})

t.test('the HTML report is self-contained, shows failures first and side by side, and folds what passed', async t => {
  const html = htmlReport(reportOf('passed', 'failed', 'not judged'))
  t.match(html, /class="failed"><p class="what">contract<\/p><p class="says">Does not conform to the contract</)
  t.match(html, /<p>1 of 2 passed, 1 failed<\/p>/)
  t.match(html, /class="not-judged"><p class="what">good practice<\/p><p class="says">Not judged in full</)
  t.match(html, /<p>0 of 1 passed, 1 not judged<\/p>/)
  t.match(html, /id="description-types".*id="description-fields".*id="description-json"/s)
  t.match(html, /<h3>A required field was missing, or a field had the wrong type<\/h3>/)
  t.match(html, /<h4>one of several<\/h4>/)
  t.match(html, /<dt>Expected<\/dt><dd>&lt;\/failure&gt;.*<dt>Got<\/dt><dd>It came:\n&lt;\/failure&gt;/s)
  t.match(html, /<dt>Expected<\/dt><dd>Every required field is present.*<dt>Got<\/dt><dd>nothing<\/dd>/s)
  t.match(html, /<pre tabindex="0">Sent, in this order:\n1\. &lt;\/failure&gt;.*\n2\. Reload<\/pre>/s)
  t.match(html, /<details class="group passed"><summary><span class="name">description<\/span> <span>1 passed</)
  t.notMatch(html, /<details class="group[^>]* open/)
  t.match(html, 'src="data:image/jpeg;base64,AQI="')
  t.notMatch(html, '<script')
  t.notMatch(html, /(src|href)="(?!data:|#)/)
  t.match(htmlReport(reportOf('not judged')), /<details class="group not-judged" open>/)
})

t.test('a miss of good practice alone does not say that the site does not conform, and is not hidden', async t => {
  const isContract = ({ check }: CheckResult) => check.section.startsWith('contract')
  const results = resultsOf(...checks.map(() => 'passed' as const))
  const failed = { verdict: 'failed' as const, happened: 'It was missed', findings: [{ got: 'less' }] }
  const missed = results.findIndex(result => !isContract(result))
  const report = {
    ...reportOf(),
    results: results.map((result, i) => (i === missed ? { ...result, ...failed } : result))
  }
  const html = htmlReport(report)
  t.match(html, /class="passed"><p class="what">contract<\/p><p class="says">Conforms to the contract</)
  t.match(html, /class="good-practice"><p class="what">good practice<\/p><p class="says">Misses some good practice</)
  t.match(html, /<h2>Against good practice<\/h2>.*<h3>It was missed<\/h3>.*<h2>Passed<\/h2>/s)
  t.notMatch(html, /Against the contract|not conform/)
  t.match(textReport(report), '\nThis site conforms to the contract.\n')
  t.match(JSON.parse(jsonReport(report)), {
    exitCode: 1,
    contract: { verdict: 'passed' },
    goodPractice: { verdict: 'failed', counts: { failed: 1 } }
  })
  const passed = htmlReport({ ...report, results })
  t.match(passed, /Conforms to the contract.*Follows good practice/s)
  t.notMatch(passed, /<article|Not judged/)
})
