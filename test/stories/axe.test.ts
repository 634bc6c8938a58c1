// axe-core finds no violation in real Chromium. In `npm test` every story of one merchant is opened in one language and colour scheme,
// by turns, and checked if it has a kind of element that none before had; `variants` in stories.ts says what is checked nightly.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Browser, Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { htmlReport } from '../../src/cli/conform.ts'
import { PHONE } from '../../src/kit/browser/web-view.ts'
import type { Check } from '../../src/kit/conformance/check.ts'
import { checks } from '../../src/kit/conformance/checks/checks.ts'
import type { Profile } from '../../src/kit/conformance/profile.ts'
import { basisOf, type ConformanceReport } from '../../src/kit/conformance/run-checks.ts'
import { LINK_NAMES } from '../../src/merchant/merchant-schema.ts'
import { type Language, languages, type MessageName } from '../../src/messages/messages.ts'
import { isNightly } from '../nightly.ts'
import { type Fonts, MEASURED, showIn } from './fonts.ts'
import { expectedFacts, hasMessage, type Inspection, inspectPage } from './inspect-page.ts'
import { openBrowser } from './open-browser.ts'
import { schemeOf, showsTheme, storiesOf, type Variant, variants } from './stories.ts'
import type { Story } from './story.ts'
import { openStoryShop } from './story-shop.ts'

/** The minified build, as every page that is checked has to parse it again. */
const AXE = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')

/** Violations and undecided checks, each with the elements it concerns. */
type Findings = { id: string; nodes: string[] }[]

/** Scrolls to the end first: axe cannot judge the contrast of text under the sticky total. */
const runAxe = (options: object) => `
  scrollTo(0, document.documentElement.scrollHeight)
  axe.run(${JSON.stringify({ resultTypes: ['violations', 'incomplete'], preload: false, ...options })}).then(
    ({ violations, incomplete }) => [...violations, ...incomplete].map(({ id, nodes }) => ({
      id,
      nodes: nodes.map(({ html, failureSummary }) => html + failureSummary)
    }))
  )`
const ALL_RULES = runAxe({})
/** For the dark theme, which changes only colours. */
const CONTRAST_ONLY = runAxe({ runOnly: ['color-contrast'] })

function openPage(browser: Browser, language: string): Promise<Page> {
  return browser.newPage({ viewport: PHONE, extraHTTPHeaders: { 'Accept-Language': language } })
}

async function checkAll(page: Page): Promise<Findings> {
  await page.evaluate(AXE)
  return page.evaluate(ALL_RULES)
}

type Inspected = Inspection & { story: Story; language: Language }

/**
 * Checks the stories of a variant; nightly, those that show the theme in dark mode too.
 * @param known kinds of elements that axe has checked, to which those of this variant are added
 * @returns what each showed
 */
async function checkStories(
  t: Test,
  browser: Browser,
  { id, language, isChecked }: Variant,
  fonts: Fonts,
  known: Set<string>
) {
  const shop = await openStoryShop(t, id)
  const page = await openPage(browser, language)
  t.teardown(() => page.close())
  await showIn(page, fonts, language)
  const inspected: Inspected[] = []
  for (const story of storiesOf(shop.merchant).filter(isChecked)) {
    await page.emulateMedia({ colorScheme: isNightly ? 'light' : schemeOf(story) })
    await story.open(page, shop)
    const inspection = await inspectPage(page, story, language)
    inspected.push({ story, language, ...inspection })
    t.strictSame(inspection.facts, expectedFacts(story, language), `${story.name}: the page is the right one`)
    const isNew = inspection.kinds.some(kind => !known.has(kind))
    if (!story.isLong && (isNightly || isNew)) {
      for (const kind of inspection.kinds) known.add(kind)
      t.strictSame(await checkAll(page), [], story.name)
    }
    if (!isNightly || !showsTheme(story)) continue
    await page.emulateMedia({ colorScheme: 'dark' })
    t.strictSame((await page.evaluate(CONTRAST_ONLY)) as Findings, [], `${story.name}, dark`)
  }
  return inspected
}

t.test('axe finds no violation', async t => {
  const browser = await openBrowser(t)
  const inspected: Inspected[] = []
  const known = new Set<string>()
  await t.test('each story', async t => {
    const checked = isNightly ? variants : variants.filter(({ id }) => id === variants[0]?.id)
    for (const [i, variant] of checked.entries()) {
      const fonts = MEASURED[i % MEASURED.length] as Fonts
      await t.test(`${variant.id}, ${variant.language}, ${fonts} font`, async t => {
        inspected.push(...(await checkStories(t, browser, variant, fonts, known)))
      })
    }
  })
  t.test('the stories cover every message and every kind of element', async t => {
    // Field labels depend on the country, links, what delivery costs and takes, and a gift note on the shop.
    const durations = ['same-day', 'working-days', 'from-to']
    // Shoppers who do not come from the app read other sentences in the same places. A browser sends no line break from a field of one line.
    const others = new Set<string>([...LINK_NAMES, 'free', ...durations, 'add-gift-note', 'character-break'])
    const names = (Object.keys(languages.en) as MessageName[]).filter(
      name => !name.startsWith('field-') && !name.endsWith('-without-app') && !others.has(name)
    )
    const isShown = (name: MessageName) => inspected.some(({ language, text }) => hasMessage(name, language, text))
    t.strictSame(
      names.filter(name => !isShown(name)),
      [],
      'every message appears in some story'
    )
    const themed = new Set(inspected.filter(({ story }) => showsTheme(story)).flatMap(({ kinds }) => kinds))
    const unthemed = new Set(
      inspected.flatMap(({ story, kinds }) =>
        kinds.filter(kind => !themed.has(kind)).map(kind => `${story.name}: ${kind}`)
      )
    )
    t.strictSame([...unthemed], [], 'every kind of element appears in a story that shows the theme')
  })
})

/** One result for each verdict on each basis, and a picture with each. */
const REPORT: ConformanceReport = {
  profile: { name: 'Acme', option: '1', url: 'https://shop.example/cart' } as Profile,
  at: '2026-11-20T10:00:00.123Z',
  results: Object.values(Object.groupBy(checks, basisOf)).flatMap(of =>
    (['passed', 'failed', 'not judged', 'skipped'] as const).map((verdict, i) => ({
      check: of[i] as Check,
      verdict,
      detail: 'It came',
      happened: 'It happened',
      findings: [
        { mistake: 'one of several', sent: [`curl ${'x'.repeat(200)}`, 'Reload'], expected: 'this', got: 'that' }
      ],
      milliseconds: 1,
      screenshots: [{ caption: 'when opened', jpeg: new Uint8Array() }]
    }))
  )
}

t.test('axe finds no violation in a report of the conformance kit, and reports those of a faulty page', async t => {
  const page = await openPage(await openBrowser(t), 'en')
  await page.setContent(htmlReport(REPORT))
  await page.evaluate(`document.querySelectorAll('details').forEach(details => { details.open = true })`)
  t.equal(await page.evaluate(`document.querySelectorAll('article, .not-judged li, .passed > ul > li').length`), 8)
  t.strictSame(await checkAll(page), [], 'the report')
  await page.emulateMedia({ colorScheme: 'dark' })
  t.strictSame((await page.evaluate(CONTRAST_ONLY)) as Findings, [], 'the report, dark')
  await page.emulateMedia({ colorScheme: 'light' })
  await page.goto('data:text/html,<p style="color:%23ccc">pale</p><img src="x.png">')
  const found = (await checkAll(page)).map(({ id }) => id)
  t.match(new Set(found), new Set(['color-contrast', 'html-has-lang', 'image-alt']))
})
