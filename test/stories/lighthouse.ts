// `npm run lighthouse`: Lighthouse with its mobile preset on checkout and confirmation. Fails below 100 for performance,
// accessibility or best practices. npx fetches Lighthouse, which is far larger than all dependencies of the tests.
import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { chromiumPath } from '../browser/views.ts'
import { openBrowser } from './open-browser.ts'
import { openStory } from './stories.ts'
import { openStoryShop } from './story-shop.ts'

const VERSION = '13.5.0'
const CATEGORIES = ['performance', 'accessibility', 'best-practices']
const FOLDER = join(import.meta.dirname, '../../data/lighthouse')

/** The part of Lighthouse's report that is read here. */
type Report = {
  categories: Record<string, { score: number; auditRefs: { id: string; weight: number }[] }>
  audits: Record<string, { title: string; score: number | null; displayValue?: string }>
}

async function measure(url: string, name: string): Promise<Report> {
  mkdirSync(FOLDER, { recursive: true })
  const file = join(FOLDER, `${name}.json`)
  const options = [
    `--only-categories=${CATEGORIES.join(',')}`,
    '--output=json',
    `--output-path=${file}`,
    '--quiet',
    '--chrome-flags=--headless=new --no-sandbox --disable-background-networking'
  ]
  const env = { ...process.env, CHROME_PATH: chromiumPath() }
  await promisify(execFile)('npx', ['--yes', `lighthouse@${VERSION}`, url, ...options], { env })
  return JSON.parse(readFileSync(file, 'utf8'))
}

t.setTimeout(10 * 60_000)
t.test('lighthouse', async t => {
  const shop = await openStoryShop(t, 'harbour')
  const browser = await openBrowser(t)
  const page = await browser.newPage()
  for (const name of ['checkout', 'confirmation']) {
    await openStory(name, page, shop)
    let { categories, audits } = await measure(page.url(), name)
    // On a busy machine, the best of three runs says most about the page.
    for (let retries = 2; retries > 0 && categories.performance?.score !== 1; retries--) {
      const again = await measure(page.url(), name)
      if (Number(again.categories.performance?.score) > Number(categories.performance?.score))
        ({ categories, audits } = again)
    }
    for (const category of CATEGORIES) {
      const { score = 0, auditRefs = [] } = categories[category] ?? {}
      const lost = auditRefs
        .filter(({ id, weight }) => weight > 0 && audits[id]?.score !== null && Number(audits[id]?.score) < 1)
        .map(({ id }) => [id, audits[id]?.displayValue])
      t.equal(Math.round(score * 100), 100, `${name}: ${category} ${Math.round(score * 100)}`, { lost })
    }
    const metrics = [
      'first-contentful-paint',
      'largest-contentful-paint',
      'total-blocking-time',
      'cumulative-layout-shift'
    ]
    t.comment(metrics.map(id => `${audits[id]?.title} ${audits[id]?.displayValue}`).join(', '))
  }
})
