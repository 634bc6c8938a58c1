// Finds the Chromium that browser tests drive, or installs one the way that works where it runs: Debian's package as
// root, else the browser that playwright-core brings for its own version.
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { chromium } from 'playwright-core'

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

/** The path of a Chromium on this machine: `CHROMIUM`, an installed one, or playwright's own. */
export function findChromium(): string | undefined {
  return [process.env.CHROMIUM, ...KNOWN, chromium.executablePath()].find(path => path && existsSync(path))
}

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

if (import.meta.main && !findChromium()) {
  console.log(
    'Browser tests need Chromium, and none was found; installing one. CHROMIUM=/path/to/chrome names another.'
  )
  install()
  if (!findChromium()) throw new Error('No Chromium could be installed; install one and set CHROMIUM to its path.')
}
