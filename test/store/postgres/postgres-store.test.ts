// The store suites on PostgreSQL; its address, as libpq understands it; and what each sslmode accepts of a server whose
// certificate only its own authority vouches for.
import { readFileSync } from 'node:fs'
import { type AddressInfo, createConnection, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { TLSSocket } from 'node:tls'
import pg from 'pg'
import t, { type Test } from 'tap'
import { OperatorError } from '../../../src/errors.ts'
import { openPostgres, readPostgresUrl, shownPostgresUrl } from '../../../src/store/postgres/postgres-store.ts'
import { AUTHORITY_FILE } from '../../kit/certificates/tls-server.ts'
import { allSuites } from '../all-suites.ts'
import { openReused, urlOf } from './opened.ts'

allSuites(t, 'PostgreSQL', openReused, openReused)

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
  const root = encodeURIComponent(AUTHORITY_FILE)
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

const CERTIFICATES = join(import.meta.dirname, '../../kit/certificates')
const read = (name: string) => readFileSync(join(CERTIFICATES, name))

/** The message that asks for TLS: its length, and a number that is no version. */
const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47])

/** The database of the test behind TLS, without which it takes no connection. @returns its port */
async function startTls(t: Test): Promise<number> {
  const target = join(String(new URL((await urlOf(t)).replace('@/', '@localhost/')).searchParams.get('host')))
  const sockets = new Set<Socket>()
  const server = createServer(client => {
    sockets.add(client.on('error', () => {}))
    client.once('data', request => {
      if (!SSL_REQUEST.equals(request)) return client.destroy()
      client.write('S')
      const secured = new TLSSocket(client, { isServer: true, key: read('localhost.key'), cert: read('localhost.pem') })
      const database = createConnection(join(target, '.s.PGSQL.5432'))
      sockets.add(database.on('error', () => {}))
      secured.on('error', () => database.destroy()).on('close', () => database.destroy())
      secured.pipe(database).pipe(secured)
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

t.test('each sslmode checks as much as it says', async t => {
  const port = await startTls(t)
  const options = (await urlOf(t)).replace(/.*&options/, 'options')
  const root = `sslrootcert=${encodeURIComponent(AUTHORITY_FILE)}`
  const other = `sslrootcert=${encodeURIComponent(join(CERTIFICATES, 'localhost.pem'))}`
  const cases: [parameters: string, refusal: RegExp | undefined][] = [
    ['sslmode=require', undefined],
    [`sslmode=require&${root}`, undefined],
    [`sslmode=verify-ca&${root}`, undefined],
    [`sslmode=verify-full&${root}`, undefined],
    ['sslmode=disable', /ECONNRESET|terminated/],
    ['sslmode=verify-full', /certificate/],
    ['sslmode=verify-full&sslrootcert=system', /certificate/],
    [`sslmode=require&${other}`, /certificate/],
    [`sslmode=verify-ca&${other}`, /certificate/]
  ]
  for (const [parameters, refusal] of cases) {
    const opening = openPostgres(`postgres://postgres@localhost:${port}/postgres?${options}&${parameters}`)
    if (refusal) await t.rejects(opening, { message: refusal }, parameters)
    else await (await opening).close()
  }
})
