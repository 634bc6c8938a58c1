// Whether the server on HOST and PORT answers, for the container's healthcheck and for systemd: exit code 0 or 1. With the
// id of its process it waits until it does, or until that process has ended.
import { get } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'

const { HOST = '127.0.0.1', PORT = 3000 } = process.env
// A server that listens on all addresses is asked on the machine's own.
const host = HOST === '0.0.0.0' ? '127.0.0.1' : HOST === '::' ? '::1' : HOST

function isAnswered(): Promise<boolean> {
  return new Promise(resolve => {
    const signal = AbortSignal.timeout(2000)
    get({ host, port: PORT, path: '/healthz', signal }, response => {
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
let isHealthy = await isAnswered()
while (!isHealthy && id > 0 && isRunning(id)) {
  await pause(200)
  isHealthy = await isAnswered()
}
process.exit(isHealthy ? 0 : 1)
