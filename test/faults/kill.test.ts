// A few rounds of `npm run faults -- --fault kill`.
import t from 'tap'
import { kill } from './server-faults.ts'
import { databases, type StoreName } from './site.ts'

const ROUNDS: Record<StoreName, number> = { SQLite: 2, PostgreSQL: 1 }

t.test('nothing that was answered is lost or doubled by kill -9', async t => {
  let interrupted = 0
  for (const [store, openDatabase] of Object.entries(databases)) {
    const most = ROUNDS[store as StoreName]
    await t.test(store, async t => {
      const { lost, doubled, wrong, taken, placed, unanswered, rounds } = await kill.run({
        cleanup: t,
        openDatabase,
        rounds: most,
        say: line => t.comment(line)
      })
      t.strictSame({ lost, doubled, wrong, rounds }, { lost: [], doubled: [], wrong: [], rounds: most })
      t.ok(taken > 100 * most && placed > 50 * most, 'hundreds of bags and orders were answered')
      interrupted += unanswered
    })
  }
  t.ok(interrupted > 0, 'the kills interrupted some')
})
