// The browser of tests, its web views, and what they see.
import type { Page } from 'playwright-core'
import type { Test } from 'tap'
import { loadEnvFile, readEnvironment } from '../../src/environment.ts'
import { findChromium } from '../../src/kit/browser/launch-chromium.ts'
import { type WebViews, webViews } from '../../src/kit/browser/web-view.ts'
import { answersWithDescription, usesPairs, usesUrl } from '../../src/kit/conformance/check.ts'
import { transferOptions } from '../../src/transfer/index.ts'

/** The options whose requests a web view can send by itself. */
export const webViewOptions = transferOptions.filter(
  option => answersWithDescription(option) || usesPairs(option) || usesUrl(option)
)

/** The Chromium that `npm test` has found or installed. */
export function chromiumPath(): string {
  loadEnvFile()
  return findChromium(readEnvironment().chromium)
}

/** One browser for a test and all that is in it. */
export function viewsFor(t: Test): WebViews {
  const views = webViews(chromiumPath())
  t.teardown(views.close)
  return views
}

/** The browser's messages about what breaks a page's Content-Security-Policy; more are added as they come. */
export function policyViolations(page: Page): string[] {
  const violations: string[] = []
  page.on('console', message => {
    if (/Content Security Policy/i.test(message.text())) violations.push(message.text())
  })
  return violations
}
