// `npm run chromium`: makes sure that there is a Chromium for browser tests, the conformance kit and screenshots. If none
// is found it installs one: Debian's packages as root, else the one that playwright-core downloads for its version.
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { chromiumPath, findChromium, findPlaywright } from '../kit/browser/launch-chromium.ts'
import { type Command, runCommand } from './run-command.ts'

const chromium: Command = {
  usage: 'npm run chromium\n',
  flags: {},
  run: async (_args, { environment, print }) => {
    const configured = environment().chromium
    if (chromiumPath(configured) !== undefined) return 0
    await print('No Chromium found; installing one. To use another, set CHROMIUM=/path/to/chrome.\n')
    const download = [join(findPlaywright(), 'cli.js'), 'install', '--no-shell', 'chromium']
    // With its headless shell, the tests need a third less CPU time.
    if (canInstallPackages()) installPackages(['chromium', 'chromium-headless-shell'])
    else execFileSync(process.execPath, download, { stdio: 'inherit' })
    findChromium(configured)
    return 0
  }
}

/** Without a network, apt would try for minutes. */
const NO_LONG_WAIT = ['-o', 'Acquire::http::Timeout=20', '-o', 'Acquire::Retries=0']

export function canInstallPackages(): boolean {
  return process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')
}

/** @throws if apt fails; what it says is printed */
export function installPackages(packages: string[]): void {
  const apt = (...args: string[]) => execFileSync('apt-get', ['-q', ...NO_LONG_WAIT, ...args], { stdio: 'inherit' })
  apt('update')
  apt('install', '-y', '--no-install-recommends', ...packages)
}

if (import.meta.main) await runCommand(chromium)
