// A round of `npm run faults -- --fault payment-kill`, in which bags, orders and payments meet a kill; nightly one of `--fault kill` too.
import t from 'tap'
import { inTurn } from '../nightly.ts'
import { paymentKill } from './payment-faults.ts'
import { kill } from './server-faults.ts'
import { databases } from './site.ts'

const kills = [
  { fault: paymentKill, store: 'SQLite', bags: 50, orders: 20 },
  { fault: kill, store: 'PostgreSQL', bags: 100, orders: 50 }
] as const

for (const { fault, store, bags, orders } of inTurn(kills, 0)) {
  t.test(`nothing is lost or doubled by ${fault.what}, ${store}`, async t => {
    const { lost, doubled, wrong, taken, placed, unanswered, rounds } = await fault.run({
      cleanup: t,
      openDatabase: databases[store],
      rounds: 1,
      say: line => t.comment(line)
    })
    t.strictSame({ lost, doubled, wrong, rounds }, { lost: [], doubled: [], wrong: [], rounds: 1 })
    t.ok(taken > bags && placed > orders, 'many bags and orders were answered')
    t.ok(unanswered > 0, 'the kill interrupted some')
  })
}
