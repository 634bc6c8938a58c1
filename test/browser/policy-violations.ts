// What breaks a page's Content-Security-Policy.
import type { Page } from 'playwright-core'

/** The browser's messages about violations; more are added as they come. */
export function policyViolations(page: Page): string[] {
  const violations: string[] = []
  page.on('console', message => {
    if (/Content Security Policy/i.test(message.text())) violations.push(message.text())
  })
  return violations
}
