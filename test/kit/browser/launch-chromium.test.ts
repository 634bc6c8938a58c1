// A Chromium that was found is started as its headless shell, if there is one.
import { join } from 'node:path'
import t from 'tap'
import { headlessShell } from '../../../src/kit/browser/launch-chromium.ts'

t.test('the headless shell next to Chromium is used; otherwise Chromium', t => {
  const folder = t.testdir({ chromium: '', 'chromium-headless-shell': '', chrome: '' })
  t.equal(headlessShell(join(folder, 'chromium')), join(folder, 'chromium-headless-shell'))
  t.equal(headlessShell(join(folder, 'chrome')), join(folder, 'chrome'))
  t.end()
})
