// Which Chromium it is that plays the web view.
import t from 'tap'
import { findChromium, NoChromium } from '../../../src/kit/browser/find-chromium.ts'

t.test('the one that is named goes first, then the first that is there', t => {
  const here = import.meta.filename
  t.equal(findChromium(here, ['/']), here)
  t.equal(findChromium('/none/such', ['/nor/this', '/']), '/')
  t.equal(findChromium(undefined, ['/']), '/')
  t.end()
})

t.test('where there is none, it says what to do', t => {
  const none = () => findChromium('/none/such', [])
  t.throws(none, { constructor: NoChromium, message: /npm run chromium/ })
  t.end()
})
