// What a transfer costs the servers and the database: SQLite, and PostgreSQL with one replica and with two. Servers, database
// and load share the cores of this machine, so that CPU times tell more than requests a second.
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { createPostgres, type Postgres } from '../postgres.ts'
import { round } from './bars.ts'
import type { Bench, DatabaseWork, SiteRow } from './bench.ts'
import type { Kind } from './kinds.ts'
import { spreadOf } from './latencies.ts'
import { type LoadClient, startLoad } from './load-client.ts'
import { familyCpuMs, readProcess } from './measure-process.ts'
import { pages, transfers } from './requests.ts'
import { openCheckouts } from './servers.ts'
import { SHOPS, type Subject, startOurs, writeShops } from './subjects.ts'

const LINES = 10
/** Of each of two loads: with one server both go to it. */
const CLIENTS = 16
const SECONDS = 1.2
const WARM_UP = 2.5
const SETTINGS = ['shared_buffers=256MB', 'shared_preload_libraries=pg_stat_statements']

/** Servers on one database; a page that one of them has stored is shown by all. */
type Site = { name: string; servers: Subject[]; database?: Postgres; shown: Kind }

type Measured = { perSecond: number; serverCpu: number; databaseCpu: number; requests: number }

export async function measureReplicas(bench: Bench): Promise<void> {
  const loads = [bench.load, startLoad()]
  const postgres = await createPostgres(SETTINGS)
  await postgres.query('CREATE EXTENSION pg_stat_statements')
  const sites = await startSites(bench, postgres)
  const stored = transfers({ option: '1', lines: LINES, products: bench.products, path: '/one/cart' })
  const jobs = sites.flatMap(site => [
    { site, kind: stored, title: `option 1, ${LINES} lines` },
    { site, kind: site.shown, title: 'page shown again' }
  ])
  const results = jobs.map((): Measured[] => [])
  for (const { site, kind } of jobs) await measure(loads, site, kind, WARM_UP)
  for (let round = 0; round < bench.rounds; round++) {
    const order = [...jobs.keys()]
    for (const i of round % 2 === 0 ? order : order.reverse()) {
      const { site, kind } = jobs[i] as (typeof jobs)[number]
      results[i]?.push(await measure(loads, site, kind, SECONDS))
    }
  }
  for (const [i, { site, kind, title }] of jobs.entries()) {
    const spread = (name: keyof Measured) => spreadOf((results[i] ?? []).map(result => result[name]))
    const row: SiteRow = {
      name: `${title}: ${site.name}`,
      perSecond: spread('perSecond'),
      serverCpu: spread('serverCpu')
    }
    if (site.database) {
      row.databaseCpu = spread('databaseCpu')
      row.work = await workOf(site.database, () => measure(loads, site, kind, SECONDS))
    }
    bench.results.sites[row.name] = row
  }
  const alone = await workOf(postgres, () => measure(loads.slice(0, 1), sites[1] as Site, stored, SECONDS, 1))
  bench.note(
    `A transfer that no other shares its commit with takes ${round(alone.statements)} statement, ` +
      `${round(alone.walBytes)} bytes of WAL and ${round(alone.syncs)} sync.`
  )
  bench.note(`With its indices a transfer takes ${round(await storedBytes(postgres))} bytes in PostgreSQL.`)
  for (const { servers } of sites) for (const server of servers) await server.stop()
  await loads[1]?.stop()
  await postgres.remove()
}

async function startSites(bench: Bench, postgres: Postgres): Promise<Site[]> {
  const merchants = writeShops(bench.folder, bench.feed, SHOPS)
  const start = (database: string) => startOurs({ merchants, database, isFree: true })
  const url = await postgres.newUrl()
  const alone = await start(join(bench.folder, 'alone.sqlite'))
  const [first, second] = [await start(url), await start(url)]
  const shownBy = async (server: Subject) => pages(await openCheckouts(server, bench.products), LINES)
  const shared = await shownBy(first)
  return [
    { name: 'SQLite', servers: [alone], shown: await shownBy(alone) },
    { name: 'PostgreSQL', servers: [first], database: postgres, shown: shared },
    { name: 'PostgreSQL, two replicas', servers: [first, second], database: postgres, shown: shared }
  ]
}

async function measure(
  loads: LoadClient[],
  { servers, database }: Site,
  kind: Kind,
  seconds: number,
  connections = CLIENTS
): Promise<Measured> {
  const postmaster = database && (await pidOf(database))
  const cpu = () => ({
    servers: servers.reduce((sum, { pid }) => sum + readProcess(pid).cpuMs, 0),
    database: postmaster === undefined ? 0 : familyCpuMs(postmaster)
  })
  const before = cpu()
  const results = await Promise.all(
    loads.map((load, i) => {
      const { port } = servers[i % servers.length] as Subject
      return load.run({ port, mode: 'closed', connections, kinds: [kind], warmUpSeconds: 0, seconds })
    })
  )
  const after = cpu()
  const sum = (name: 'requests' | 'perSecond') => results.reduce((total, result) => total + result[name], 0)
  // The first of each client is not among those that a load counts.
  const requests = sum('requests') + loads.length * connections
  return {
    perSecond: sum('perSecond'),
    serverCpu: ((after.servers - before.servers) * 1000) / requests,
    databaseCpu: ((after.database - before.database) * 1000) / requests,
    requests
  }
}

async function pidOf(postgres: Postgres): Promise<number> {
  const { rows } = await postgres.query(`SELECT split_part(pg_read_file('postmaster.pid'), E'\\n', 1)::int AS pid`)
  return rows[0]?.pid
}

/** What the database does for each request. */
async function workOf(postgres: Postgres, load: () => Promise<Measured>): Promise<DatabaseWork> {
  const before = await totalWork(postgres)
  const { requests } = await load()
  const after = await totalWork(postgres)
  const each = (name: keyof typeof after) => (after[name] - before[name]) / requests
  return { statements: each('statements'), walBytes: each('walBytes'), syncs: each('syncs') }
}

async function totalWork(postgres: Postgres): Promise<DatabaseWork> {
  // Connections report their syncs at their end, or ten seconds later.
  await postgres.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'cart-transfer'`
  )
  await pause(500)
  const { rows } = await postgres.query(`SELECT
    (SELECT sum(calls) FROM pg_stat_statements) AS statements,
    pg_current_wal_insert_lsn() - '0/0' AS wal_bytes,
    (SELECT sum(fsyncs) FROM pg_stat_io WHERE object = 'wal') AS syncs`)
  const [{ statements, wal_bytes, syncs }] = rows
  return { statements: Number(statements), walBytes: Number(wal_bytes), syncs: Number(syncs) }
}

/** What a checkout takes on disk, its share of the indices included. */
async function storedBytes(postgres: Postgres): Promise<number> {
  const { rows } = await postgres.query(
    `SELECT sum(pg_total_relation_size(relid)) / sum(n_live_tup) AS bytes FROM pg_stat_user_tables WHERE relname = 'checkouts'`
  )
  return Number(rows[0]?.bytes)
}
