// A PostgreSQL that is away, cut off, slow or silent for a while, under load. Bags are taken again by servers that nobody has
// started again.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Postgres } from '../postgres.ts'
import { until } from '../until.ts'
import { countOf } from './bags.ts'
import type { Fault, FaultParts, Result } from './fault.ts'
import { type Network, openNetwork } from './network.ts'
import { faultRounds, underLoad, untilTaken } from './rounds.ts'
import { startLoad } from './shopper.ts'
import { type Database, startPostgres } from './site.ts'

type Outage = {
  /** How the servers reach the database; the comparison goes straight to it. */
  url?: string
  begin: () => Promise<unknown>
  end: () => Promise<unknown>
  /** Whether the database is only slow: then nothing is refused. */
  isSlow?: boolean
}

/** Answers before, and after. */
const ANSWERS = 100
/** Until so many bags and orders have been refused. */
const REFUSED = 100
/** Without load a server must answer at once, in milliseconds. */
const AT_ONCE = 1000

type OpenOutage = (started: { postgres: Postgres; database: Database }, folder: string) => Outage | Promise<Outage>

function outageRounds(parts: FaultParts, openOutage: OpenOutage): Promise<Result> {
  let outage!: Outage
  return faultRounds(
    parts,
    async run => {
      const { ledger, result, server } = run
      const load = await underLoad(run, ANSWERS)
      await outage.begin()
      const before = countOf(ledger).refused
      if (outage.isSlow) await load.more(ANSWERS)
      else await until('the refusals', () => countOf(ledger).refused > before + REFUSED)
      const asked = performance.now()
      const { status } = await server.client.ask({ method: 'GET', path: '/healthz' })
      if (status !== 200 || performance.now() - asked > AT_ONCE) result.wrong.push(`/healthz was answered ${status}`)

      await outage.end()
      await untilTaken(run)
      await load.more(ANSWERS)
      await load.stop()
    },
    {
      openDatabase: async folder => {
        const started = await startPostgres(parts.cleanup)
        outage = await openOutage(started, folder)
        return { ...started.database, ...(outage.url !== undefined && { url: outage.url }) }
      },
      note: ({ ledger }) => `the longest wait for an answer was ${Math.round(ledger.longest)} ms`
    }
  )
}

const AWAY =
  'bags and orders are refused with 503 while it is away; bags are taken again within a second, without a restart'

export const postgresStop: Fault = {
  name: 'postgres-stop',
  what: 'PostgreSQL is stopped (`-m immediate`) and started under load',
  rule: AWAY,
  stores: ['PostgreSQL'],
  rounds: 5,
  run: parts => outageRounds(parts, ({ postgres }) => ({ begin: postgres.stop, end: postgres.start }))
}

export const postgresKill: Fault = {
  name: 'postgres-kill',
  what: '`kill -9` of PostgreSQL (the postmaster) under load, and a start',
  rule: AWAY,
  stores: ['PostgreSQL'],
  rounds: 5,
  run: parts =>
    outageRounds(parts, ({ postgres }) => ({
      begin: async () => {
        const { rows } = await postgres.query("SELECT pg_read_file('postmaster.pid') AS text")
        process.kill(Number.parseInt(rows[0].text, 10), 'SIGKILL')
        await postgres.stop()
      },
      end: () => startWhenFree(postgres)
    }))
}

/** Its children end by themselves, but only then another one may start on their data. */
async function startWhenFree({ start }: Postgres): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await start()
      return
    } catch (error) {
      if (attempt === 50) throw error
      await pause(100)
    }
  }
}

const CUTS = 5
const CUT = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
  WHERE pid <> pg_backend_pid() AND application_name = 'cart-transfer'`

export const postgresCut: Fault = {
  name: 'postgres-cut',
  what: `every connection of the server is cut (\`pg_terminate_backend\`) under load, ${CUTS} times a round`,
  rule: 'what was under way is refused with 503 or answered; the next bag is taken',
  stores: ['PostgreSQL'],
  rounds: 10,
  run: parts => {
    let postgres!: Postgres
    let cut = 0
    return faultRounds(
      parts,
      async run => {
        const load = startLoad(run.server.origin, run.ledger)
        for (let i = 1; i <= CUTS; i++) {
          await load.more(40)
          await pause(Math.random() * 8)
          cut += (await postgres.query(CUT)).rowCount ?? 0
          await untilTaken(run)
        }
        await load.stop()
      },
      {
        openDatabase: async () => {
          const started = await startPostgres(parts.cleanup)
          postgres = started.postgres
          return started.database
        },
        note: () => `${cut} connections were cut`
      }
    )
  }
}

/** A fault of the network between the server and its PostgreSQL. */
function networkFault(
  name: string,
  what: string,
  change: (network: Network, isBroken: boolean) => void,
  isSlow = false
): Fault {
  return {
    name,
    what,
    rule: isSlow
      ? 'everything is answered, later'
      : 'nobody waits longer than some ten seconds, then 503; bags are taken again within a second, without a restart',
    stores: ['PostgreSQL'],
    rounds: 3,
    run: parts =>
      outageRounds(parts, async ({ database }, folder) => {
        const place = join(folder, 'network')
        mkdirSync(place)
        const network = await openNetwork(parts.cleanup, database.url, place)
        return {
          url: network.url,
          begin: async () => change(network, true),
          end: async () => change(network, false),
          isSlow
        }
      })
  }
}

/** In milliseconds, each way. */
const DELAY = 200

export const postgresSlow = networkFault(
  'postgres-slow',
  `the network to PostgreSQL takes ${DELAY} ms each way, under load`,
  ({ delay }, isSlow) => delay(isSlow ? DELAY : 0),
  true
)

export const postgresHeld = networkFault(
  'postgres-held',
  'the network to PostgreSQL holds everything back under load, and delivers it later',
  ({ hold }, isBroken) => hold(isBroken)
)

export const postgresSilent = networkFault(
  'postgres-silent',
  'the connections to PostgreSQL break under load; new ones are accepted, and nobody answers',
  ({ silence }, isBroken) => silence(isBroken)
)
