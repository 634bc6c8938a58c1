// Every suite of the store's behaviour, which any database has to pass.
import type { Test } from 'tap'
import { answersSuite } from './answers-suite.ts'
import { cartExtrasSuite } from './cart-extras-suite.ts'
import { handoversSuite } from './handovers-suite.ts'
import { orderListSuite } from './order-list-suite.ts'
import { ordersSuite } from './orders-suite.ts'
import { outboxSuite } from './outbox-suite.ts'
import { paymentsSuite } from './payments-suite.ts'
import { reportedOrdersSuite } from './reported-orders-suite.ts'
import { type OpenStore, storeSuite } from './store-suite.ts'
import { transfersSuite } from './transfers-suite.ts'

/**
 * @param open builds a fresh store
 * @param openAgain opens one more store on the database that `open` made for the same test
 */
export function allSuites(t: Test, name: string, open: OpenStore, openAgain: OpenStore): void {
  const suites = [
    storeSuite,
    ordersSuite,
    cartExtrasSuite,
    answersSuite,
    handoversSuite,
    transfersSuite,
    orderListSuite,
    outboxSuite,
    paymentsSuite,
    reportedOrdersSuite
  ]
  for (const suite of suites) suite(t, name, open, openAgain)
}
