// `kill -9` of PostgreSQL itself: nothing of it can tidy up.
import { setTimeout as pause } from 'node:timers/promises'
import type { Postgres } from '../postgres.ts'
import { startPostgres } from './database.ts'
import type { Fault } from './fault.ts'
import { outageRounds } from './outage.ts'

export const postgresKill: Fault = {
  name: 'postgres-kill',
  what: '`kill -9` of PostgreSQL (the postmaster) under load, and a start',
  rule: 'bags and orders are refused with 503 while it is away; bags are taken again within a second, without a restart',
  stores: ['PostgreSQL'],
  rounds: 5,
  run: parts =>
    outageRounds(parts, async () => {
      const { postgres, database } = await startPostgres(parts.cleanup)
      return {
        database,
        begin: async () => {
          const { rows } = await postgres.query("SELECT pg_read_file('postmaster.pid') AS text")
          process.kill(Number.parseInt(rows[0].text, 10), 'SIGKILL')
          await postgres.stop()
        },
        end: () => startWhenFree(postgres)
      }
    })
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
