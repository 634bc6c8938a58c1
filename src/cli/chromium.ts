// `npm run chromium`: makes sure that there is a Chromium for browser tests, the conformance kit and screenshots. If none
// is found it installs one: Debian's packages as root, else the one that playwright-core downloads for its version.
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { readEnvironment } from '../environment.ts'
import { findChromium, findPlaywright, headlessShell, NoChromiumError } from '../kit/browser/launch-chromium.ts'
import { runCommand } from './run-command.ts'

const USAGE = 'npm run chromium\n'

const DEBIAN_PACKAGES = ['chromium', 'chromium-headless-shell']
const DEBIAN_PATH = '/usr/bin/chromium'

function installDownload(): void {
  const args = [join(findPlaywright(), 'cli.js'), 'install', '--no-shell', 'chromium']
  execFileSync(process.execPath, args, { stdio: 'inherit' })
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
    if (canInstallPackages()) installPackages(DEBIAN_PACKAGES)
    else installDownload()
    findChromium(chromium)
  } else if (canInstallPackages() && found === DEBIAN_PATH && headlessShell(found) === found) {
    console.log('Installing the headless shell of Chromium, with which the tests need a third less CPU time.')
    try {
      installPackages(DEBIAN_PACKAGES)
    } catch {
      console.log('It could not be installed; the tests run without it.')
    }
  }
  return 0
}

/** Without a network, apt would try for minutes. */
const NO_LONG_WAIT = ['-o', 'Acquire::http::Timeout=20', '-o', 'Acquire::Retries=0']

/** Whether packages can be installed here: as root, on Debian or what descends from it. */
export function canInstallPackages(): boolean {
  return process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')
}

/** @throws if apt fails; what it says is printed */
export function installPackages(packages: string[]): void {
  const apt = (...args: string[]) => execFileSync('apt-get', ['-q', ...NO_LONG_WAIT, ...args], { stdio: 'inherit' })
  apt('update')
  apt('install', '-y', '--no-install-recommends', ...packages)
}

if (import.meta.main) await runCommand({ usage: USAGE, run: makeSure, failed: 1 })
