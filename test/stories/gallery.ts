// `npm run gallery`: screenshots of every story in every language, theme and width, in data/gallery/, with the fonts of packages. Arguments select
// some of them: `npm run gallery -- harbour checkout de dark 390`.
import { mkdirSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Page } from 'playwright-core'
import t from 'tap'
import { fontsOf, showIn } from './fonts.ts'
import { expectedFacts, inspectPage } from './inspect-page.ts'
import { openBrowser } from './open-browser.ts'
import { storiesOf, variants } from './stories.ts'
import { openStoryShop } from './story-shop.ts'

const FOLDER = resolve(import.meta.dirname, '../../data/gallery')
const THEMES = ['light', 'dark'] as const
const WIDTHS = [320, 390, 768, 1280]
const HEIGHT = 844

const selection = process.argv.slice(2)
/** The values that were selected, or all of them. */
function select<T extends string | number>(all: T[]): T[] {
  const selected = all.filter(value => selection.includes(String(value)))
  return selected.length > 0 ? selected : all
}

/** Takes a screenshot at every width. */
async function takeScreenshots(page: Page, isLong: boolean, fileAt: (width: number) => string): Promise<void> {
  for (const width of select(WIDTHS)) {
    await page.setViewportSize({ width, height: HEIGHT })
    // As tall as the page, so that the sticky total is at its end; the first of 500 lines are enough.
    if (!isLong) {
      const height = Number(await page.evaluate('document.documentElement.scrollHeight'))
      await page.setViewportSize({ width, height: Math.max(height, HEIGHT) })
    }
    // What has just come into view is painted two frames later.
    await page.evaluate('new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))')
    await page.screenshot({ path: fileAt(width) })
  }
}

t.setTimeout(60 * 60_000)
t.test('gallery', async t => {
  if (selection.length === 0) rmSync(FOLDER, { recursive: true, force: true })
  const browser = await openBrowser(t)
  const ids = select([...new Set(variants.map(({ id }) => id))])
  const languages = select([...new Set(variants.map(({ language }) => language))])
  for (const { id, language } of variants) {
    if (!ids.includes(id) || !languages.includes(language)) continue
    await t.test(`${id}, ${language}`, async t => {
      const shop = await openStoryShop(t, id)
      const page = await browser.newPage({ extraHTTPHeaders: { 'Accept-Language': language } })
      await showIn(page, fontsOf(shop.merchant), language)
      const stories = storiesOf(shop.merchant)
      const names = select(stories.map(({ name }) => name))
      for (const story of stories.filter(({ name }) => names.includes(name))) {
        await page.setViewportSize({ width: 390, height: HEIGHT })
        await story.open(page, shop)
        t.strictSame((await inspectPage(page, story, language)).facts, expectedFacts(story, language), story.name)
        for (const colorScheme of select([...THEMES])) {
          await page.emulateMedia({ colorScheme })
          await takeScreenshots(page, story.isLong === true, width => {
            const folder = join(FOLDER, id, `${width}`, `${language}-${colorScheme}`)
            mkdirSync(folder, { recursive: true })
            return join(folder, `${story.name}.png`)
          })
        }
      }
      await page.close()
    })
  }
})
