// PostgreSQL is stopped as an administrator in a hurry stops it, and started again.
import { startPostgres } from './database.ts'
import type { Fault } from './fault.ts'
import { outageRounds } from './outage.ts'

export const postgresStop: Fault = {
  name: 'postgres-stop',
  what: 'PostgreSQL is stopped (`-m immediate`) and started under load',
  rule: 'bags and orders are refused with 503 while it is away; bags are taken again within a second, without a restart',
  stores: ['PostgreSQL'],
  rounds: 5,
  run: parts =>
    outageRounds(parts, async () => {
      const { postgres, database } = await startPostgres(parts.cleanup)
      return { database, begin: postgres.stop, end: postgres.start }
    })
}
