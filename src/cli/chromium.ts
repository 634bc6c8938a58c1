// `npm run chromium`: makes sure that there is a Chromium for browser tests, the conformance kit and screenshots. If none
// is found it installs one: Debian's package as root, else the one that playwright-core downloads for its version.
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { readEnvironment } from '../environment.ts'
import { findChromium, NoChromiumError } from '../kit/browser/find-chromium.ts'

function install(): void {
  const run = (command: string, ...args: string[]) => execFileSync(command, args, { stdio: 'inherit' })
  if (process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')) {
    run('apt-get', 'update', '-q')
    run('apt-get', 'install', '-qy', '--no-install-recommends', 'chromium')
  } else {
    const cli = join(dirname(createRequire(import.meta.url).resolve('playwright-core/package.json')), 'cli.js')
    run(process.execPath, cli, 'install', '--no-shell', 'chromium')
  }
}

function isFound(): boolean {
  try {
    findChromium(chromium)
    return true
  } catch (error) {
    if (error instanceof NoChromiumError) return false
    throw error
  }
}

const { chromium } = readEnvironment()
if (!isFound()) {
  console.log('No Chromium found; installing one. To use another, set CHROMIUM=/path/to/chrome.')
  install()
  findChromium(chromium)
}
