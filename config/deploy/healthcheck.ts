// Whether the server on PORT answers, for the container's healthcheck and for systemd: exit code 0 or 1. --wait: as soon as
// it does, for as long as whoever started this lets it.
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

let isHealthy = await isAnswered()
while (!isHealthy && process.argv.includes('--wait')) {
  await pause(200)
  isHealthy = await isAnswered()
}
process.exit(isHealthy ? 0 : 1)
