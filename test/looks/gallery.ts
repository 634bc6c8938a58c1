// `npm run gallery`: photographs of every page in every state, language, theme and width, into data/gallery/ (or a
// folder given), to be looked at. Words after `--` choose: `npm run gallery -- checkout de dark 390`.
import { mkdirSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import t from 'tap'
import { languages } from '../../src/messages/messages.ts'
import { openBrowser } from './browser.ts'
import { looks } from './pages.ts'
import { openLookedAt } from './shop.ts'

const FOLDER = resolve(import.meta.dirname, '../../data/gallery')
const THEMES = ['light', 'dark'] as const
const WIDTHS = [320, 390, 768, 1280]
const HEIGHT = 844

const wanted = process.argv.slice(2)
/** Those of a kind that were named, or all. */
function chosen<T extends string | number>(all: T[]): T[] {
  const named = all.filter(one => wanted.includes(String(one)))
  return named.length > 0 ? named : all
}

t.setTimeout(30 * 60_000)
t.test('gallery', async t => {
  if (wanted.length === 0) rmSync(FOLDER, { recursive: true, force: true })
  const shop = await openLookedAt(t, 'harbour')
  const browser = await openBrowser(t)
  for (const language of chosen(Object.keys(languages))) {
    const page = await browser.newPage({ extraHTTPHeaders: { 'Accept-Language': language } })
    for (const name of chosen(looks.map(({ name }) => name))) {
      await page.setViewportSize({ width: 390, height: HEIGHT })
      await looks.find(look => look.name === name)?.open(page, shop)
      for (const colorScheme of chosen([...THEMES])) {
        await page.emulateMedia({ colorScheme })
        for (const width of chosen(WIDTHS)) {
          await page.setViewportSize({ width, height: HEIGHT })
          // As tall as the page, so that nothing sticks in its middle; of 500 lines the first say enough.
          if (name !== 'checkout-500-lines') {
            const height = Number(await page.evaluate('document.documentElement.scrollHeight'))
            await page.setViewportSize({ width, height: Math.max(height, HEIGHT) })
          }
          const folder = join(FOLDER, `${width}`, `${language}-${colorScheme}`)
          mkdirSync(folder, { recursive: true })
          await page.screenshot({ path: join(folder, `${name}.png`) })
        }
      }
      t.pass(`${language} ${name}`)
    }
    await page.close()
  }
})
