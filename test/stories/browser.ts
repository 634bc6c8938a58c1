// Real Chromium for looking at pages: one browser, a page per wish.
import { type Browser, chromium } from 'playwright-core'
import type { Test } from 'tap'
import { chromiumPath } from '../browser/stand.ts'

export async function openBrowser(t: Test): Promise<Browser> {
  const executablePath = chromiumPath()
  const args = ['--no-sandbox', '--disable-background-networking']
  const browser = await chromium.launch({ executablePath, args })
  t.teardown(() => browser.close())
  return browser
}
