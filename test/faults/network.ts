// A network between a server and its PostgreSQL: it delivers at once, late, not at all, or takes connections and says
// nothing.
import { connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Cleanup } from '../server-process.ts'

export type Network = {
  /** The address of the database, through the network. */
  url: string
  /** Delivers everything so many milliseconds late. */
  delay: (milliseconds: number) => void
  /** Holds everything back; what was held back is delivered once the hold is over. */
  hold: (isHeld: boolean) => void
  /** How many pieces are held back. */
  held: () => number
  /** Breaks every connection; those that come are accepted, and nobody answers. */
  silence: (isSilent: boolean) => void
  /** Breaks every connection. */
  cut: () => void
  /** How many connections there have been. */
  attempts: () => number
}

/** The name of PostgreSQL's socket in its folder. */
const SOCKET = '.s.PGSQL.5432'

/** @param url of a PostgreSQL that is reached by a socket @param folder where the socket of the network will be */
export async function openNetwork(cleanup: Cleanup, url: string, folder: string): Promise<Network> {
  const [, host = ''] = /[?&]host=([^&]+)/.exec(url) ?? []
  const target = join(decodeURIComponent(host), SOCKET)
  const sockets = new Set<Socket>()
  let milliseconds = 0
  let release = Promise.withResolvers<void>()
  release.resolve()
  let isSilent = false
  let held = 0
  let attempts = 0

  const track = (socket: Socket) => {
    sockets.add(socket.on('error', () => {}).on('close', () => sockets.delete(socket)))
    return socket
  }
  const cutAll = () => {
    for (const socket of sockets) socket.destroy()
  }
  /** In order: each piece waits for the one before it. */
  async function deliver(from: Socket, to: Socket): Promise<void> {
    try {
      for await (const piece of from) {
        if (milliseconds > 0) await pause(milliseconds)
        held++
        await release.promise
        held--
        to.write(piece)
      }
    } catch {
      // It was broken.
    }
    to.destroy()
  }
  const server = createServer(client => {
    attempts++
    track(client)
    if (isSilent) return
    const upstream = track(connect(target))
    void deliver(client, upstream)
    void deliver(upstream, client)
  })
  await new Promise<void>(resolve => server.listen(join(folder, SOCKET), resolve))
  cleanup.teardown(() => {
    server.close()
    cutAll()
  })
  return {
    url: url.replace(host, encodeURIComponent(folder)),
    delay: next => {
      milliseconds = next
    },
    hold: isHeld => {
      if (isHeld) release = Promise.withResolvers()
      else release.resolve()
    },
    held: () => held,
    silence: next => {
      isSilent = next
      cutAll()
    },
    cut: cutAll,
    attempts: () => attempts
  }
}
