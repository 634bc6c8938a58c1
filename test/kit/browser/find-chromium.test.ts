// Which Chromium plays the web view.
import t from 'tap'
import { findChromium, knownPaths, NoChromiumError } from '../../../src/kit/browser/find-chromium.ts'

t.test('the configured one comes first, then the first that exists', t => {
  const here = import.meta.filename
  t.equal(findChromium(here, ['/']), here)
  t.equal(findChromium('/none/such', ['/nor/this', '/']), '/')
  t.equal(findChromium(undefined, ['/']), '/')
  t.end()
})

t.test('if there is none, the error says what to do', t => {
  const none = () => findChromium('/none/such', [])
  t.throws(none, { constructor: NoChromiumError, message: /npm run chromium/ })
  t.end()
})

t.test('the last place is where playwright puts its own', t => {
  t.match([...knownPaths()].at(-1), /chrom/i)
  t.end()
})
