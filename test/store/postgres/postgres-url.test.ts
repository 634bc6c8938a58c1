// DATABASE_URL of a PostgreSQL: what libpq understands by it, and what of it may be shown.
import { join } from 'node:path'
import pg from 'pg'
import t from 'tap'
import { OperatorError } from '../../../src/errors.ts'
import { readPostgresUrl, shownPostgresUrl } from '../../../src/store/postgres/postgres-url.ts'

const ROOT = join(import.meta.dirname, '../../kit/certificates/authority.pem')

/** What the driver makes of a URL. */
function settingsOf(url: string, tls = {}) {
  const { connectionString, max } = readPostgresUrl(url, tls)
  const { user, password, host, port, database, ssl } = new pg.Client({ connectionString })
  return { user, password, host, port, database, ssl, max }
}

t.test('user, password, host, port and database are those of the URL, and there are eight connections', async t => {
  t.match(settingsOf('postgres://ada:s%2Fcret@db.example:6432/shop'), {
    user: 'ada',
    password: 's/cret',
    host: 'db.example',
    port: 6432,
    database: 'shop',
    ssl: false,
    max: 8
  })
  t.match(settingsOf('postgresql://ada@/shop?host=/run/postgresql'), { host: '/run/postgresql', database: 'shop' })
  t.match(settingsOf('postgres://db/shop?pool_max_conns=20'), { max: 20 })
  for (const size of ['0', '-1', 'many', '1.5']) {
    const message = `pool_max_conns is "${size}"; it must be a whole number, at least 1`
    t.throws(() => readPostgresUrl(`postgres://db/shop?pool_max_conns=${size}`), new OperatorError(message))
  }
})

t.test('sslmode means what it means to libpq, in the URL or in PGSSLMODE', async t => {
  const any = { rejectUnauthorized: false }
  const root = encodeURIComponent(ROOT)
  const cases: [query: string, ssl: unknown][] = [
    ['', false],
    ['sslmode=disable', false],
    [`sslmode=disable&sslrootcert=${root}`, false],
    ['sslmode=require', any],
    [`sslmode=require&sslrootcert=${root}`, { ca: /BEGIN CERT/, checkServerIdentity: Function }],
    [`sslmode=verify-ca&sslrootcert=${root}`, { ca: /BEGIN CERT/, checkServerIdentity: Function }],
    [`sslmode=verify-full&sslrootcert=${root}`, { ca: /BEGIN CERT/, checkServerIdentity: undefined }],
    ['sslmode=verify-full', { ca: undefined, rejectUnauthorized: undefined }],
    ['sslmode=verify-full&sslrootcert=system', { ca: undefined, rejectUnauthorized: undefined }]
  ]
  for (const [query, ssl] of cases) t.match(settingsOf(`postgres://db/shop?${query}`).ssl, ssl, query)
  t.match(settingsOf('postgres://db/shop', { sslmode: 'require' }).ssl, any)
  t.match(settingsOf('postgres://db/shop?sslmode=disable', { sslmode: 'require' }).ssl, false, 'the URL comes first')
  for (const mode of ['prefer', 'allow', 'no-verify', 'on']) {
    const message = `sslmode is "${mode}"; it must be one of disable, require, verify-ca, verify-full`
    t.throws(() => readPostgresUrl(`postgres://db/shop?sslmode=${mode}`), new OperatorError(message))
  }
  const unverified = 'sslmode=verify-ca needs sslrootcert=FILE; with public authorities, use verify-full'
  for (const query of ['sslmode=verify-ca', 'sslmode=verify-ca&sslrootcert=system']) {
    t.throws(() => readPostgresUrl(`postgres://db/shop?${query}`), new OperatorError(unverified))
  }
})

t.test('neither the password nor a parameter is shown', async t => {
  const cases: [url: string, shown: string][] = [
    ['postgres://ada:s3cret@db.example:6432/shop?password=s3cret', 'postgres://ada@db.example:6432/shop'],
    ['postgres://ada:s3cret@/shop?host=/run/postgresql&sslkey=s3cret', 'postgres://ada@/run/postgresql/shop'],
    ['postgresql://db/shop', 'postgres://db/shop']
  ]
  for (const [url, shown] of cases) t.equal(shownPostgresUrl(url), shown)
})
