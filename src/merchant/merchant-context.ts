// A merchant with everything that is done for it needs: put together once at start, and passed by hand.
import type { OwnShop } from '../integrations/destination/shop-call.ts'
import type { PaymentGateway } from '../integrations/payment/provider-call.ts'
import type { Log, Observer, Trace } from '../observer.ts'
import type { MerchantCatalogue, Way } from './merchant.ts'

/** `Store` is the part of the store that the receiver uses. */
export type MerchantContext<Store> = MerchantCatalogue & {
  store: Store
  clock: () => Date
  /** The token of a new checkout. */
  newToken: (at: Date) => string
  /** Scheme, host and port of the merchant's addresses: those of publicUrl, or, if that is a path, of this process. */
  origin: () => string
  /** Where its carts lead, if not to our own page. */
  ownShop: OwnShop | undefined
  /** Where its orders are paid, if they are. */
  gateway: PaymentGateway | undefined
  /** The server's, or that of a request, which names the request in each line. */
  log: Log
  observer: Observer
  trace: Trace
}

/** A merchant's, as a cart that came in by one of its ways needs it. */
export type TransferContext<Store> = MerchantContext<Store> & { way: Way }
