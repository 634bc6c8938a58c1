// The suite of reported orders on SQLite.
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { openSqlite } from '../../../src/store/sqlite/sqlite-store.ts'
import { reportedOrdersSuite } from '../reported-orders-suite.ts'

const openAgain = async (t: Test) => openSqlite(join(t.testdirName, 'test.sqlite'))

reportedOrdersSuite(
  t,
  'SQLite',
  async t => {
    t.testdir({})
    return openAgain(t)
  },
  openAgain
)
