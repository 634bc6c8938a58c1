// TLS to PostgreSQL: what each sslmode accepts of a server whose certificate only its own authority vouches for.
import { readFileSync } from 'node:fs'
import { type AddressInfo, createConnection, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { TLSSocket } from 'node:tls'
import t, { type Test } from 'tap'
import { openPostgres } from '../../../src/store/postgres/postgres-store.ts'
import { AUTHORITY_FILE } from '../../kit/certificates/tls-server.ts'
import { urlOf } from './opened.ts'

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
