// How errors become refusals.
import { mock } from 'node:test'
import type { FastifyRequest } from 'fastify'
import t from 'tap'
import { Refusal, StoreUnavailable, StoreUncertain } from '../../src/errors.ts'
import { formByAccept, toRefusal } from '../../src/http/error-handler.ts'
import { build, merchantFile } from '../build.ts'

t.test('every error becomes a refusal', async t => {
  const fastify = (statusCode: number) => Object.assign(new Error('why'), { statusCode })
  const refusal = new Refusal('not-found', { detail: 'mine' })
  t.equal(toRefusal(refusal), refusal)
  const cases = [
    [fastify(400), 'malformed-request', 'why'],
    [fastify(403), 'not-found', 'Nothing is served at this address.'],
    [fastify(404), 'not-found', 'Nothing is served at this address.'],
    [fastify(413), 'body-too-large', 'why'],
    [fastify(415), 'media-type-unsupported', 'why'],
    [fastify(500), 'internal-error', 'The server failed; the log has the cause under this request id.'],
    [new TypeError('why'), 'internal-error', 'The server failed; the log has the cause under this request id.'],
    [new StoreUnavailable('why'), 'store-unavailable', /nothing was taken/],
    [new StoreUncertain('why'), 'store-unavailable', /whether anything was taken is unknown/]
  ] as const
  for (const [error, code, message] of cases) t.match(toRefusal(error), { code, message }, `${code}`)
})

t.test('a browser gets a page where a program gets problem+json', async t => {
  const formFor = (accept?: string) => formByAccept({ headers: { accept } } as FastifyRequest)
  t.equal(formFor('text/html,application/xhtml+xml,*/*;q=0.8'), 'page')
  t.equal(formFor('*/*'), 'problem+json')
  t.equal(formFor(), 'problem+json')
})

t.test('the first is logged with its cause, the others as a number a second', async t => {
  const fail = async () => {
    throw new StoreUnavailable('the disk is full')
  }
  const merchants = [merchantFile('2B', { publicUrl: 'http://127.0.0.1:3000/shop' })]
  const { app, logs } = await build(t, { merchants, store: store => ({ ...store, addCheckout: fail }) })
  const get = () => app.inject('/shop/cart?item_0_sku=MUG&item_0_quantity=1&currency=GBP&reference=r')
  const lines = () => logs.filter(({ level }) => level === 50)
  t.teardown(() => mock.timers.reset())
  mock.timers.enable({ apis: ['setInterval'] })
  for (let i = 0; i < 100; i++) await get()
  t.match(lines(), [{ requests: 1, err: { message: 'the disk is full' } }])
  mock.timers.tick(1000)
  t.equal(lines().length, 2)
  t.strictSame([lines()[1]?.requests, lines()[1]?.err], [99, undefined])

  await get()
  await get()
  await app.close()
  t.equal(
    lines().reduce((sum, { requests }) => sum + Number(requests), 0),
    102,
    'the close loses none'
  )
})

t.test('another cause of the same failure is logged too', async t => {
  const causes = ['locked', 'locked', 'deleted; restart the server', 'locked']
  const merchants = [merchantFile('2B', { publicUrl: 'http://127.0.0.1:3000/shop' })]
  const fail = async () => {
    throw new StoreUnavailable(String(causes.shift()))
  }
  const { app, logs } = await build(t, { merchants, store: store => ({ ...store, addCheckout: fail }) })
  while (causes.length > 0) await app.inject('/shop/cart?item_0_sku=MUG&item_0_quantity=1&currency=GBP&reference=r')
  const logged = logs.flatMap(({ level, err }) => (level === 50 && err ? [(err as Error).message] : []))
  t.strictSame(logged, ['locked', 'deleted; restart the server'])
})

t.test('a failure that has passed is logged anew when it comes back', async t => {
  let isBroken = true
  const merchants = [merchantFile('2B', { publicUrl: 'http://127.0.0.1:3000/shop' })]
  const { app, logs } = await build(t, {
    merchants,
    store: store => ({
      ...store,
      addCheckout: (...args) => {
        if (isBroken) throw new StoreUnavailable('locked')
        return store.addCheckout(...args)
      }
    })
  })
  const get = () => app.inject('/shop/cart?item_0_sku=MUG&item_0_quantity=1&currency=GBP&reference=r')
  const causes = () => logs.filter(({ level, err }) => level === 50 && err !== undefined).length
  t.teardown(() => mock.timers.reset())
  mock.timers.enable({ apis: ['setInterval'] })
  await get()
  isBroken = false
  await get()
  mock.timers.tick(1000)
  isBroken = true
  await get()
  await get()
  t.equal(causes(), 2)
})
