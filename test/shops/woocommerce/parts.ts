// The parts of a WooCommerce: programs of this machine, and WordPress with WooCommerce, by path or from wordpress.org.
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { runProgram } from '../programs.ts'
import { ShopLeftOut } from '../shop.ts'

/** MariaDB's server is not for users, so it is where only root looks. */
export const PATH = `${process.env.PATH}:/usr/sbin`

const PROGRAMS = { php: 'php-cli', mariadbd: 'mariadb-server', 'mariadb-install-db': 'mariadb-server' }
const PHP_MODULES = { mysqli: 'php-mysql', SimpleXML: 'php-xml', mbstring: 'php-mbstring', curl: 'php-curl' }

export const SOURCES = [
  {
    name: 'WordPress',
    variable: 'WORDPRESS',
    file: 'wp-load.php',
    zip: 'https://wordpress.org/latest.zip',
    folder: 'wordpress'
  },
  {
    name: 'WooCommerce',
    variable: 'WOOCOMMERCE',
    file: 'woocommerce.php',
    zip: 'https://downloads.wordpress.org/plugin/woocommerce.zip',
    folder: 'woocommerce'
  }
] as const
type Source = (typeof SOURCES)[number]

export type Paths = Partial<Record<Source['variable'], string>>

const run = (path: string, command: string, ...args: string[]) =>
  spawnSync(command, args, { encoding: 'utf8', env: { ...process.env, PATH: path } })

/** The programs and modules of PHP that are not there, each with its package of Debian's. @param path as `PATH` has it */
export function missingPrograms(path: string): string[] {
  const programs = Object.entries(PROGRAMS).filter(([program]) => run(path, program, '--version').error !== undefined)
  if (programs.some(([program]) => program === 'php')) return programs.map(inDebian)
  const modules = run(path, 'php', '-m').stdout.split('\n')
  const lacking = Object.entries(PHP_MODULES).filter(([name]) => !modules.includes(name))
  return [...programs.map(inDebian), ...lacking.map(([name, source]) => `PHP's module ${inDebian([name, source])}`)]
}

const inDebian = ([name, source]: [string, string]) => `${name} (Debian: ${source})`

/** Fetches what is not given by path. @returns the folder that holds its file */
export async function find(
  { name, variable, file, zip, folder: inZip }: Source,
  paths: Paths,
  folder: string
): Promise<string> {
  const given = paths[variable]
  if (given !== undefined) {
    if (existsSync(join(given, file))) return given
    throw new ShopLeftOut(`${variable} is ${given}, where there is no ${file}`)
  }
  const [archive, log] = [join(folder, `${inZip}.zip`), join(folder, 'unzip.log')]
  const response = await fetch(zip).catch(() => undefined)
  if (!response?.ok)
    throw new ShopLeftOut(`there is no ${name}: ${zip} cannot be fetched; set ${variable} to its folder`)
  writeFileSync(archive, Buffer.from(await response.arrayBuffer()))
  const unzip = { command: 'python3', args: ['-m', 'zipfile', '-e', archive, folder], cwd: folder, log }
  if ((await runProgram(unzip, 120_000)) !== 0) throw new Error(`${archive} could not be unpacked: see ${log}`)
  return join(folder, inZip)
}

/** Versions, and where WordPress and WooCommerce are from. */
export type Found = { wordpress: string; woocommerce: string; php: string; from: string }

/** Puts WordPress with WooCommerce into `site`, below the folder. @throws ShopLeftOut if anything is missing */
export async function installSite(folder: string, paths: Paths): Promise<Found> {
  const missing = missingPrograms(PATH)
  if (missing.length > 0) throw new ShopLeftOut(`this machine has no ${missing.join(', ')}`)
  mkdirSync(folder)
  const [wordpress, woocommerce] = await Promise.all(SOURCES.map(source => find(source, paths, folder)))
  if (!wordpress || !woocommerce) throw new Error('there are two sources')
  const site = join(folder, 'site')
  // What else is there belongs to another shop: its settings, its themes, its plugins.
  for (const part of ['wp-admin', 'wp-includes']) cpSync(join(wordpress, part), join(site, part), { recursive: true })
  const programs = ['index.php', 'wp-load.php', 'wp-blog-header.php', 'wp-settings.php', 'wp-login.php']
  for (const name of programs) cpSync(join(wordpress, name), join(site, name))
  cpSync(woocommerce, join(site, 'wp-content/plugins/woocommerce'), { recursive: true })
  const versionIn = (file: string, pattern: RegExp) => pattern.exec(readFileSync(join(site, file), 'utf8'))?.[1] ?? '?'
  const isGiven = paths.WORDPRESS !== undefined || paths.WOOCOMMERCE !== undefined
  return {
    wordpress: versionIn('wp-includes/version.php', /^\$wp_version = '(.+)';/m),
    woocommerce: versionIn('wp-content/plugins/woocommerce/woocommerce.php', /^ \* Version: (.+)$/m),
    php: /^PHP (\d+\.\d+)/.exec(run(PATH, 'php', '--version').stdout)?.[1] ?? '?',
    from: isGiven ? 'given by path' : 'from wordpress.org'
  }
}
