// Makes sure that the tests can run the hook's example receivers: PHP and Python come from Debian's packages, as root;
// otherwise it says what to install.
import { spawnSync } from 'node:child_process'
import { canInstallPackages, installPackages } from '../src/cli/debian-packages.ts'

const interpreters = [
  { command: 'php', package: 'php-cli', oldest: '8.1' },
  { command: 'python3', package: 'python3', oldest: '3.10' }
]

const findMissing = () => interpreters.filter(({ command }) => spawnSync(command, ['--version']).error !== undefined)

const missing = findMissing().map(({ package: name }) => name)
if (missing.length > 0 && canInstallPackages()) {
  console.log(`Installing ${missing.join(' and ')}, which the tests of the example receivers run.`)
  try {
    installPackages(missing)
  } catch {
    console.error('They could not be installed.')
  }
}
for (const { command, oldest } of findMissing()) {
  console.error(`${command} is not installed; the tests run an example receiver in it. Install ${oldest} or newer.`)
  process.exitCode = 1
}
