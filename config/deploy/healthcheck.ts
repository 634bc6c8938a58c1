// Whether the server on PORT answers, for the container's healthcheck and for systemd: exit code 0 or 1. With the id of its
// process it waits until it does, or until that process has ended.
import { get } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'

function isAnswered(): Promise<boolean> {
  return new Promise(resolve => {
    const request = get({ port: process.env.PORT ?? 3000, path: '/healthz', timeout: 2000 }, response => {
      response.resume()
      resolve(response.statusCode === 200)
    })
    request.on('timeout', () => request.destroy()).on('error', () => resolve(false))
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
