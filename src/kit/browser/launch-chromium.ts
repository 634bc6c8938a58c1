// How Chromium is started. The suggestions of an address bar that nobody sees are pages too: without them, a new view
// takes half of the CPU time (0.6 instead of 1.4 s each, over ten views, with Chromium 156). The headless shell, which
// draws no window, takes a third less again (the tests of Back: 28 instead of 41 s).
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, BrowserContext, BrowserType, LaunchOptions } from 'playwright-core'

/** The first line is about the address bar. The others are Playwright's own, whose list this one replaces. */
const DISABLED_FEATURES = [
  ...['WebUIOmniboxPopup', 'WebUIOmniboxAimPopup'],
  ...['AimEnabled', 'AvoidCorsURLLoaderRestartOnRedirect', 'AvoidUnnecessaryBeforeUnloadCheckSync'],
  ...['DestroyProfileOnBrowserClose', 'HttpsFirstBalancedModeAutoEnable', 'HttpsUpgrades', 'LensOverlay'],
  ...['MediaRouter', 'NetworkTimeServiceQuerying', 'OptimizationHints', 'PaintHolding', 'PreconnectToSearch'],
  ...['TcpPortRandomizationWin', 'ThirdPartyStoragePartitioning']
]

const CHROMIUM_ARGS = [
  '--no-sandbox',
  '--disable-background-networking',
  `--disable-features=${DISABLED_FEATURES.join(',')}`
]

/** Options of Playwright, and public keys that are trusted: the SHA-256 of each SPKI, in base64. */
type WithKeys<Options> = Options & { trustedKeys?: string[] }

function argumentsFor(trustedKeys: string[]): string[] {
  const keys = `--ignore-certificate-errors-spki-list=${trustedKeys.join(',')}`
  return trustedKeys.length > 0 ? [...CHROMIUM_ARGS, keys] : CHROMIUM_ARGS
}

/** Loaded only to launch a browser, as it takes longer than all other code. */
const loadPlaywright = () => import('playwright-core')

export async function launchChromium(
  executablePath: string,
  { trustedKeys = [], ...options }: WithKeys<LaunchOptions> = {}
): Promise<Browser> {
  const { chromium } = await loadPlaywright()
  const args = argumentsFor(trustedKeys)
  return chromium.launch({ executablePath: headlessShell(executablePath), args, ...options })
}

/**
 * 2 is Chromium's value for "block". The preference applies to a whole browser, so these views have their own; a
 * headless shell ignores it.
 */
const BLOCK_COOKIES = { profile: { default_content_setting_values: { cookies: 2 } } }

/** @param profile an empty folder for the browser's profile */
export async function launchWithoutCookies(
  executablePath: string,
  profile: string,
  { trustedKeys = [], ...options }: WithKeys<Parameters<BrowserType['launchPersistentContext']>[1]>
): Promise<BrowserContext> {
  mkdirSync(join(profile, 'Default'))
  writeFileSync(join(profile, 'Default/Preferences'), JSON.stringify(BLOCK_COOKIES))
  const { chromium } = await loadPlaywright()
  return chromium.launchPersistentContext(profile, { executablePath, args: argumentsFor(trustedKeys), ...options })
}

/** The headless shell of this Chromium, if it is installed as Debian's package does; otherwise the Chromium itself. */
export function headlessShell(executablePath: string): string {
  const shell = `${executablePath}-headless-shell`
  return existsSync(shell) ? shell : executablePath
}
