// npm run test:payment, as it is started.
import { join } from 'node:path'
import t from 'tap'
import { runNode } from '../../node-process.ts'

const SCRIPT = join(import.meta.dirname, 'run.ts')

const run = (flag: string[], key = '') =>
  runNode([SCRIPT, ...flag], { env: { ...process.env, STRIPE_SECRET_KEY: key } })

t.test('without a flag it talks with the stand-in, whatever the key', async t => {
  const { code, stdout, stderr } = await run([], 'sk_live_1')
  t.match({ code, stderr }, { code: 0, stderr: '' })
  t.match(stdout, /^With the stand-in for Stripe:\n {2}a session is opened, [\s\S]* {2}another key is refused\n$/)
})

t.test('it never takes a live key', async t => {
  for (const [key, what] of [
    ['sk_live_1', 'is no test key'],
    ['', 'is not set']
  ] as const) {
    const { code, stdout, stderr } = await run(['--live'], key)
    t.match({ code, stdout, stderr }, { code: 2, stdout: '', stderr: `STRIPE_SECRET_KEY ${what}: ` })
    t.notMatch(stderr, 'sk_live_1')
  }
})
