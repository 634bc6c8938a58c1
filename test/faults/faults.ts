// The list of faults, in the order of the table.
import { clockJumps } from './clock-jumps.ts'
import { failingDisk, fullDisk } from './disk-faults.ts'
import type { Fault } from './fault.ts'
import { feeds } from './feeds.ts'
import { neighbours } from './neighbours.ts'
import { paymentKill, paymentProvider } from './payment-faults.ts'
import { platformKill } from './platform-faults.ts'
import {
  postgresCut,
  postgresHeld,
  postgresKill,
  postgresSilent,
  postgresSlow,
  postgresStop
} from './postgres-faults.ts'
import { kill, replicas, shutdown } from './server-faults.ts'

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
  feeds,
  neighbours,
  paymentKill,
  paymentProvider,
  platformKill
]
