// Between our server and a shop, so that a case can kill the shop at the very moment when our server waits for its answer.
import { once } from 'node:events'
import { connect, createServer } from 'node:net'

/** When the shop has been sent the request, or when it begins to answer: it has done its work by then. */
export type Moment = 'asked' | 'answering'

export type Relay = {
  port: number
  /** Withholds the answer to the next request that makes a cart. @returns at that moment */
  holdAnswer: (moment: Moment) => Promise<void>
  /** How many requests to make a cart there were. */
  cartsAsked: () => number
}

type Hold = { moment: Moment; reached: () => void }

/** @param port of the shop @param cartRequest what only the request that makes a cart contains */
export async function startRelay(port: number, cartRequest: string): Promise<Relay> {
  let hold: Hold | undefined
  let cartsAsked = 0
  const server = createServer(client => {
    const shop = connect(port, '127.0.0.1')
    client.on('data', request => {
      if (!request.includes(cartRequest)) return shop.write(request)
      cartsAsked++
      if (!hold) return shop.write(request)
      const { moment, reached } = hold
      hold = undefined
      // It is still read, so that its end is noticed.
      shop.unpipe(client).resume()
      if (moment === 'answering') shop.once('data', reached)
      return shop.write(request, () => moment === 'asked' && reached())
    })
    shop.pipe(client)
    for (const [from, to] of [
      [client, shop],
      [shop, client]
    ] as const) {
      // Whatever ends one side ends the other, as if there were no relay.
      from.once('close', () => to.destroy()).on('error', () => undefined)
    }
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  server.unref()
  const holdAnswer = (moment: Moment) =>
    new Promise<void>(reached => {
      hold = { moment, reached }
    })
  return { port: (server.address() as { port: number }).port, holdAnswer, cartsAsked: () => cartsAsked }
}
