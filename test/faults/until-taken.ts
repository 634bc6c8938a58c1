// How long it takes until bags are taken again.

import { setTimeout as pause } from 'node:timers/promises'
import type { Client } from './client.ts'
import type { Ledger } from './ledger.ts'
import { sendBag } from './shopper.ts'

/** Longer than anything may take, in milliseconds. */
const PATIENCE = 30_000

/** Sends bag after bag until one is taken. @returns how long that took, in milliseconds */
export async function untilTaken(client: Client, ledger: Ledger, since = performance.now()): Promise<number> {
  while (!(await sendBag(client, ledger, ledger.next()))) {
    if (performance.now() - since > PATIENCE) throw new Error(`no bag was taken for ${PATIENCE / 1000} s`)
    await pause(5)
  }
  return performance.now() - since
}
