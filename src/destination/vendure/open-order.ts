// Puts a cart into a fresh order of Vendure, and reads what the order then holds.
import type { Cart } from '../../cart/cart.ts'
import type { Handover } from '../destination.ts'
import { explainFailure } from './explain-failure.ts'
import { fillOrder, readOrder } from './fill-order.ts'
import { findVariants } from './find-variants.ts'
import { refuseOrder } from './refuse-order.ts'
import type { PageSettings } from './session.ts'
import { shopApi } from './shop-api.ts'
import { unitsOf } from './units.ts'

type OrderSettings = Parameters<typeof shopApi>[0] & PageSettings & { referenceField?: string }

/** @throws CartRefused if Vendure does not sell all of it as it was sent, anything else if it failed */
export async function openOrder(
  cart: Cart,
  settings: OrderSettings,
  fetch: typeof globalThis.fetch,
  signal: AbortSignal
): Promise<Handover> {
  const { reference, currency } = cart
  const { referenceField } = settings
  const ask = shopApi(settings, fetch, signal)
  const wanted = unitsOf(cart)
  const variants = await findVariants(ask, wanted)
  const { errors, session } = await fillOrder(ask, { variants, currency, page: settings }).catch(async error => {
    throw await explainFailure(ask, variants, currency, error)
  })
  const fields = referenceField === undefined ? undefined : { [referenceField]: reference }
  const order = await readOrder(ask, session, fields)
  refuseOrder(wanted, order, errors)
  return {
    lines: order.lines.map(({ productVariant: { sku }, quantity }) => ({ sku, quantity })),
    currency: order.currencyCode,
    url: session.url,
    cookies: session.cookies
  }
}
