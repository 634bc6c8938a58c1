// Installs Debian's packages, for commands that need a program which npm does not bring.
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'

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
