// `npm run conform`: its exit code gives the result; its reports, for people, CI and programs, escape everything in them.
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { conform, htmlReport, jsonReport, junitReport, textReport } from '../../src/cli/conform.ts'
import { checks } from '../../src/kit/conformance/checks/checks.ts'
import type { Profile } from '../../src/kit/conformance/profile.ts'
import {
  type CheckResult,
  type CheckVerdict,
  type ConformanceReport,
  exitCodeOf
} from '../../src/kit/conformance/run-checks.ts'
import { AUTHORITY_FILE, startTlsServer } from '../kit/certificates/tls-server.ts'
import { startBareSite } from '../kit/conformance/bare-site.ts'
import { bareProfile } from '../kit/conformance/kit.ts'
import { runConform } from '../kit/conformance/run-conform.ts'
import { listen } from '../listen.ts'
import { inTurn } from '../nightly.ts'
import type { NodeProcess } from '../node-process.ts'
import { runHere } from './run-here.ts'

/** Starts a site with this mistake. @returns the folder of its profile */
async function openSite(t: Test, option: '2A' | '2B', mistake: string, changes = {}): Promise<string> {
  const site = await startBareSite(option, mistake)
  t.teardown(site.close)
  return writeProfile(t, bareProfile(option, site.url, changes))
}

/** @returns the folder */
function writeProfile(t: Test, profile: object): string {
  const folder = t.testdir({})
  writeFileSync(join(folder, 'profile.json'), JSON.stringify(profile))
  return folder
}

/** Without a process, which costs more than to check a site. */
const conformIn = (folder: string, args: string[], env = {}) =>
  runHere(conform, args, { ...process.env, INIT_CWD: folder, ...env })

t.test('exit code 1: a site that fails', async t => {
  const folder = await openSite(t, '2A', 'quantity-in-words')
  const { code, stdout } = await conformIn(folder, ['profile.json'])
  t.equal(code, 1)
  t.match(stdout, /FAILED +exact-items .*\n.*The quantity of red-mug is "several".*\n +Sent: In a web view: curl .*/)
  t.match(stdout, /not judged +isolation .*\n +It depends on exact-items, which failed\./)
  const folderAsFile = await conformIn(folder, ['profile.json', '--json', '.'])
  const printedFirst = { code: 2, stdout: /FAILED +exact-items/, stderr: `${folder}: it is a folder\n` }
  t.match(folderAsFile, printedFirst, 'the table is printed before the report fails')
  const broken = await conformIn(folder, ['profile.json'], { CHROMIUM: '/bin/false' })
  t.match(broken, { code: 2, stderr: /launch/ }, 'the browser does not start')
})

t.test('a page that blocks the browser for ever fails, and the kit ends', async t => {
  const folder = await openSite(t, '2A', 'blocks', { timeoutSeconds: 1 })
  const { code, stdout, stderr } = await runConform({ folder, args: ['profile.json'] })
  t.strictSame({ code, stderr }, { code: 1, stderr: '' })
  t.match(stdout, /FAILED +exact-items .*\n +The page did not respond within 1 s\./)
})

t.test('exit code 3: nothing failed, but not everything was judged', async t => {
  const folder = await openSite(t, '2B', 'busy')
  const { code, stdout } = await conformIn(folder, ['profile.json'])
  t.equal(code, 3)
  t.match(stdout, /^0 passed, 0 failed, 34 not judged, 0 skipped$/m)
})

t.test('exit code 2: the kit could not run', async t => {
  const folder = writeProfile(t, bareProfile('1', 'http://127.0.0.1:9/cart', { option: '9' }))
  const noChromium = `import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
const { existsSync } = fs
fs.existsSync = path => !/chrom/i.test(path) && existsSync(path)
syncBuiltinESMExports()`
  writeFileSync(join(folder, 'offline.json'), JSON.stringify(bareProfile('1', 'http://127.0.0.1:9/cart')))
  const token = ['--token-from', 'NO_SUCH_TOKEN']
  const cases: [args: string[], stderr: RegExp][] = [
    [[], /give one profile\n\nnpm run conform/],
    [['none.json'], /none\.json: there is no such file; give the path of a profile\n$/],
    [['profile.json'], /profile\.json:1: option: it is "9"; give how a cart arrives/],
    [['offline.json', ...token], /NO_SUCH_TOKEN is not set; give it the token/],
    [['offline.json', '--json', 'no/such/folder.json'], /^there is no folder .*no\/such to write folder.json into/],
    [['offline.json'], /^nothing listens at http:\/\/127\.0\.0\.1:9; start the site, or correct the address\n$/]
  ]
  for (const [args, stderr] of cases) {
    t.match(await conformIn(folder, args), { code: 2, stdout: '', stderr }, args.join(' '))
  }
  const ran = await runConform({ folder, coverage: true, args: ['offline.json'], preload: noChromium })
  t.match(ran, { code: 2, stdout: '', stderr: /no Chromium found; run `npm run chromium` to install one/ })
})

t.test('a certificate that is not trusted, and how it is', async t => {
  const origin = await startTlsServer(t)
  const folder = writeProfile(t, bareProfile('2A', `${origin}/cart`))
  const args = ['profile.json']
  t.match(await conformIn(folder, args), {
    code: 2,
    stdout: '',
    stderr: /certificate of .* is not trusted .*NODE_EXTRA_CA_CERTS=authority\.pem/
  })
  // The browser shows the page now, and finds no bag in it.
  const trusted = await runConform({ folder, args, coverage: true, env: { NODE_EXTRA_CA_CERTS: AUTHORITY_FILE } })
  t.match(trusted, { code: 1, stdout: /FAILED +exact-items .*\n +The status is 404/, stderr: '' })
})

const SIGNALS = [
  ['SIGINT', 130],
  ['SIGTERM', 143]
] as const

for (const [signal, code] of inTurn(SIGNALS, 0)) {
  t.test(`${signal} stops the kit, which has sent the token that it was given and leaves no files behind`, async t => {
    const requested = Promise.withResolvers<string | undefined>()
    const { origin } = await listen(t, ({ headers }) => requested.resolve(headers.authorization))
    const folder = writeProfile(t, bareProfile('1', `${origin}/cart`))
    // Chromium limits the length of its paths, and a test folder's exceeds it.
    const temporary = mkdtempSync(join(tmpdir(), 'ct-'))
    t.teardown(() => rmSync(temporary, { recursive: true }))
    // By the first request the browser is running: it has checked the selectors.
    const onStart = (child: NodeProcess) => requested.promise.then(() => child.kill(signal))
    const ran = await runConform({
      folder,
      coverage: signal === 'SIGINT',
      args: ['profile.json', '--token-from', 'SITE_TOKEN'],
      env: { TMPDIR: temporary, SITE_TOKEN: 'open-sesame' },
      onStart
    })
    t.equal(await requested.promise, 'Bearer open-sesame')
    t.strictSame(ran, { code, stdout: '', stderr: `stopped by ${signal}; nothing was reported\n` })
    t.notMatch(readdirSync(temporary).join(' '), /playwright|cart-transfer/)
  })
}

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
  const cases: [verdicts: CheckVerdict[], code: number, strict: number][] = [
    [['passed', 'passed'], 0, 0],
    [['passed', 'failed', 'not judged', 'skipped'], 1, 1],
    // A check that could not be judged has not passed. What the profile leaves out is not asked for.
    [['passed', 'not judged'], 3, 3],
    [['passed', 'skipped'], 0, 3]
  ]
  for (const [verdicts, code, strict] of cases) {
    const report = reportOf(...verdicts)
    t.equal(exitCodeOf(report), code, verdicts.join())
    t.equal(exitCodeOf({ ...report, isStrict: true }), strict, `strict: ${verdicts.join()}`)
    t.equal(JSON.parse(jsonReport({ ...report, isStrict: true })).exitCode, strict)
  }
})

t.test('the table lists every check, with control characters escaped', async t => {
  const text = textReport(reportOf('passed', 'failed', 'not judged', 'skipped'))
  t.match(text, /^description\n {2}passed +description-json +contract 4\.1 rule 1 +The response to a bag/m)
  t.match(text, /^ {2}FAILED +description-types .*\n {6}It came:\n {6}<\/failure>.*\n {6}Always send "url"/m)
  t.match(text, /^ {2}not judged +.*\n {6}It came:\n/m)
  t.match(text, /^ {2}skipped +.*\n {6}It came:\n/m)
  const sums = [
    'This site does not conform to the contract.',
    'contract: 1 passed, 1 failed, 0 not judged, 1 skipped',
    'good practice: 0 passed, 0 failed, 1 not judged, 0 skipped',
    '1 passed, 1 failed, 1 not judged, 1 skipped'
  ]
  t.ok(text.endsWith(`\n${sums.join('\n')}\n`), text)
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
    counts: { passed: 1, failed: 1, 'not judged': 0, skipped: 0 },
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
  const text = junitReport(reportOf('passed', 'failed', 'not judged', 'skipped'))
  t.match(
    text,
    /<testsuite name="description" timestamp="2026-11-20T10:00:00" tests="4" failures="1" skipped="2" errors="0" time="6">/
  )
  t.equal(text.match(/<testcase /g)?.length, 4)
  t.match(text, /<failure message="A required field was missing, .*: It came:">It came:\n&lt;\/failure&gt;/)
  t.equal(text.match(/<skipped message="It came:/g)?.length, 2)
  t.notMatch(text, '<script')
  for (const forbidden of ['\u0000', '\u001b', '\ud800', '\ufffe']) t.notOk(text.includes(forbidden))
})

t.test('the HTML report is self-contained, shows failures first and side by side, and folds what passed', async t => {
  const html = htmlReport(reportOf('passed', 'failed', 'not judged', 'skipped'))
  t.match(html, /class="failed"><p class="what">contract<\/p><p class="says">Does not conform to the contract</)
  t.match(html, /<p>1 of 3 passed, 1 failed, 1 skipped<\/p>/)
  t.match(
    html,
    /<h2>Not judged<\/h2>.*<span>1 not judged<.*<p>What could not be judged has not passed\. .*<h2>Skipped<\/h2>.*<span>1 skipped<.*<p>The profile has no entry that these need\.</s
  )
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
