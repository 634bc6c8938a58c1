// axe-core, in real Chromium, finds nothing: on every page, in every state, language and theme. Which page is read in
// which language: `rounds` in pages.ts.
import { fileURLToPath } from 'node:url'
import type { Browser, Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { PHONE } from '../../src/kit/browser/web-view.ts'
import { languages, type MessageName } from '../../src/messages/messages.ts'
import { openBrowser } from './browser.ts'
import { isSaid, type Seen, seen, wanted } from './inspect-page.ts'
import { openStoryShop } from './shop.ts'
import { type Round, rounds, showsTheme, storiesOf } from './stories.ts'
import type { Story } from './story.ts'

/** Its small edition, as every page has to read it anew. */
const AXE = fileURLToPath(import.meta.resolve('axe-core/axe.min.js'))

/** What axe found or could not tell, each with the elements that it found it on. */
type Found = { id: string; nodes: string[] }[]

/** At its end nothing of a page sticks over the rest, whose colours axe could not tell. */
const run = (options: object) => `
  scrollTo(0, document.documentElement.scrollHeight)
  axe.run(${JSON.stringify({ resultTypes: ['violations', 'incomplete'], preload: false, ...options })}).then(
    ({ violations, incomplete }) => [...violations, ...incomplete].map(({ id, nodes }) => ({
      id,
      nodes: nodes.map(({ html, failureSummary }) => html + failureSummary)
    }))
  )`
const EVERYTHING = run({})
/** The theme changes nothing but colours. */
const COLOURS = run({ runOnly: ['color-contrast'] })

async function openWithAxe(browser: Browser, language: string): Promise<Page> {
  const page = await browser.newPage({ viewport: PHONE, extraHTTPHeaders: { 'Accept-Language': language } })
  await page.addInitScript({ path: AXE })
  return page
}

/** Reads the stories of a round, in the dark theme only those that show it. @returns what was seen of each */
async function readRound(t: Test, browser: Browser, { id, language, reads }: Round, isFirst: boolean) {
  const shop = await openStoryShop(t, id)
  const page = await openWithAxe(browser, language)
  t.teardown(() => page.close())
  const all: (Seen & { story: Story })[] = []
  for (const story of storiesOf(shop.merchant)) {
    if ((story.isLong && !isFirst) || !reads(story)) continue
    await story.open(page, shop)
    const what = await seen(page, story, language)
    all.push({ story, ...what })
    t.strictSame(what.known, wanted(story, language), `${story.name}: it is this page`)
    t.strictSame((await page.evaluate(EVERYTHING)) as Found, [], story.name)
    if (!showsTheme(story)) continue
    await page.emulateMedia({ colorScheme: 'dark' })
    t.strictSame((await page.evaluate(COLOURS)) as Found, [], `${story.name}, dark`)
    await page.emulateMedia({ colorScheme: 'light' })
  }
  return all
}

t.setTimeout(300_000)
t.test('axe finds nothing', async t => {
  const browser = await openBrowser(t)
  // While one page is on its way, another is read.
  t.jobs = 2
  const [first, ...others] = rounds as [Round, ...Round[]]
  t.test(`${first.id}, ${first.language}: and nothing is left out`, { buffered: true }, async t => {
    const all = await readRound(t, browser, first, true)
    const texts = all.map(({ text }) => text).join('\n')
    // Which names of fields there are is a matter of the country.
    const names = (Object.keys(languages.en) as MessageName[]).filter(name => !name.startsWith('field-'))
    const unsaid = names.filter(name => !isSaid(name, first.language, texts))
    t.strictSame(unsaid, [], 'every message is somewhere among the stories')
    const themed = new Set(all.filter(({ story }) => showsTheme(story)).flatMap(({ kinds }) => kinds))
    const unthemed = new Set(
      all.flatMap(({ story, kinds }) => kinds.filter(kind => !themed.has(kind)).map(kind => `${story.name}: ${kind}`))
    )
    t.strictSame([...unthemed], [], 'every kind of element is somewhere among the stories that show a theme')
  })
  for (const round of others) {
    t.test(`${round.id}, ${round.language}`, { buffered: true }, async t => {
      await readRound(t, browser, round, false)
    })
  }
})

t.test('axe is awake: it finds what is wrong with a page', async t => {
  const page = await openWithAxe(await openBrowser(t), 'en')
  await page.goto('data:text/html,<p style="color:%23ccc">pale</p><img src="x.png">')
  const found = ((await page.evaluate(EVERYTHING)) as Found).map(({ id }) => id)
  t.match(new Set(found), new Set(['color-contrast', 'html-has-lang', 'image-alt']))
})
