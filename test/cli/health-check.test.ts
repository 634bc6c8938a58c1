// The health check of the container and of systemd: whether the server answers, and whether it will.
import type { RequestListener } from 'node:http'
import t, { type Test } from 'tap'
import { listen } from '../listen.ts'
import { runNode } from '../node-process.ts'

async function open(t: Test, listener: RequestListener) {
  const { port, close } = await listen(t, listener)
  const check = async (args: number[] = [], HOST = '0.0.0.0') => {
    const env = { ...process.env, HOST, PORT: String(port) }
    return (await runNode(['src/cli/health-check.ts', ...args.map(String)], { env, coverage: true })).code
  }
  return { check, close }
}

t.test('a server that answers on its address is healthy', async t => {
  const asked: (string | undefined)[] = []
  const { check } = await open(t, ({ url }, response) => {
    asked.push(url)
    response.end('{}')
  })
  t.equal(await check(), 0)
  t.strictSame(asked, ['/healthz'])
  t.equal(await check([], '127.0.0.2'), 1)
})

t.test('a server that says nothing is given up', async t => {
  const { check } = await open(t, () => {})
  t.equal(await check(), 1)
})

t.test('while its process runs, the check waits until it answers as it should', async t => {
  let answers = 0
  const { check } = await open(t, (_, response) => {
    answers++
    if (answers > 1) response.end('{}')
    // Cut off.
    else response.writeHead(503, { 'Content-Length': 9 }).write('{', () => response.destroy())
  })
  t.equal(await check([process.pid]), 0)
  t.equal(answers, 2)
})

t.test('the check does not wait for a process that has ended', async t => {
  const { check, close } = await open(t, () => {})
  close()
  // Beyond the largest that Linux gives.
  t.equal(await check([2 ** 22 + 1]), 1)
})
