// `npm run conform`: its exit code gives the result.
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { conform } from '../../src/cli/conform.ts'
import { AUTHORITY_FILE, startTlsServer } from '../kit/certificates/tls-server.ts'
import { startBareSite } from '../kit/conformance/bare-site.ts'
import { bareProfile } from '../kit/conformance/kit.ts'
import { runConform } from '../kit/conformance/run-conform.ts'
import { listen } from '../listen.ts'
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

t.test('exit code 1: a site that fails', async t => {
  const folder = await openSite(t, '2A', 'quantity-in-words')
  const { code, stdout } = await runConform({ folder, args: ['profile.json'] })
  t.equal(code, 1)
  t.match(stdout, /FAILED +exact-items .*\n.*The quantity of red-mug is "several".*\n +Sent: In a web view: curl .*/)
  t.match(stdout, /not judged +isolation .*\n +It depends on exact-items, which failed\./)
  const folderAsFile = await runConform({ folder, args: ['profile.json', '--json', '.'] })
  const printedFirst = { code: 2, stdout: /FAILED +exact-items/, stderr: /EISDIR/ }
  t.match(folderAsFile, printedFirst, 'the table is printed before the report fails')
  const broken = await runConform({ folder, coverage: true, args: ['profile.json'], env: { CHROMIUM: '/bin/false' } })
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
  const { code, stdout } = await runConform({ folder, args: ['profile.json'] })
  t.equal(code, 3)
  t.match(stdout, /^0 passed, 0 failed, 31 not judged$/m)
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
    [['offline.json'], /connect ECONNREFUSED 127\.0\.0\.1:9/]
  ]
  const variables = { ...process.env, INIT_CWD: folder }
  for (const [args, stderr] of cases) {
    t.match(await runHere(conform, args, variables), { code: 2, stdout: '', stderr }, args.join(' '))
  }
  const ran = await runConform({ folder, coverage: true, args: ['offline.json'], preload: noChromium })
  t.match(ran, { code: 2, stdout: '', stderr: /no Chromium found; run `npm run chromium` to install one/ })
})

t.test('a certificate that is not trusted, and how it is', async t => {
  const origin = await startTlsServer(t)
  const folder = writeProfile(t, bareProfile('2A', `${origin}/cart`))
  const args = ['profile.json']
  t.match(await runConform({ folder, args }), {
    code: 2,
    stdout: '',
    stderr: /certificate of .* is not trusted .*NODE_EXTRA_CA_CERTS=authority\.pem/
  })
  // The browser shows the page now, and finds no bag in it.
  const trusted = await runConform({ folder, args, coverage: true, env: { NODE_EXTRA_CA_CERTS: AUTHORITY_FILE } })
  t.match(trusted, { code: 1, stdout: /FAILED +exact-items .*\n +The status is 404/, stderr: '' })
})

for (const [signal, code] of [
  ['SIGINT', 130],
  ['SIGTERM', 143]
] as const) {
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
