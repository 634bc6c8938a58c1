// The store suites on PostgreSQL.
import t from 'tap'
import { handoversSuite } from '../handovers-suite.ts'
import { orderListSuite } from '../order-list-suite.ts'
import { ordersSuite } from '../orders-suite.ts'
import { outboxSuite } from '../outbox-suite.ts'
import { reportedOrdersSuite } from '../reported-orders-suite.ts'
import { storeSuite } from '../store-suite.ts'
import { transfersSuite } from '../transfers-suite.ts'
import { openTested } from './opened.ts'

storeSuite(t, 'PostgreSQL', openTested, openTested)
ordersSuite(t, 'PostgreSQL', openTested, openTested)
handoversSuite(t, 'PostgreSQL', openTested)
transfersSuite(t, 'PostgreSQL', openTested)
orderListSuite(t, 'PostgreSQL', openTested)
outboxSuite(t, 'PostgreSQL', openTested, openTested)
reportedOrdersSuite(t, 'PostgreSQL', openTested, openTested)
