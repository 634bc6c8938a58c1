// A server with a certificate that only its own authority vouches for. It answers 404 to everything.
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Test } from 'tap'

export const AUTHORITY_FILE = join(import.meta.dirname, 'authority.pem')

export const AUTHORITY = readFileSync(AUTHORITY_FILE, 'utf8')

const read = (name: string) => readFileSync(join(import.meta.dirname, name))

/** @returns its origin; it also answers as `localhost` */
export async function startTlsServer(t: Test): Promise<string> {
  const server = createServer({ key: read('localhost.key'), cert: read('localhost.pem') }, (_, response) =>
    response.writeHead(404, { 'Content-Type': 'text/html' }).end('<p>Nothing here')
  )
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.teardown(() => server.close())
  return `https://127.0.0.1:${(server.address() as AddressInfo).port}`
}
