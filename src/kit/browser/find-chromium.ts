// Finds the Chromium that plays the web view.
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { OperatorError } from '../../errors.ts'
import { findPlaywright } from './find-playwright.ts'

const KNOWN_PATHS = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
  '/snap/bin/chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
  'C:\\Program Files (x86)\\Google\\Chrome\\Application\\chrome.exe'
]

/** Where Chromium may be; playwright is loaded only if it is nowhere else, as that takes longer than all other code. */
export function* knownPaths(): Iterable<string> {
  yield* KNOWN_PATHS
  const { chromium }: typeof import('playwright-core') = createRequire(import.meta.url)('playwright-core')
  yield chromium.executablePath()
}

export class NoChromiumError extends OperatorError {
  override message = 'no Chromium found; run `npm run chromium` to install one, or set CHROMIUM to its path'
}

/**
 * The path of a Chromium on this machine: the configured one, an installed one, or playwright's own.
 * @throws NoChromiumError, or OperatorError if there is nothing to drive it with
 */
export function findChromium(configured: string | undefined, paths: Iterable<string> = knownPaths()): string {
  findPlaywright()
  if (configured && existsSync(configured)) return configured
  for (const path of paths) if (existsSync(path)) return path
  throw new NoChromiumError()
}
