// The store suites on PostgreSQL.
import t from 'tap'
import { handoversSuite } from '../handovers-suite.ts'
import { orderListSuite } from '../order-list-suite.ts'
import { ordersSuite } from '../orders-suite.ts'
import { outboxSuite } from '../outbox-suite.ts'
import { reportedOrdersSuite } from '../reported-orders-suite.ts'
import { storeSuite } from '../store-suite.ts'
import { transfersSuite } from '../transfers-suite.ts'
import { openReused } from './opened.ts'

storeSuite(t, 'PostgreSQL', openReused, openReused)
ordersSuite(t, 'PostgreSQL', openReused, openReused)
handoversSuite(t, 'PostgreSQL', openReused)
transfersSuite(t, 'PostgreSQL', openReused)
orderListSuite(t, 'PostgreSQL', openReused)
outboxSuite(t, 'PostgreSQL', openReused, openReused)
reportedOrdersSuite(t, 'PostgreSQL', openReused, openReused)
