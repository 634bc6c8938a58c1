// Launches a Chromium that closes with the test.
import type { Browser } from 'playwright-core'
import type { Test } from 'tap'
import { launchChromium } from '../../src/kit/browser/launch-chromium.ts'
import { chromiumPath } from '../browser/views.ts'

export async function openBrowser(t: Test): Promise<Browser> {
  const browser = await launchChromium(chromiumPath())
  t.teardown(() => browser.close())
  return browser
}
