// How errors become refusals.
import { mock } from 'node:test'
import type { FastifyRequest } from 'fastify'
import t, { type Test } from 'tap'
import { Problem, StoreUnavailable, StoreUncertain } from '../../src/errors.ts'
import { formByAccept, toProblem } from '../../src/http/error-handler.ts'
import { build, merchantFile } from '../build.ts'

t.test('every error becomes a refusal', async t => {
  const fastify = (statusCode: number) => Object.assign(new Error('why'), { statusCode })
  const problem = new Problem('not-found', { detail: 'mine' })
  const request = { routeOptions: { bodyLimit: 65536 } }
  t.equal(toProblem(problem, request), problem)
  const cases = [
    [fastify(400), 'malformed-request', 'why'],
    [fastify(403), 'not-found', 'Nothing is served at this address.'],
    [fastify(404), 'not-found', 'Nothing is served at this address.'],
    [fastify(413), 'body-too-large', 'The body may have at most 65536 bytes; this one has more.'],
    [fastify(415), 'media-type-unsupported', 'why'],
    [fastify(500), 'internal-error', 'The server failed; the log has the cause under this request id.'],
    [new TypeError('why'), 'internal-error', 'The server failed; the log has the cause under this request id.'],
    [new StoreUnavailable('why'), 'store-unavailable', /nothing was taken/],
    [new StoreUncertain('why'), 'store-unavailable', /whether anything was taken is unknown/]
  ] as const
  for (const [error, code, message] of cases) t.match(toProblem(error, request), { code, message }, `${code}`)
})

t.test('a browser gets a page where a program gets problem+json', async t => {
  const formFor = (accept?: string) => formByAccept({ headers: { accept } } as FastifyRequest)
  t.equal(formFor('text/html,application/xhtml+xml,*/*;q=0.8'), 'page')
  t.equal(formFor('*/*'), 'problem+json')
  t.equal(formFor(), 'problem+json')
})

/** A shop whose store fails with what `failure` says each time, or works if that is nothing; and the clock of its log. */
async function failing(t: Test, failure: () => string | undefined) {
  t.teardown(() => mock.timers.reset())
  mock.timers.enable({ apis: ['setInterval'] })
  const { app, logs } = await build(t, {
    merchants: [merchantFile('2B')],
    store: store => ({
      ...store,
      addCheckout: async checkout => {
        const reason = failure()
        if (reason !== undefined) throw new StoreUnavailable(reason)
        return store.addCheckout(checkout)
      }
    })
  })
  const bag = '/shop/cart?item_0_sku=MUG&item_0_quantity=1&currency=GBP&reference=r'
  const send = async (times: number) => {
    for (let i = 0; i < times; i++) await app.inject(bag)
  }
  const lines = () => logs.filter(({ level }) => level === 50) as { requests: number; err?: { message: string } }[]
  return { app, send, lines, causes: () => lines().flatMap(({ err }) => err?.message ?? []) }
}

t.test('the first is logged with its cause, the others as a number a second', async t => {
  const { app, send, lines } = await failing(t, () => 'the disk is full')
  await send(100)
  t.match(lines(), [{ requests: 1, err: { message: 'the disk is full' } }])
  mock.timers.tick(1000)
  t.strictSame(
    lines().map(({ requests, err }) => [requests, err?.message]),
    [
      [1, 'the disk is full'],
      [99, undefined]
    ]
  )
  await send(2)
  await app.close()
  const counted = lines().reduce((sum, { requests }) => sum + requests, 0)
  t.equal(counted, 102, 'the close loses none')
})

t.test('another cause of the same failure is logged too, and one that has passed anew when it comes back', async t => {
  const deleted = 'deleted; restart the server'
  const reasons = ['locked', deleted, undefined, deleted, 'locked', 'locked']
  const { send, causes } = await failing(t, () => reasons.shift())
  await send(4)
  t.strictSame(causes(), ['locked', deleted])
  mock.timers.tick(2000)
  await send(2)
  t.strictSame(causes(), ['locked', deleted, 'locked'])
})
