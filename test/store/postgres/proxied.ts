// A way to PostgreSQL that can be cut, and that can hang as a network does.
import { mkdtempSync, rmSync } from 'node:fs'
import { createConnection, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Test } from 'tap'

const SOCKET = '.s.PGSQL.5432'

export type Proxied = {
  /** The same database, by this way. */
  url: string
  /** How many connections there have been. */
  attempts: () => number
  cut: () => void
  /** Passes nothing on until it goes on, and closes nothing. */
  hang: () => void
  goOn: () => void
}

export async function proxied(t: Test, url: string): Promise<Proxied> {
  const folder = mkdtempSync(join(tmpdir(), 'cart-transfer-proxy-'))
  const parsed = new URL(url.replace('@/', '@localhost/'))
  const target = join(String(parsed.searchParams.get('host')), SOCKET)
  parsed.searchParams.set('host', folder)
  const sockets = new Set<Socket>()
  let attempts = 0
  let isHanging = false
  const server = createServer(client => {
    attempts++
    const database = createConnection(target)
    for (const [socket, other] of [
      [client, database],
      [database, client]
    ] as const) {
      sockets.add(socket)
      socket
        .on('error', () => {})
        .on('close', () => {
          sockets.delete(socket)
          other.destroy()
        })
      socket.on('data', chunk => other.write(chunk))
      if (isHanging) socket.pause()
    }
  })
  await new Promise<void>(resolve => server.listen(join(folder, SOCKET), resolve))
  const cut = () => {
    for (const socket of sockets) socket.destroy()
  }
  t.teardown(() => {
    cut()
    server.close()
    rmSync(folder, { recursive: true, force: true })
  })
  return {
    url: parsed.href,
    attempts: () => attempts,
    cut,
    hang: () => {
      isHanging = true
      for (const socket of sockets) socket.pause()
    },
    goOn: () => {
      isHanging = false
      for (const socket of sockets) socket.resume()
    }
  }
}
