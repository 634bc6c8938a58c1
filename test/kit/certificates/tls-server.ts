// A server with a certificate that only its own authority vouches for.
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type { RequestListener } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Test } from 'tap'

export const AUTHORITY_FILE = join(import.meta.dirname, 'authority.pem')

export const AUTHORITY = readFileSync(AUTHORITY_FILE, 'utf8')

const read = (name: string) => readFileSync(join(import.meta.dirname, name))

const nothing: RequestListener = (_, response) =>
  response.writeHead(404, { 'Content-Type': 'text/html' }).end('<p>Nothing here')

/** @returns its origin; it also answers as `localhost` */
export async function startTlsServer(t: Test, answer = nothing): Promise<string> {
  const server = createServer({ key: read('localhost.key'), cert: read('localhost.pem') }, answer)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.teardown(() => server.close())
  return `https://127.0.0.1:${(server.address() as AddressInfo).port}`
}
