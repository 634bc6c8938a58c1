// Makes sure that there are the programs that tests run: PHP and Python for the hook's example receivers, nginx, with a
// firewall, and Caddy for the sites in config/deploy/. They come from Debian's packages, as root; otherwise it says what to
// install.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { canInstallPackages, installPackages } from '../src/cli/chromium.ts'

type Program = {
  name: string
  package: string
  oldest: string
  runs: string
  /** Where it is, if it is no command. */
  file?: string
}

const programs: Program[] = [
  { name: 'php', package: 'php-cli', oldest: '8.1', runs: 'an example receiver' },
  { name: 'python3', package: 'python3', oldest: '3.10', runs: 'an example receiver' },
  { name: 'nginx', package: 'nginx', oldest: '1.22', runs: 'the site of config/deploy/' },
  { name: 'caddy', package: 'caddy', oldest: '2.6.2', runs: 'the site of config/deploy/' },
  {
    name: 'ModSecurity for nginx',
    package: 'libnginx-mod-http-modsecurity',
    oldest: '1.0.3',
    runs: 'the firewall of config/deploy/',
    file: '/usr/lib/nginx/modules/ngx_http_modsecurity_module.so'
  },
  {
    name: 'OWASP Core Rule Set',
    package: 'modsecurity-crs',
    oldest: '3.3.4',
    runs: 'the firewall of config/deploy/',
    file: '/usr/share/modsecurity-crs/rules'
  }
]

const env = { ...process.env, PATH: `${process.env.PATH}:/usr/sbin` }
const findMissing = () =>
  programs.filter(({ name, file }) =>
    file ? !existsSync(file) : spawnSync(name, ['--version'], { env }).error !== undefined
  )

const missing = findMissing().map(({ package: name }) => name)
if (missing.length > 0 && canInstallPackages()) {
  console.log(`Installing ${missing.join(' and ')}, which tests run.`)
  try {
    installPackages(missing)
  } catch {
    console.error('They could not be installed.')
  }
}
for (const { name, oldest, runs } of findMissing()) {
  console.error(`${name} is not installed; a test runs ${runs} in it. Install ${oldest} or newer.`)
  process.exitCode = 1
}
