// A round of `npm run faults -- --fault kill`, and of `--fault payment-kill`.
import t from 'tap'
import { paymentKill } from './payment-faults.ts'
import { kill } from './server-faults.ts'
import { databases } from './site.ts'

for (const { fault, bags, orders } of [
  { fault: kill, bags: 100, orders: 50 },
  { fault: paymentKill, bags: 50, orders: 20 }
]) {
  t.test(`nothing is lost or doubled by ${fault.what}`, async t => {
    let interrupted = 0
    for (const [store, openDatabase] of Object.entries(databases)) {
      await t.test(store, async t => {
        const { lost, doubled, wrong, taken, placed, unanswered, rounds } = await fault.run({
          cleanup: t,
          openDatabase,
          rounds: 1,
          say: line => t.comment(line)
        })
        t.strictSame({ lost, doubled, wrong, rounds }, { lost: [], doubled: [], wrong: [], rounds: 1 })
        t.ok(taken > bags && placed > orders, 'many bags and orders were answered')
        interrupted += unanswered
      })
    }
    t.ok(interrupted > 0, 'the kills interrupted some')
  })
}
