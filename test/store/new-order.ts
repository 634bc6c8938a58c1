// An order to place in a store, with the checkout it is placed from.
import type { Order } from '../../src/checkout/orders/order.ts'
import type { Store } from '../../src/store/store.ts'
import { newCheckout } from './store-suite.ts'

export const PLACED = '2026-11-20T10:05:00.000Z'

/** An order of merchant `shop` with every optional field; the number makes it unique within a test. */
export function newOrder(n: number, changes: Partial<Order> = {}): Order {
  return {
    number: `AAAA-${String(n).padStart(4, '0')}`,
    merchantId: 'shop',
    token: `token-${n}`,
    reference: `order-${n}`,
    currency: 'GBP',
    lines: [
      { sku: 'MUG', title: 'Sea-glass mug', variant: 'Green · L', quantity: 2, unitPrice: 1250, lineTotal: 2500 },
      { sku: 'THROW', title: 'Herring throw', quantity: 1, unitPrice: 6495, lineTotal: 6495 }
    ],
    subtotal: 8995,
    delivery: { id: 'standard', label: 'Standard', price: 450 },
    total: 9445,
    customer: {
      email: `ada${n}@example.com`,
      phone: `+44 20 7946 ${n}`,
      country: 'GB',
      address: { name: `Ada Lovelace ${n}`, address1: `${n} Quay Street`, city: 'Whitby', postcode: 'YO21 1AA' }
    },
    language: 'en-GB',
    placedAt: PLACED,
    ...changes
  }
}

/** Stores the checkout of an order, then places the order. */
export async function place(store: Store, order: Order, notifiesWebhook = true): Promise<Order> {
  const { token, merchantId, reference } = order
  await store.addCheckout(newCheckout(token, { merchantId, reference }))
  await store.placeOrder(order, { notifiesWebhook })
  return order
}
