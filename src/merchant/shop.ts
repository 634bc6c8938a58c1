// A shop: a merchant with its catalogue, store and clock. One context, passed by hand.
import type { Catalogue, ListedCatalogue } from '../catalogue/product.ts'
import type { Merchant } from './merchant.ts'

/** `Store` is the part of the store that the receiver needs. */
export type Shop<Store> = {
  merchant: Merchant
  catalogue: Catalogue
  store: Store
  clock: () => Date
}

/** A merchant with its catalogue, before there is a store. */
export type MerchantCatalogue = { merchant: Merchant; catalogue: ListedCatalogue }
