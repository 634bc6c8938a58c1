// Shoppers who go on until they are told to stop: each sends a bag, orders three of five of them, and takes the next. Half
// of them keep their connection, half open one for each request.
import { setTimeout as pause } from 'node:timers/promises'
import { openClient } from './client.ts'
import type { Ledger } from './ledger.ts'
import { placeOrder, sendBag } from './shopper.ts'

const SHOPPERS = 16
/** After something that was not taken, in milliseconds. */
const PAUSE = 10

export type Load = {
  /** How many bags and orders have been answered so far. */
  answered: () => number
  /** Resolves once no shopper has a request under way. */
  stop: () => Promise<void>
}

/** @param origins of the servers, which the shoppers share evenly */
export function startLoad(origins: string[], ledger: Ledger, shoppers = SHOPPERS): Load {
  let isStopped = false
  let answered = 0

  async function shop(i: number): Promise<void> {
    const client = openClient(origins[i % origins.length] ?? '', { keepAlive: i % 4 < 2 })
    while (!isStopped) {
      const entry = ledger.next()
      const isTaken = await sendBag(client, ledger, entry)
      answered += Number(isTaken)
      if (!isTaken) await pause(PAUSE)
      else if (entry.n % 5 < 3 && !isStopped) {
        await placeOrder(client, ledger, entry)
        answered += Number(entry.order === 'answered')
      }
    }
    client.close()
  }
  const all = Promise.all(Array.from({ length: shoppers }, (_, i) => shop(i)))
  return {
    answered: () => answered,
    stop: async () => {
      isStopped = true
      await all
    }
  }
}
