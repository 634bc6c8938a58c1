// A few rounds of `npm run faults -- --fault kill`.
import t from 'tap'
import { sqliteIn } from './database.ts'
import { kill } from './kill.ts'

t.test('nothing that was answered is lost or doubled by kill -9', async t => {
  const { lost, doubled, wrong, taken, placed, unanswered, rounds } = await kill.run({
    cleanup: t,
    openDatabase: sqliteIn,
    rounds: 2,
    say: line => t.comment(line)
  })
  t.strictSame({ lost, doubled, wrong }, { lost: [], doubled: [], wrong: [] })
  t.equal(rounds, 2)
  t.ok(taken > 200 && placed > 100, 'hundreds of bags and orders were answered')
  t.ok(unanswered > 0, 'the kills interrupted some')
})
