// Which Chromium plays the web view.
import { join } from 'node:path'
import t from 'tap'
import { OperatorError } from '../../../src/errors.ts'
import { chromiumPath, findPlaywright, headlessShell, knownPaths } from '../../../src/kit/browser/launch-chromium.ts'

t.test('the configured one comes first, then the first that exists', t => {
  const here = import.meta.filename
  t.equal(chromiumPath(here, ['/']), here)
  t.equal(chromiumPath('/none/such', ['/nor/this', '/']), '/')
  t.equal(chromiumPath(undefined, ['/']), '/')
  t.equal(chromiumPath('/none/such', []), undefined)
  t.end()
})

t.test('the last place is where playwright puts its own', t => {
  t.match([...knownPaths()].at(-1), /chrom/i)
  t.end()
})

t.test('without playwright, as in an installation for production, the error says how to get it', async t => {
  t.throws(
    () => findPlaywright('file:///none/such.ts'),
    new OperatorError(
      'playwright-core is not installed: "npm ci --omit=dev" leaves out what only tests and screenshots need; run "npm ci"'
    )
  )
})

t.test('the headless shell next to Chromium is used; otherwise Chromium', t => {
  const folder = t.testdir({ chromium: '', 'chromium-headless-shell': '', chrome: '' })
  t.equal(headlessShell(join(folder, 'chromium')), join(folder, 'chromium-headless-shell'))
  t.equal(headlessShell(join(folder, 'chrome')), join(folder, 'chrome'))
  t.end()
})
