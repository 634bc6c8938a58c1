// A client that leaves before it has its answer: each transfer leaves its line in the log and its record all the same.
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import t, { type Test } from 'tap'
import type { Store } from '../../src/store/store.ts'
import type { TransferOption } from '../../src/transfer/option.ts'
import { queryGet } from '../../src/transfer/query-get/query-get.ts'
import { type Build, buildListening, collectRecords, merchantFile } from '../build.ts'
import { openSocket } from '../raw-http.ts'
import { until } from '../until.ts'

/** Builds a site whose records are collected. `transfers` are the log lines of transfers. */
async function listen(t: Test, options: Build) {
  const { collect, records } = collectRecords()
  const { logs, ...built } = await buildListening(t, {
    ...options,
    store: store => collect(options.store?.(store) ?? store)
  })
  return { ...built, transfers: () => logs.filter(({ msg }) => msg === 'transfer'), records }
}

type Listening = Pick<Awaited<ReturnType<typeof buildListening>>, 'app' | 'port'>

/** Sends the bytes of a request. `leave` closes the connection, and waits until the server has noticed. */
async function send(t: Test, { app, port }: Listening, bytes: string) {
  const connected = once(app.server, 'connection')
  const begun = once(app.server, 'request')
  const client = openSocket(t, port)
  client.write(bytes)
  const [socket] = (await connected) as [Socket]
  const [, response] = (await begun) as [unknown, ServerResponse]
  const leave = async () => {
    const closed = new Promise(resolve => socket.once('close', resolve))
    client.destroy()
    await closed
  }
  return { response, leave }
}

const get = (sku: string, reference: string) =>
  `GET /shop/cart?item_0_sku=${sku}&item_0_quantity=1&currency=GBP&reference=${reference} HTTP/1.1\r\nHost: a\r\n\r\n`

t.test('a client that leaves while the store is slow: the line and the record have the result', async t => {
  const slow = Promise.withResolvers<void>()
  const slowly = (store: Store): Store => ({
    ...store,
    newestCheckout: async (...args) => {
      await slow.promise
      return store.newestCheckout(...args)
    },
    addCheckout: async checkout => {
      await slow.promise
      return store.addCheckout(checkout)
    }
  })
  const site = await listen(t, { merchants: [merchantFile('2B')], store: slowly })
  const { app, store, transfers, records } = site
  for (const bag of [get('MUG', 'good'), get('LAMP', 'sold-out')]) await (await send(t, site, bag)).leave()
  t.strictSame(transfers(), [], 'no result is known yet')
  slow.resolve()
  await until('both lines', () => transfers().length === 2)
  const lines = transfers().sort((a, b) => Number(a.status) - Number(b.status))
  t.match(lines, [
    { reference: 'good', lines: 1, outcome: 'accepted', status: 200, aborted: true },
    { reference: 'sold-out', lines: 1, outcome: 'refused', status: 422, aborted: true, mistakes: ['out-of-stock'] }
  ])
  t.match(records, [{ reference: 'sold-out', outcome: 'refused', mistakes: ['out-of-stock'] }])
  t.ok(await store.newestCheckout('shop', 'good'), 'the bag is stored')
  await app.close()
  t.strictSame({ lines: transfers().length, records: records.length }, { lines: 2, records: 1 })
})

t.test('a client that leaves before it has sent all of its bag leaves one line and one record', async t => {
  const site = await listen(t, { merchants: [merchantFile('2A')] })
  const { app, transfers, records } = site
  const head = 'POST /shop/cart HTTP/1.1\r\nHost: a\r\nContent-Type: application/x-www-form-urlencoded\r\n'
  const { leave } = await send(t, site, `${head}Content-Length: 500\r\n\r\nitems[0][sku]=MUG`)
  await leave()
  await app.close()
  t.match(transfers(), [{ outcome: 'refused', status: 400, problem: 'malformed-request', aborted: true }])
  t.match(records, [{ outcome: 'refused', problem: 'malformed-request' }])
  t.strictSame({ lines: transfers().length, records: records.length }, { lines: 1, records: 1 })
})

/** Option 2B with an answer that no buffer of the system holds. */
const longAnswers: TransferOption = {
  ...queryGet,
  answer: 'description',
  describe: ({ url }) => ({ url, httpMethod: 'POST', body: 'x'.repeat(50_000_000) })
}

t.test('a client that leaves while it is sent its answer', async t => {
  const site = await listen(t, { merchants: [merchantFile('2B')], options: [longAnswers] })
  const { app, transfers, records } = site
  const { response, leave } = await send(t, site, get('MUG', 'r'))
  await until('the answer', () => response.headersSent)
  await leave()
  await app.close()
  t.match(transfers(), [{ reference: 'r', outcome: 'accepted', status: 200, aborted: true }])
  t.strictSame({ lines: transfers().length, records }, { lines: 1, records: [] })
})

t.test('a client that has read its answer and leaves has not aborted', async t => {
  const site = await listen(t, { merchants: [merchantFile('2B')] })
  const { app, transfers } = site
  const { response, leave } = await send(t, site, get('MUG', 'r'))
  await until('the answer', () => response.writableFinished)
  await leave()
  await app.close()
  t.match(transfers(), [{ reference: 'r', outcome: 'accepted', aborted: undefined }])
  t.equal(transfers().length, 1)
})
