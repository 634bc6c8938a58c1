// Finds the Chromium that plays the web view.
import { existsSync } from 'node:fs'
import { chromium } from 'playwright-core'
import { OperatorError } from '../../errors.ts'

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

export class NoChromiumError extends OperatorError {
  override message = 'no Chromium found; run `npm run chromium` to install one, or set CHROMIUM to its path'
}

/**
 * The path of a Chromium on this machine: the configured one, an installed one, or playwright's own.
 * @throws NoChromiumError
 */
export function findChromium(
  configured: string | undefined,
  knownPaths = [...KNOWN_PATHS, chromium.executablePath()]
): string {
  const found = [configured, ...knownPaths].find(path => path && existsSync(path))
  if (!found) throw new NoChromiumError()
  return found
}
