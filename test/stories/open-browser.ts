// Launches a Chromium that closes with the test.
import { type Browser, chromium } from 'playwright-core'
import type { Test } from 'tap'
import { chromiumPath } from '../browser/chromium-path.ts'

export async function openBrowser(t: Test): Promise<Browser> {
  const executablePath = chromiumPath()
  const args = ['--no-sandbox', '--disable-background-networking']
  const browser = await chromium.launch({ executablePath, args })
  t.teardown(() => browser.close())
  return browser
}
