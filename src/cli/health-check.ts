// Whether the server on HOST and PORT answers, for the container's healthcheck and for systemd: exit code 0 or 1. Given the
// server's process id, it waits for an answer as long as that process runs.
import { get } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { readEnvironment } from '../environment.ts'

/** In milliseconds. */
const PATIENCE = 2000
const INTERVAL = 200

const { host: configured, port } = readEnvironment()
// A server that listens on all addresses is asked on the machine's own.
const host = configured.replace(/^0\.0\.0\.0$/, '127.0.0.1').replace(/^::$/, '::1')

function isAnswered(): Promise<boolean> {
  return new Promise(resolve => {
    const signal = AbortSignal.timeout(PATIENCE)
    get({ host, port, path: '/healthz', signal }, response => {
      response.resume().on('error', () => resolve(false))
      resolve(response.statusCode === 200)
    }).on('error', () => resolve(false))
  })
}

function isRunning(id: number): boolean {
  try {
    return process.kill(id, 0)
  } catch {
    return false
  }
}

const id = Number(process.argv[2])
while (!(await isAnswered())) {
  if (!(id > 0 && isRunning(id))) process.exit(1)
  await pause(INTERVAL)
}
process.exit(0)
