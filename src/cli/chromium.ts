// `npm run chromium`: makes sure that there is a Chromium for browser tests, the conformance kit and screenshots. If none
// is found it installs one: Debian's packages as root, else the one that playwright-core downloads for its version.
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { readEnvironment } from '../environment.ts'
import { findChromium, NoChromiumError } from '../kit/browser/find-chromium.ts'
import { findPlaywright } from '../kit/browser/find-playwright.ts'
import { headlessShell } from '../kit/browser/launch-chromium.ts'
import { runCommand } from './run-command.ts'

const USAGE = 'npm run chromium\n'

const DEBIAN_PACKAGES = ['chromium', 'chromium-headless-shell']
/** Without a network, apt would try for minutes. */
const NO_LONG_WAIT = ['-o', 'Acquire::http::Timeout=20', '-o', 'Acquire::Retries=0']
const DEBIAN_PATH = '/usr/bin/chromium'

const isDebianRoot = process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')

function run(command: string, ...args: string[]): void {
  execFileSync(command, args, { stdio: 'inherit' })
}

function installPackages(): void {
  const apt = (...args: string[]) => run('apt-get', '-q', ...NO_LONG_WAIT, ...args)
  apt('update')
  apt('install', '-y', '--no-install-recommends', ...DEBIAN_PACKAGES)
}

function installDownload(): void {
  run(process.execPath, join(findPlaywright(), 'cli.js'), 'install', '--no-shell', 'chromium')
}

function find(chromium: string | undefined): string | undefined {
  try {
    return findChromium(chromium)
  } catch (error) {
    if (error instanceof NoChromiumError) return undefined
    throw error
  }
}

async function makeSure(): Promise<number> {
  const { chromium } = readEnvironment()
  const found = find(chromium)
  if (found === undefined) {
    console.log('No Chromium found; installing one. To use another, set CHROMIUM=/path/to/chrome.')
    if (isDebianRoot) installPackages()
    else installDownload()
    findChromium(chromium)
  } else if (isDebianRoot && found === DEBIAN_PATH && headlessShell(found) === found) {
    console.log('Installing the headless shell of Chromium, with which the tests need a third less CPU time.')
    try {
      installPackages()
    } catch {
      console.log('It could not be installed; the tests run without it.')
    }
  }
  return 0
}

await runCommand({ usage: USAGE, run: makeSure, failed: 1 })
