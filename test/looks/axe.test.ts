// axe-core, in real Chromium, finds nothing: on every page, in every state, language and theme.
import axe from 'axe-core'
import t from 'tap'
import { languages } from '../../src/messages/messages.ts'
import { openBrowser } from './browser.ts'
import { looks } from './pages.ts'
import { openLookedAt } from './shop.ts'

/** What axe found, each with the elements that it found it on. */
type Found = { id: string; nodes: string[] }[]

const run = (options: object) =>
  `axe.run(${JSON.stringify(options)}).then(({ violations }) =>
    violations.map(({ id, nodes }) => ({ id, nodes: nodes.map(({ html, failureSummary }) => html + failureSummary) })))`
const EVERYTHING = run({ resultTypes: ['violations'] })
/** The theme changes nothing but colours. */
const COLOURS = run({ runOnly: ['color-contrast'], resultTypes: ['violations'] })

t.setTimeout(300_000)
t.test('axe finds nothing', async t => {
  const shop = await openLookedAt(t, 'harbour')
  const browser = await openBrowser(t)
  const context = await browser.newContext({ viewport: { width: 390, height: 844 } })
  const page = await context.newPage()
  for (const language of Object.keys(languages)) {
    t.test(language, async t => {
      await page.setExtraHTTPHeaders({ 'Accept-Language': language })
      for (const { name, isOnlyLooks, open } of looks) {
        if (isOnlyLooks) continue
        await page.emulateMedia({ colorScheme: 'light' })
        await open(page, shop)
        await page.evaluate(axe.source)
        t.strictSame((await page.evaluate(EVERYTHING)) as Found, [], name)
        await page.emulateMedia({ colorScheme: 'dark' })
        t.strictSame((await page.evaluate(COLOURS)) as Found, [], `${name}, dark`)
      }
    })
  }
})

t.test('axe is awake: it finds what is wrong with a page', async t => {
  const browser = await openBrowser(t)
  const page = await browser.newPage()
  await page.setContent('<p style="color:#ccc">pale</p><img src="x.png">')
  await page.evaluate(axe.source)
  const found = ((await page.evaluate(EVERYTHING)) as Found).map(({ id }) => id)
  t.match(new Set(found), new Set(['color-contrast', 'html-has-lang', 'image-alt']))
})
