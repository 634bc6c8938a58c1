// The whole store, as the app and the commands pass it around. Each room owns the interface of what it keeps; the files
// beside this one implement them on a `Database`, and `test/store/store-suite.ts` tests the behaviour.
import { randomBytes } from 'node:crypto'
import type { CheckoutStore, HandoffStore, TransferStore } from '../checkout/checkout-store.ts'
import type { AnswerStore } from '../checkout/kept-answer.ts'
import type { ErasureStore, OrderListStore, OrderStore } from '../checkout/orders/order.ts'
import type { PaymentStore } from '../checkout/orders/payment.ts'
import type { ReportedOrderStore } from '../checkout/orders/reported-order.ts'
import type { OutboxStore } from '../checkout/webhook/outbox.ts'
import { traceCalls } from '../observer.ts'
import type { ReconcileStore } from '../reconcile/compare-lists.ts'
import type { Database } from './database.ts'
import { storedAnswers } from './stored-answers.ts'
import { storedCheckouts } from './stored-checkouts.ts'
import { storedErasure } from './stored-erasure.ts'
import { storedHistories } from './stored-histories.ts'
import { storedListings } from './stored-listings.ts'
import { storedMessages } from './stored-messages.ts'
import { storedOrders } from './stored-orders.ts'
import { storedPayments } from './stored-payments.ts'
import { countUnreadable } from './unreadable-count.ts'

export type Store = CheckoutStore &
  HandoffStore &
  TransferStore &
  AnswerStore &
  OrderStore &
  ReportedOrderStore &
  PaymentStore &
  OrderListStore &
  ErasureStore &
  OutboxStore &
  ReconcileStore & {
    /**
     * Resolves once something was durably written: the store could take a cart at this moment.
     * @throws StoreUnavailable if it could not: locked for too long, full, or its file deleted or replaced; StoreDamaged if
     * any call has met damage
     */
    checkReady: () => Promise<void>
    /** Finishes pending work, then closes the file or connection. */
    close: () => Promise<void>
  }

/** The store in a database of the newest schema, which it closes in the end. @param own what the database does in its own way */
export function storeIn(database: Database, own: Partial<CheckoutStore> = {}): Store {
  const unreadable = countUnreadable(database)
  const calls = {
    ...storedCheckouts(database, unreadable),
    ...storedAnswers(database),
    ...storedOrders(database),
    ...storedListings(database),
    ...storedErasure(database),
    ...storedPayments(database),
    ...storedMessages(database),
    ...storedHistories(database),
    ...own,
    checkReady: writeCheck(database)
  }
  const close = async () => {
    await unreadable.close()
    await database.close()
  }
  return { ...traceCalls('store', calls, (_name, call) => database.guard(call)), close }
}

/** What a check of readiness writes, in bytes: about as much as a cart, which changes several pages. */
const CHECK_SIZE = 16_000

const WRITE_CHECK = `INSERT INTO write_checks (id, content) VALUES (1, $1)
  ON CONFLICT (id) DO UPDATE SET content = excluded.content`

/** Only a write can tell. Checks that are asked for at the same time share one. */
function writeCheck({ write }: Database): () => Promise<void> {
  let pending: Promise<unknown> | undefined
  return async () => {
    // Random, as a database may not write what stays the same.
    pending ??= write(WRITE_CHECK, [randomBytes(CHECK_SIZE / 2).toString('hex')]).finally(() => {
      pending = undefined
    })
    await pending
  }
}
