// The comparison itself, tried on databases that have lost something: what it does not find, no fault can.

import type { IncomingHttpHeaders } from 'node:http'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import t, { type Test } from 'tap'
import { build, merchantFile } from '../build.ts'
import { audit, type Findings, sendAgain } from './audit.ts'
import { DELIVERY, type Entry, openLedger, SHOPS } from './bags.ts'
import { type Client, placeOrder, sendBag } from './shopper.ts'

/** A shop that has taken six bags and three orders, whose database can be damaged. */
async function openShop(t: Test) {
  const webhook = { url: 'http://127.0.0.1:9/hooks', secretVariable: 'SECRET' }
  const delivery = [{ id: 'post', label: 'Post', price: `${DELIVERY / 100}0` }]
  const { app, store, folder } = await build(t, {
    merchants: SHOPS.map(({ id, option: { name } }) => ({
      ...merchantFile(name, { id, publicUrl: `http://127.0.0.1:3000/${id}`, delivery }),
      webhook
    })),
    variables: { SECRET: `whsec_${Buffer.alloc(32).toString('base64')}` }
  })
  const client: Client = {
    ask: async ({ method, path, headers = {}, body = '' }) => {
      const payload = method === 'POST' ? { payload: body } : {}
      const answer = await app.inject({ method: method as 'GET', url: path, headers, ...payload })
      return { status: answer.statusCode, headers: answer.headers as IncomingHttpHeaders, body: answer.body }
    },
    close: () => {}
  }
  const ledger = openLedger()
  for (let n = 1; n <= 6; n++) {
    const entry = ledger.next()
    await sendBag(client, ledger, entry)
    if (n % 2 === 0) await placeOrder(client, ledger, entry)
  }
  t.strictSame(ledger.wrong, [])
  const damage = (sql: string) => {
    const db = new DatabaseSync(join(folder, 'data/test.sqlite'))
    db.exec(sql)
    db.close()
  }
  const find = () => audit(ledger.entries, client, store)
  return { client, store, ledger, find, damage, second: ledger.entries[1] as Entry }
}

const NOTHING: Findings = { lost: [], doubled: [], partial: [], kept: 0, uncertainKept: 0 }

t.test('nothing is found where nothing is missing, and everything sent again is the same', async t => {
  const { client, store, ledger, find } = await openShop(t)
  t.strictSame(await find(), NOTHING)
  t.strictSame(await sendAgain(ledger, ledger.entries, client, store), [])
  t.strictSame([await find(), ledger.wrong], [NOTHING, []])
})

const DAMAGES: [what: string, sql: string, found: Partial<Findings>][] = [
  ['a bag', "DELETE FROM checkouts WHERE reference_key LIKE '%1'", { lost: ['bag 1: the page does not show it'] }],
  [
    'a line of a bag',
    `UPDATE checkouts SET cart = replace(cart, '"quantity":8', '"quantity":9') WHERE reference_key LIKE '%1'`,
    { lost: ['bag 1: the page does not show it'] }
  ],
  ['a message', 'DELETE FROM outbox WHERE order_number = $number', { partial: ['bag 2: order $number'] }],
  ['a total', 'UPDATE orders SET total = total + 1', { partial: [2, 4, 6].map(n => `bag ${n}: order`) }]
]

for (const [what, sql, found] of DAMAGES) {
  t.test(`it finds that ${what} is not as it was answered`, async t => {
    const { find, damage, second } = await openShop(t)
    const insert = (text: string) => text.replaceAll('$number', String(second.number))
    damage(insert(sql.replace('$number', "'$number'")))
    const findings = await find()
    for (const [kind, lines] of Object.entries(found)) {
      const seen = findings[kind as 'lost']
      for (const line of lines as string[])
        t.ok(
          seen.some(text => text.startsWith(insert(line))),
          `${kind}: ${line}`
        )
    }
  })
}

t.test('it finds an order that is lost, and what is kept without an answer', async t => {
  const { client, store, ledger, find, damage, second } = await openShop(t)
  second.order = 'unanswered'
  t.strictSame(await find(), { ...NOTHING, kept: 1 })
  second.order = 'uncertain'
  t.strictSame(await find(), { ...NOTHING, uncertainKept: 1 })
  second.order = 'refused'
  t.match(await find(), { partial: [`bag 2: order ${second.number}, which was refused`] })
  delete second.order
  t.match(await find(), { partial: [`bag 2: order ${second.number}, which was never sent`] })
  second.order = 'answered'
  damage(`DELETE FROM orders; UPDATE checkouts SET is_ordered = 0`)
  t.match(await find(), { lost: { length: 3 } })
  second.order = 'unanswered'
  t.match(await sendAgain(ledger, [second], client, store), [])
  t.equal(second.order as string, 'answered', 'what was not kept is ordered now')
})

t.test('it finds a reference with two orders', async t => {
  const { find, damage, second } = await openShop(t)
  damage(`DROP INDEX orders_reference;
    INSERT INTO orders SELECT 'AAAA-0002', merchant_id, reference_key, 'another', reference, currency, lines, subtotal,
      delivery, total, customer, placed_at, language, NULL, NULL FROM orders WHERE number = '${second.number}'`)
  t.match(await find(), { doubled: [/^bag 2: orders .*AAAA-0002/] })
})
