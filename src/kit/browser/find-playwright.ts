// Finds Playwright, which drives Chromium. It is for tests, and so left out of an installation for production.
import { createRequire } from 'node:module'
import { dirname } from 'node:path'
import { OperatorError } from '../../errors.ts'

/** The folder of the package. @param from a module that would import it @throws OperatorError if it is not installed */
export function findPlaywright(from: string = import.meta.url): string {
  try {
    return dirname(createRequire(from).resolve('playwright-core/package.json'))
  } catch (cause) {
    const reason = '"npm ci --omit=dev" leaves out what only tests and screenshots need; run "npm ci"'
    throw new OperatorError(`playwright-core is not installed: ${reason}`, { cause })
  }
}
