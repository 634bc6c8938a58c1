// Finds the Chromium in which pages are looked at as a web view shows them.
import { existsSync } from 'node:fs'
import { chromium } from 'playwright-core'
import { OperatorError } from '../../errors.ts'

const KNOWN = [
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

/** There is none, and what to do about it. */
export class NoChromium extends OperatorError {
  override message = 'no Chromium was found; `npm run chromium` installs one, or set CHROMIUM to the path of one'
}

/**
 * The path of a Chromium on this machine: the one that is named, an installed one, or playwright's own.
 * @throws NoChromium
 */
export function findChromium(named: string | undefined, known = [...KNOWN, chromium.executablePath()]): string {
  const found = [named, ...known].find(path => path && existsSync(path))
  if (!found) throw new NoChromium()
  return found
}
