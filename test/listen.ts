// A server on a free port, for as long as a test runs.
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Cleanup } from './server-process.ts'

export type Listening = { server: Server; origin: string; port: number; close: () => Promise<void> }

export async function listen(t: Cleanup, listener: RequestListener, at = 0): Promise<Listening> {
  const server = createServer(listener).listen(at, '127.0.0.1')
  await once(server, 'listening')
  const close = () =>
    new Promise<void>(resolve => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  t.teardown(close)
  const { port } = server.address() as AddressInfo
  return { server, origin: `http://127.0.0.1:${port}`, port, close }
}

export type OpenServer = {
  origin: string
  /** Stops listening: its port refuses connections. */
  disappear: () => Promise<void>
  comeBack: () => Promise<void>
}

/** A server of somebody else's: it can disappear, and come back on the same port. */
export async function openServer(t: Cleanup, listener: RequestListener): Promise<OpenServer> {
  let listening = await listen(t, listener)
  const { origin, port } = listening
  const comeBack = async () => {
    listening = await listen(t, listener, port)
  }
  return { origin, disappear: () => listening.close(), comeBack }
}

/** Below the ports that systems give to connections and to those who ask for any. */
const PORTS = { from: 10_100, count: 20_000 }

let next = randomInt(PORTS.count)

/** A port of this machine that nothing listens on, and that nobody else gets by chance before it is used. */
export async function freePort(): Promise<number> {
  const port = PORTS.from + (next++ % PORTS.count)
  const server = createServer().listen(port, '127.0.0.1')
  try {
    await once(server, 'listening')
  } catch {
    return freePort()
  }
  server.close()
  await once(server, 'close')
  return port
}
