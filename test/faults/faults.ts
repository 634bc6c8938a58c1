// The list of faults, in the order of the table.
import { clockJumps } from './clock-jumps.ts'
import { failingDisk } from './failing-disk.ts'
import type { Fault } from './fault.ts'
import { feeds } from './feeds.ts'
import { fullDisk } from './full-disk.ts'
import { kill } from './kill.ts'
import { postgresCut } from './postgres-cut.ts'
import { postgresKill } from './postgres-kill.ts'
import { postgresHeld, postgresSilent, postgresSlow } from './postgres-network.ts'
import { postgresStop } from './postgres-stop.ts'
import { replicas } from './replicas.ts'
import { shutdown } from './shutdown.ts'

export const faults: Fault[] = [
  kill,
  shutdown,
  replicas,
  clockJumps,
  postgresStop,
  postgresKill,
  postgresCut,
  postgresSlow,
  postgresHeld,
  postgresSilent,
  fullDisk,
  failingDisk,
  feeds
]
