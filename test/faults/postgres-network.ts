// A network that fails between a server and its PostgreSQL.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { startPostgres } from './database.ts'
import type { Fault, FaultParts, Result } from './fault.ts'
import { type Network, openNetwork } from './network.ts'
import { outageRounds } from './outage.ts'

const RULE =
  'nobody waits longer than some ten seconds, then 503; bags are taken again within a second, without a restart'

type Change = (network: Network, isBroken: boolean) => void

function changedNetwork(parts: FaultParts, change: Change, isSlow = false): Promise<Result> {
  return outageRounds(parts, async folder => {
    const { database } = await startPostgres(parts.cleanup)
    const place = join(folder, 'network')
    mkdirSync(place)
    const network = await openNetwork(parts.cleanup, database.url, place)
    return {
      // The comparison goes straight to the database.
      database: { ...database, url: network.url },
      begin: async () => change(network, true),
      end: async () => change(network, false),
      isSlow
    }
  })
}

/** In milliseconds, each way. */
const DELAY = 200

export const postgresSlow: Fault = {
  name: 'postgres-slow',
  what: `the network to PostgreSQL takes ${DELAY} ms each way, under load`,
  rule: 'everything is answered, later',
  stores: ['PostgreSQL'],
  rounds: 3,
  run: parts => changedNetwork(parts, ({ delay }, isSlow) => delay(isSlow ? DELAY : 0), true)
}

export const postgresHeld: Fault = {
  name: 'postgres-held',
  what: 'the network to PostgreSQL holds everything back under load, and delivers it later',
  rule: RULE,
  stores: ['PostgreSQL'],
  rounds: 3,
  run: parts => changedNetwork(parts, ({ hold }, isBroken) => hold(isBroken))
}

export const postgresSilent: Fault = {
  name: 'postgres-silent',
  what: 'the connections to PostgreSQL break under load; new ones are accepted, and nobody answers',
  rule: RULE,
  stores: ['PostgreSQL'],
  rounds: 3,
  run: parts => changedNetwork(parts, ({ silence }, isBroken) => silence(isBroken))
}
