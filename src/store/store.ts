// The whole store, as the app and the commands pass it around. Each room owns the interface of what it keeps; `sqlite/`
// and `postgres/` each implement them all, and `test/store/store-suite.ts` tests the behaviour that both have.
import type { CheckoutStore, HandoverStore, TransferStore } from '../checkout/checkout-store.ts'
import type { ErasureStore, OrderListStore, OrderStore } from '../orders/order-store.ts'
import type { ReportedOrderStore } from '../orders/reported-order.ts'
import type { ReconcileStore } from '../reconcile/reconcile-store.ts'
import type { OutboxStore } from '../webhook/outbox.ts'

export type Store = CheckoutStore &
  HandoverStore &
  TransferStore &
  OrderStore &
  ReportedOrderStore &
  OrderListStore &
  ErasureStore &
  OutboxStore &
  ReconcileStore & {
    /**
     * Resolves once something was durably written: the store could take a cart at this moment.
     * @throws StoreUnavailable if it could not: locked for too long, full, or its file deleted or replaced
     */
    checkReady: () => Promise<void>
    /** Finishes pending work, then closes the file or connection. */
    close: () => Promise<void>
  }
