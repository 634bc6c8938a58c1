// A round of `npm run faults -- --fault payment-kill`, in which bags, orders and payments meet a kill, and one of `platform-kill`; nightly
// with PostgreSQL, and one of `kill`.
import t from 'tap'
import { nightly } from '../nightly.ts'
import type { Fault } from './fault.ts'
import { paymentKill } from './payment-faults.ts'
import { platformKill } from './platform-faults.ts'
import { kill } from './server-faults.ts'
import { databases, type StoreName } from './site.ts'

const kills: { fault: Fault; store: StoreName; bags: number; orders?: number }[] = [
  { fault: paymentKill, store: 'SQLite', bags: 50, orders: 20 },
  { fault: platformKill, store: 'SQLite', bags: 50 },
  ...nightly([
    { fault: kill, store: 'PostgreSQL' as const, bags: 100, orders: 50 },
    { fault: platformKill, store: 'PostgreSQL' as const, bags: 50 }
  ])
]

for (const { fault, store, bags, orders = -1 } of kills) {
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
