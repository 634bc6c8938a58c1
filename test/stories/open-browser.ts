// Launches a Chromium that closes with the test.
import { type Browser, chromium } from 'playwright-core'
import type { Test } from 'tap'
import { CHROMIUM_ARGS } from '../../src/kit/browser/chromium-args.ts'
import { chromiumPath } from '../browser/chromium-path.ts'

export async function openBrowser(t: Test): Promise<Browser> {
  const executablePath = chromiumPath()
  const browser = await chromium.launch({ executablePath, args: CHROMIUM_ARGS })
  t.teardown(() => browser.close())
  return browser
}
