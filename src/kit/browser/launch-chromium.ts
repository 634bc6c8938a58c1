// Finds the Chromium that plays the web view, and Playwright, which drives it, and launches it.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { Browser, BrowserContext, BrowserType, LaunchOptions } from 'playwright-core'
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

/** Where Chromium may be; playwright is loaded only if it is nowhere else, as that takes longer than all other code. */
export function* knownPaths(): Iterable<string> {
  yield* KNOWN_PATHS
  const { chromium }: typeof import('playwright-core') = createRequire(import.meta.url)('playwright-core')
  yield chromium.executablePath()
}

/** The configured Chromium, an installed one, or playwright's own. @throws OperatorError if playwright is missing */
export function chromiumPath(configured: string | undefined, paths = knownPaths()): string | undefined {
  findPlaywright()
  if (configured && existsSync(configured)) return configured
  return Iterator.from(paths).find(path => existsSync(path))
}

/** @throws OperatorError if there is none */
export function findChromium(configured: string | undefined): string {
  const path = chromiumPath(configured)
  if (path !== undefined) return path
  throw new OperatorError('no Chromium found; run `npm run chromium` to install one, or set CHROMIUM to its path')
}

/** The folder of Playwright, which an installation for production leaves out. @param from a module that would import it @throws OperatorError if it is not installed */
export function findPlaywright(from: string = import.meta.url): string {
  try {
    return dirname(createRequire(from).resolve('playwright-core/package.json'))
  } catch (cause) {
    const reason = '"npm ci --omit=dev" leaves out what only tests and screenshots need; run "npm ci"'
    throw new OperatorError(`playwright-core is not installed: ${reason}`, { cause })
  }
}

/**
 * The first two are about the address bar: its suggestions are pages too, and take half of the CPU time of a view although
 * nobody sees them. The others are Playwright's own, whose list this one replaces.
 */
const DISABLED_FEATURES = [
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
  'AimEnabled',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsFirstBalancedModeAutoEnable',
  'HttpsUpgrades',
  'LensOverlay',
  'MediaRouter',
  'NetworkTimeServiceQuerying',
  'OptimizationHints',
  'PaintHolding',
  'PreconnectToSearch',
  ...['TcpPortRandomizationWin', 'ThirdPartyStoragePartitioning']
]

/** Options of Playwright, and public keys that are trusted: the SHA-256 of each SPKI, in base64. */
type WithKeys<Options> = Options & { trustedKeys?: string[] }

const argumentsFor = (trustedKeys: string[]) => [
  '--no-sandbox',
  '--disable-background-networking',
  `--disable-features=${DISABLED_FEATURES.join(',')}`,
  ...(trustedKeys.length > 0 ? [`--ignore-certificate-errors-spki-list=${trustedKeys.join(',')}`] : [])
]

export async function launchChromium(
  executablePath: string,
  { trustedKeys = [], ...options }: WithKeys<LaunchOptions> = {}
): Promise<Browser> {
  // Loaded only here and below, as it takes longer than all other code.
  const { chromium } = await import('playwright-core')
  const args = argumentsFor(trustedKeys)
  return chromium.launch({ executablePath: headlessShell(executablePath), args, ...options })
}

/** 2 is "block". It applies to a whole browser, so these views have their own; a headless shell ignores it. */
const BLOCK_COOKIES = { profile: { default_content_setting_values: { cookies: 2 } } }

/** @param profile an empty folder for the browser's profile */
export async function launchWithoutCookies(
  executablePath: string,
  profile: string,
  { trustedKeys = [], ...options }: WithKeys<Parameters<BrowserType['launchPersistentContext']>[1]>
): Promise<BrowserContext> {
  mkdirSync(join(profile, 'Default'))
  writeFileSync(join(profile, 'Default/Preferences'), JSON.stringify(BLOCK_COOKIES))
  const { chromium } = await import('playwright-core')
  return chromium.launchPersistentContext(profile, { executablePath, args: argumentsFor(trustedKeys), ...options })
}

/** The headless shell of this Chromium, if it is installed as Debian's package does; otherwise the Chromium itself. */
export function headlessShell(executablePath: string): string {
  const shell = `${executablePath}-headless-shell`
  return existsSync(shell) ? shell : executablePath
}
