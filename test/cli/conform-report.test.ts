// The reports of a run, for people, CI and programs: each escapes everything in it.
import t from 'tap'
import { jsonReport, textReport } from '../../src/cli/conform-report.ts'
import { htmlReport, junitReport } from '../../src/cli/conform-report-files.ts'
import { checks } from '../../src/kit/conformance/checks/checks.ts'
import type { Profile } from '../../src/kit/conformance/profile-schema.ts'
import { type ConformanceReport, countsOf, exitCodeOf } from '../../src/kit/conformance/report.ts'
import type { CheckResult, CheckVerdict } from '../../src/kit/conformance/run-checks.ts'

const HOSTILE = '</failure>]]><script>alert(1)</script> & "\u001b[31m\u202e\u0000\ud800\ufffe'

/** Results of the first checks of the list, one for each verdict. */
function resultsOf(...verdicts: CheckVerdict[]): CheckResult[] {
  return checks.slice(0, verdicts.length).map((check, i) => {
    const verdict = verdicts[i] as CheckVerdict
    const detail = verdict === 'passed' ? '' : `It came:\n${HOSTILE}`
    return {
      check,
      verdict,
      detail,
      milliseconds: 1500,
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
  t.strictSame(countsOf(resultsOf('failed', 'failed', 'passed')), { passed: 1, failed: 2, 'not judged': 0 })
})

t.test('the table lists every check, with control characters escaped', async t => {
  const text = textReport(reportOf('passed', 'failed', 'not judged'))
  t.match(text, /^description\n {2}passed +description-json +contract 4\.1 rule 1 +The response to a bag/m)
  t.match(text, /^ {2}FAILED +description-types .*\n {6}It came:\n {6}<\/failure>.*\n {6}Always send "url"/m)
  t.match(text, /^ {2}not judged +/m)
  t.match(text, '\n1 passed, 1 failed, 1 not judged\n')
  t.notMatch(text, /[\p{Cc}\p{Cf}\p{Cs}]/u.source.replace('\\p{Cc}', '[\\0-\\x09\\x0b-\\x1f]'))
  t.notMatch(text, '\u001b')
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
    checks: [
      { id: 'description-json', group: 'description', section: 'contract 4.1 rule 1', verdict: 'passed', detail: '' },
      { verdict: 'failed', detail: /^It came:\n<\/failure>/, milliseconds: 1500 }
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
  t.match(text, /<failure message="It came:">It came:\n&lt;\/failure&gt;/)
  t.match(text, /<skipped message="It came:/)
  t.notMatch(text, '<script')
  for (const forbidden of ['\u0000', '\u001b', '\ud800', '\ufffe']) t.notOk(text.includes(forbidden))
})

t.test('the HTML report is self-contained, and opens the checks that failed', async t => {
  const html = htmlReport(reportOf('passed', 'failed', 'not judged'))
  t.match(html, 'This site does not pass.')
  t.match(html, /<details id="description-json" class="passed">/)
  t.match(html, /<details id="description-types" class="failed" open>/)
  t.match(html, /<a href="#description-fields">/)
  t.match(html, 'src="data:image/jpeg;base64,AQI="')
  t.notMatch(html, '<script')
  t.notMatch(html, /(src|href)="(?!data:|#)/)
  t.match(htmlReport(reportOf('passed')), 'This site passes every check.')
  t.match(htmlReport(reportOf('not judged')), 'not everything could be judged')
})
