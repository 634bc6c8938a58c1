// WordPress with WooCommerce as its assistant sets it up, with MariaDB and PHP's own server; fill.php says what it sells.
// Its pages are what the app opens, and nothing in it knows of us but its webhooks.
import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Program, runProgram, type Start, startProgram } from '../programs.ts'
import type { PageRequest, Shop, ShopCart, Way } from '../shop.ts'
import { cases, orderIn } from './cases.ts'
import { type Found, installSite, PATH, type Paths } from './parts.ts'
import { RECEIVED } from './place-order.ts'
import { scenarios } from './scenarios.ts'

const here = (name: string) => join(import.meta.dirname, name)

/** What is in the cart of a session: its page gives the browser the cookie that its scripts ask with. */
async function readCart({ url, cookies }: PageRequest): Promise<ShopCart | undefined> {
  const jar = new Map(Object.entries(cookies))
  const cookie = () => Array.from(jar, ([name, value]) => `${name}=${value}`).join('; ')
  const page = await fetch(url, { headers: { cookie: cookie() }, redirect: 'manual' })
  if (page.status !== 200) return undefined
  for (const set of page.headers.getSetCookie()) {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? []
    jar.set(name, value)
  }
  const response = await fetch(new URL('/wp-json/wc/store/v1/cart', url), { headers: { cookie: cookie() } })
  const { items, totals } = (await response.json()) as StoreCart
  const lines = items.map(({ sku, quantity }) => ({ sku: unescapeHtml(sku), quantity }))
  return { lines, total: Number(totals.total_price) }
}

type StoreCart = { items: { sku: string; quantity: number }[]; totals: { total_price: string } }

const unescapeHtml = (text: string) => text.replace(/&#(\d+);/g, (_, code) => String.fromCodePoint(Number(code)))

const KIT = { completeUrl: RECEIVED, timeoutSeconds: 120 }

// A machine that runs a browser beside the shop is slow.
const PATIENT = { timeoutSeconds: 10 }

const ways: Way[] = [
  {
    title: 'the block checkout',
    kit: {
      page: {
        line: '.wc-block-components-order-summary-item',
        sku: '.wc-block-components-product-name',
        quantity: '.wc-block-components-order-summary-item__quantity [aria-hidden]',
        total: '.wc-block-components-totals-footer-item .wc-block-components-totals-item__value',
        settleSeconds: 60
      },
      ...KIT
    },
    settings: ({ shop }) => ({ url: shop, ...PATIENT }),
    readCart
  },
  {
    title: 'the classic checkout',
    kit: {
      page: { line: '[data-sku]', sku: '@data-sku', quantity: '@data-quantity', total: '.order-total .amount' },
      ...KIT
    },
    settings: ({ shop }) => ({ url: shop.replace('127.0.0.1', 'localhost'), ...PATIENT }),
    readCart
  }
]

export function woocommerceShop(paths: Paths): Shop {
  let found: Found | undefined
  let runActions = (..._order: string[]) => Promise.resolve()

  const program = (folder: string, command: string, args: string[], log: string): Start => ({
    command,
    args,
    cwd: join(folder, 'site'),
    env: { PATH, PHP_CLI_SERVER_WORKERS: '4' },
    log: join(folder, log)
  })

  async function run(folder: string, command: string, ...args: string[]): Promise<void> {
    const start = program(folder, command, args, 'prepare.log')
    const code = await runProgram(start, 600_000)
    if (code !== 0) throw new Error(`${command} ${args[0]} failed: see ${start.log}`)
  }

  async function startDatabase(folder: string): Promise<void> {
    const common = ['--no-defaults', `--datadir=${folder}/db`, ...(process.getuid?.() === 0 ? ['--user=root'] : [])]
    await run(folder, 'mariadb-install-db', ...common, '--auth-root-authentication-method=normal')
    writeFileSync(join(folder, 'create.sql'), 'CREATE DATABASE shop;\n')
    // Nothing in it has to outlive this machine, and half of what is filled in would be waiting for the disk.
    const careless = ['--innodb-flush-log-at-trx-commit=0', '--innodb-flush-method=nosync', '--skip-innodb-doublewrite']
    const server = [`--socket=${folder}/db.sock`, '--skip-networking', `--init-file=${folder}/create.sql`, ...careless]
    const accepts = async () =>
      (await runProgram(program(folder, 'php', ['-r', connects(folder)], 'db.log'), 60_000)) === 0
    await startProgram(program(folder, 'mariadbd', [...common, ...server], 'db.log'), accepts, 60_000)
  }

  return {
    name: 'woocommerce',
    get title() {
      if (!found) return 'WooCommerce'
      const { woocommerce, wordpress, php, from } = found
      return `WooCommerce ${woocommerce}, WordPress ${wordpress}, ${from}; PHP ${php}, MariaDB`
    },

    async install(folder) {
      found = await installSite(folder, paths)
    },

    async prepare(folder, { urls, secret }) {
      const site = join(folder, 'site')
      mkdirSync(join(site, 'wp-content/uploads'))
      cpSync(here('plain'), join(site, 'wp-content/themes/plain'), { recursive: true })
      cpSync(here('one-machine.php'), join(site, 'wp-content/mu-plugins/one-machine.php'))
      for (const name of ['install.php', 'fill.php', 'run-actions.php']) cpSync(here(name), join(site, name))
      writeFileSync(join(site, 'wp-config.php'), configuration(folder))
      await startDatabase(folder)
      await run(folder, 'php', 'install.php')
      runActions = (...order) => run(folder, 'php', 'run-actions.php', ...order)
      await run(folder, 'php', 'fill.php', secret, ...urls.map(url => `${url}/woocommerce`))
    },

    start(folder, port): Promise<Program> {
      const server = ['-S', `127.0.0.1:${port}`, '-t', join(folder, 'site'), here('router.php')]
      const api = `http://127.0.0.1:${port}/wp-json/wc/store/v1/products`
      return startProgram(program(folder, 'php', server, 'shop.log'), api, 120_000)
    },

    orders: {
      way: 0,
      place: async ({ url }) => {
        const order = await orderIn(url.href)
        await runActions(order)
        return order
      }
    },

    goods: {
      currency: 'EUR',
      exist: ['MUG', 'LAMP', 'CLOCK', '12345', 'a,b c&d'],
      unknown: 'NO-SUCH',
      outOfStock: 'GONE',
      scarce: 'TEA',
      sameSku: 'together',
      maxQuantity: 9999
    },
    cartRequest: '/?checkout-link=',
    ways,
    cases: cases({
      setStatus: async (order, status) => {
        await runActions(order, status)
        await runActions(order)
      }
    }),
    scenarios
  }
}

/** A program of PHP's that fails unless the database takes connections. */
const connects = (folder: string) =>
  `mysqli_report(MYSQLI_REPORT_OFF); exit(mysqli_connect('localhost', 'root', '', 'shop', 0, '${folder}/db.sock') ? 0 : 1);`

const KEYS = ['AUTH', 'SECURE_AUTH', 'LOGGED_IN', 'NONCE']

/** Its address is that by which it is asked. */
const configuration = (folder: string) => `<?php
$_SERVER += ['HTTP_HOST' => '127.0.0.1', 'REQUEST_METHOD' => 'GET', 'REQUEST_URI' => '/', 'REMOTE_ADDR' => '127.0.0.1'];
$_SERVER += ['SERVER_NAME' => '127.0.0.1', 'SERVER_PROTOCOL' => 'HTTP/1.1'];
define('DB_NAME', 'shop');
define('DB_USER', 'root');
define('DB_PASSWORD', '');
define('DB_HOST', 'localhost:${folder}/db.sock');
define('DB_CHARSET', 'utf8mb4');
define('DB_COLLATE', '');
${KEYS.flatMap(key => [`define('${key}_KEY', 'local-only-1');`, `define('${key}_SALT', 'local-only-2');`]).join('\n')}
define('WP_HOME', 'http://' . $_SERVER['HTTP_HOST']);
define('WP_SITEURL', WP_HOME);
define('WP_DEBUG', true);
define('WP_DEBUG_DISPLAY', false);
define('WP_DEBUG_LOG', '${folder}/debug.log');
define('WP_HTTP_BLOCK_EXTERNAL', true);
define('DISABLE_WP_CRON', true);
define('AUTOMATIC_UPDATER_DISABLED', true);
$table_prefix = 'wp_';
if (!defined('ABSPATH')) define('ABSPATH', __DIR__ . '/');
require_once ABSPATH . 'wp-settings.php';
`
