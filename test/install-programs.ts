// Makes sure that there are the programs that tests run: PHP and Python for the hook's example receivers, nginx and Caddy
// for the sites in config/deploy/. They come from Debian's packages, as root; otherwise it says what to install.
import { spawnSync } from 'node:child_process'
import { canInstallPackages, installPackages } from '../src/cli/chromium.ts'

const programs = [
  { command: 'php', package: 'php-cli', oldest: '8.1', runs: 'an example receiver' },
  { command: 'python3', package: 'python3', oldest: '3.10', runs: 'an example receiver' },
  { command: 'nginx', package: 'nginx', oldest: '1.22', runs: 'the site of config/deploy/' },
  { command: 'caddy', package: 'caddy', oldest: '2.6.2', runs: 'the site of config/deploy/' }
]

const env = { ...process.env, PATH: `${process.env.PATH}:/usr/sbin` }
const findMissing = () =>
  programs.filter(({ command }) => spawnSync(command, ['--version'], { env }).error !== undefined)

const missing = findMissing().map(({ package: name }) => name)
if (missing.length > 0 && canInstallPackages()) {
  console.log(`Installing ${missing.join(' and ')}, which tests run.`)
  try {
    installPackages(missing)
  } catch {
    console.error('They could not be installed.')
  }
}
for (const { command, oldest, runs } of findMissing()) {
  console.error(`${command} is not installed; a test runs ${runs} in it. Install ${oldest} or newer.`)
  process.exitCode = 1
}
