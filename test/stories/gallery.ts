// `npm run gallery`: photographs of every page in every state, language, theme and width, into data/gallery/, to be
// looked at. Words after `--` choose: `npm run gallery -- harbour checkout de dark 390`.
import { mkdirSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Page } from 'playwright-core'
import t from 'tap'
import { openBrowser } from './browser.ts'
import { seen, wanted } from './inspect-page.ts'
import { openStoryShop } from './shop.ts'
import { rounds, storiesOf } from './stories.ts'

const FOLDER = resolve(import.meta.dirname, '../../data/gallery')
const THEMES = ['light', 'dark'] as const
const WIDTHS = [320, 390, 768, 1280]
const HEIGHT = 844

const named = process.argv.slice(2)
/** Those of a kind that were named, or all. */
function chosen<T extends string | number>(all: T[]): T[] {
  const some = all.filter(one => named.includes(String(one)))
  return some.length > 0 ? some : all
}

/** Photographs what the browser shows, at every width. */
async function photograph(page: Page, isLong: boolean, fileAt: (width: number) => string): Promise<void> {
  for (const width of chosen(WIDTHS)) {
    await page.setViewportSize({ width, height: HEIGHT })
    // As tall as the page, so that nothing sticks in its middle; of 500 lines the first say enough.
    if (!isLong) {
      const height = Number(await page.evaluate('document.documentElement.scrollHeight'))
      await page.setViewportSize({ width, height: Math.max(height, HEIGHT) })
    }
    // What was not to be seen before is painted in the frame after the next.
    await page.evaluate('new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))')
    await page.screenshot({ path: fileAt(width) })
  }
}

t.setTimeout(60 * 60_000)
t.test('gallery', async t => {
  if (named.length === 0) rmSync(FOLDER, { recursive: true, force: true })
  const browser = await openBrowser(t)
  const ids = chosen([...new Set(rounds.map(({ id }) => id))])
  const tongues = chosen([...new Set(rounds.map(({ language }) => language))])
  for (const { id, language } of rounds) {
    if (!ids.includes(id) || !tongues.includes(language)) continue
    await t.test(`${id}, ${language}`, async t => {
      const shop = await openStoryShop(t, id)
      const page = await browser.newPage({ extraHTTPHeaders: { 'Accept-Language': language } })
      const stories = storiesOf(shop.merchant)
      const names = chosen(stories.map(({ name }) => name))
      for (const story of stories.filter(({ name }) => names.includes(name))) {
        await page.setViewportSize({ width: 390, height: HEIGHT })
        await story.open(page, shop)
        t.strictSame((await seen(page, story, language)).known, wanted(story, language), story.name)
        for (const colorScheme of chosen([...THEMES])) {
          await page.emulateMedia({ colorScheme })
          await photograph(page, story.isLong === true, width => {
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
