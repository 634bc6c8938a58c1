// Whether the server on HOST and PORT answers, for the container's healthcheck and for systemd: exit code 0 or 1. With the
// id of its process it waits until it does, or until that process has ended.
import { get } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { readEnvironment } from '../environment.ts'

/** In milliseconds. */
const PATIENCE = 2000
const INTERVAL = 200

function isAnswered(host: string, port: number): Promise<boolean> {
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

const { host, port } = readEnvironment()
// A server that listens on all addresses is asked on the machine's own.
const asked = host.replace(/^0\.0\.0\.0$/, '127.0.0.1').replace(/^::$/, '::1')
const id = Number(process.argv[2])
let isHealthy = await isAnswered(asked, port)
while (!isHealthy && id > 0 && isRunning(id)) {
  await pause(INTERVAL)
  isHealthy = await isAnswered(asked, port)
}
process.exit(isHealthy ? 0 : 1)
