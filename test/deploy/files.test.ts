// The files of config/deploy/ agree with the server and with each other.
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { MAX_HEADER } from '../../src/http/node-server.ts'
import { languages } from '../../src/messages/messages.ts'
import { openSqlite } from '../../src/store/sqlite/sqlite-store.ts'
import { ROOT } from '../node-process.ts'

const read = (name: string) => readFileSync(join(ROOT, name), 'utf8')
const deploy = (name: string) => read(`config/deploy/${name}`)
const unit = deploy('systemd/cart-transfer@.service')
const container = deploy('Containerfile')
const compose = deploy('compose.yml')
const site = deploy('nginx/cart-transfer.conf')

/** The first group of a pattern. */
const found = (text: string, pattern: RegExp): string => pattern.exec(text)?.[1] ?? `no ${pattern}`

t.test('the unit and the image start the server as npm start does', async t => {
  const { scripts, engines } = JSON.parse(read('package.json'))
  const whole = scripts.start.split(' ').map((word: string) => word.replace(/^(\.\/)?src\//, '/srv/cart-transfer/src/'))
  t.equal(found(unit, /^ExecStart=\/usr\/bin\/(.*) \$MERCHANTS$/m), whole.join(' '))
  t.strictSame(JSON.parse(found(container, /^ENTRYPOINT (.*)$/m)), whole)
  const oldest = engines.node.replace('>=', '')
  const images = Array.from(container.matchAll(/^FROM node:([\d.]+)-/gm), ([, version = '']) => version)
  t.equal(images.length, 2)
  for (const version of images) t.ok(version.localeCompare(oldest, 'en', { numeric: true }) >= 0, `Node ${version}`)
})

t.test('what nginx and Caddy say themselves is in the words of the pages', async t => {
  const said = ['not-now', 'wait', 'bag-too-large', 'change-bag'] as const
  const proxies = [
    { text: site, names: [...said, 'order-not-placed'] as const },
    { text: deploy('caddy/Caddyfile'), names: said }
  ]
  for (const [language, messages] of Object.entries(languages)) {
    for (const { text, names } of proxies) {
      for (const name of names) t.ok(text.includes(`"${messages[name]}"`), `${language} ${name}`)
    }
  }
})

t.test('a stop has more time than the server takes: DRAIN_SECONDS and 15', async t => {
  t.ok(Number(found(unit, /^TimeoutStopSec=(\d+)$/m)) > 5 + 15)
  t.ok(Number(found(compose, /stop_grace_period: (\d+)s/)) > 5 + 15)
})

t.test('the backup unit writes a backup, and deletes what is older than KEEP_DAYS, but only after it', async t => {
  const backupUnit = deploy('systemd/cart-transfer-backup.service')
  const [, days = ''] = /KEEP_DAYS=(\d+)/.exec(backupUnit) ?? []
  const folder = t.testdir({ 'cart-transfer': {}, 'cart-transfer-backup': {} })
  const file = join(folder, 'cart-transfer/shop.sqlite')
  const store = openSqlite(file)
  t.teardown(() => store.close())
  const word = (path: string) => path.replaceAll(' ', '\\ ')
  // As systemd reads it.
  const lines = Array.from(backupUnit.matchAll(/^ExecStart(?:Post)?=\/bin\/sh -c '(.*)'$/gm), ([, line = '']) =>
    line.replaceAll(/%S|%%|\$\$/g, found => (found === '%S' ? word(folder) : found.slice(1)))
  )
  t.equal(lines.length, 2)
  const run = (DATABASE_URL: string) => {
    for (const line of lines) {
      const here = line.replaceAll('/srv/cart-transfer', word(ROOT)).replace('/usr/bin/node', word(process.execPath))
      const env = { PATH: process.env.PATH, DATABASE_URL, KEEP_DAYS: days }
      const { status, stderr } = spawnSync('sh', ['-c', here], { env, encoding: 'utf8' })
      if (status !== 0) return stderr
    }
    return 'done'
  }
  const kept = () => readdirSync(join(folder, 'cart-transfer-backup')).sort()
  for (const [name, age] of Object.entries({ 'shop-old.sqlite': 2, 'shop-young.sqlite': -1, 'notes.txt': 2 })) {
    const path = join(folder, 'cart-transfer-backup', name)
    writeFileSync(path, '')
    const at = Date.now() / 1000 - (Number(days) + age) * 24 * 60 * 60
    utimesSync(path, at, at)
  }
  t.match(run('sqlite:none.sqlite'), 'there is no database')
  t.strictSame(kept(), ['notes.txt', 'shop-old.sqlite', 'shop-young.sqlite'])
  t.equal(run(`sqlite:${file}`), 'done')
  t.match(kept(), ['notes.txt', /^shop-\d{4}-\d\d-\d\dT\d{6}Z\.sqlite$/, 'shop-young.sqlite'])
  t.equal(kept().length, 3)
})

t.test('nginx takes what the server takes', async t => {
  t.equal(Number(found(site, /large_client_header_buffers \d+ (\d+)k;/)) * 1024, MAX_HEADER)
  const lines = Number(found(read('config/merchant.schema.json'), /"maxItems": \{[^}]*"maximum": (\d+)/))
  t.ok(Number(found(site, /client_max_body_size (\d+)m;/)) * 1024 >= 64 + 2 * lines)
})

t.test('the compose file and its list of replicas name the same addresses', async t => {
  const listed = [...deploy('nginx/replicas.compose.conf').matchAll(/server ([\d.]+):3000 /g)].map(([, a]) => a)
  const given = [...compose.matchAll(/^ {2}replica-\d:$.*?ipv4_address: ([\d.]+)/gms)].map(([, a]) => a)
  t.equal(listed.length, 2)
  t.strictSame(listed, given)
  t.equal(
    found(compose, /TRUSTED_PROXIES: ([\d.]+)/),
    found(compose, /^ {2}proxy:$.*?ipv4_address: ([\d.]+)/ms),
    'the address of nginx is believed'
  )
})

t.test('both lists of replicas say the same but for addresses', async t => {
  const [list, composed] = ['nginx/replicas.conf', 'nginx/replicas.compose.conf'].map(name =>
    deploy(name).replaceAll(/^# The replicas.*\n|[\d.]+:\d+/g, '')
  )
  t.equal(list, composed)
})

t.test('what is drained long enough is asked again before the next one stops', async t => {
  for (const name of ['nginx/replicas.conf', 'nginx/replicas.compose.conf']) {
    for (const [, seconds] of deploy(name).matchAll(/fail_timeout=(\d+)s/g)) t.ok(Number(seconds) < 5)
  }
})

t.test('every image has a version', async t => {
  const images = [...compose.matchAll(/^ +image: (.*)$/gm), ...container.matchAll(/^FROM (\S+)/gm)].map(
    ([, name]) => name
  )
  t.equal(images.length, 5)
  for (const image of images) t.match(image, /^cart-transfer$|^\w+:\d+\.\d+(\.\d+)?-trixie/)
})
