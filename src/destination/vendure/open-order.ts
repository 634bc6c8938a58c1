// Puts a cart into a fresh order of Vendure, reads back what the order then holds, as the shopper's page will, and names the
// lines that Vendure does not sell as they were sent: it keeps what it can sell of an order.
import { type Static, Type } from '@sinclair/typebox'
import type { Cart } from '../../cart/cart.ts'
import { isAny } from '../../errors.ts'
import { CartRefused, type Handover, type ShopMistake } from '../destination.ts'
import {
  eachLine,
  explainFailure,
  findVariants,
  type Units,
  type UnitsMistake,
  unitsOf,
  type Variant
} from './find-variants.ts'
import { type PageSettings, readSession, type Session, type ShopApi, shopApi } from './shop-api.ts'

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

/** Why Vendure has not put all units of a variant into the order; it does not say of which. */
export const AddItemError = Type.Object({
  __typename: Type.String(),
  quantityAvailable: Type.Optional(Type.Integer()),
  maxItems: Type.Optional(Type.Integer())
})
export type AddItemError = Static<typeof AddItemError>

export const ActiveOrder = Type.Object({
  currencyCode: Type.String(),
  lines: Type.Array(
    Type.Object({
      quantity: Type.Integer({ minimum: 1 }),
      unitPriceWithTax: Type.Number(),
      productVariant: Type.Object({ sku: Type.String() })
    })
  )
})
export type ActiveOrder = Static<typeof ActiveOrder>

/** Never within a session that exists: Vendure would add to what is in its order. */
export async function fillOrder(
  ask: ShopApi,
  { variants, currency, page }: { variants: Variant[]; currency: string; page: PageSettings }
): Promise<{ errors: AddItemError[]; session: Session }> {
  const { data, headers } = await ask({
    query: `mutation($inputs: [AddItemInput!]!) {
      added: addItemsToOrder(inputs: $inputs) {
        errorResults {
          __typename
          ... on InsufficientStockError { quantityAvailable }
          ... on OrderLimitError { maxItems }
        }
      }
    }`,
    variables: { inputs: variants.map(({ id, units }) => ({ productVariantId: id, quantity: units.quantity })) },
    data: Type.Object({ added: Type.Object({ errorResults: Type.Array(AddItemError) }) }),
    currency
  })
  return { errors: data.added.errorResults, session: await readSession(page, headers) }
}

const HELD = `fragment Held on Order { currencyCode lines { quantity unitPriceWithTax productVariant { sku } } }`

/** @param customFields those to set on the order, if there are any */
export async function readOrder(
  ask: ShopApi,
  session: Session,
  customFields?: Record<string, string>
): Promise<ActiveOrder> {
  const { data } = await ask({
    query: customFields
      ? `mutation($input: UpdateOrderInput!) { order: setOrderCustomFields(input: $input) { ...Held } } ${HELD}`
      : `query { order: activeOrder { ...Held } } ${HELD}`,
    variables: customFields ? { input: { customFields } } : {},
    data: Type.Object({ order: ActiveOrder }),
    headers: session.headers
  })
  return data.order
}

/** @throws CartRefused if units are missing for a reason that Vendure gives, or have no price */
export function refuseOrder(wanted: Units[], { currencyCode, lines }: ActiveOrder, errors: AddItemError[]): void {
  const held = (sku: string) => lines.find(line => line.productVariant.sku === sku)
  const short = wanted.filter(({ sku, quantity }) => (held(sku)?.quantity ?? 0) < quantity)
  // Errors are in the order of the units; if there are more or fewer, it is not known whose they are.
  const named = short.length === errors.length ? short : []
  const missing = named.flatMap((units, i) => eachLine(units, explain(units, errors[i] as AddItemError)))
  // What has no price in the currency of the order costs 0.
  const unpriced = wanted.filter(({ sku }) => held(sku)?.unitPriceWithTax === 0)
  const free = unpriced.flatMap(units =>
    eachLine(units, {
      field: 'sku',
      code: 'price-missing',
      detail: `The shop asks 0 ${currencyCode} for ${quoted(units)}.`
    })
  )
  const found: ShopMistake[] = [...missing, ...free]
  if (isAny(found)) throw new CartRefused(found)
}

function explain(units: Units, { __typename, quantityAvailable, maxItems }: AddItemError): UnitsMistake {
  const most = quantityAvailable ?? maxItems
  if (quantityAvailable === 0)
    return { field: 'sku', code: 'out-of-stock', detail: `${quoted(units)} is out of stock.` }
  if (most !== undefined && most < units.quantity) {
    const detail = `The shop sells ${most} units of ${quoted(units)} at most; ${units.quantity} were sent.`
    return { field: 'quantity', code: 'quantity-too-large', detail, limit: { units: most } }
  }
  return {
    field: 'sku',
    code: 'destination-differs',
    detail: `The shop does not take ${quoted(units)}: ${__typename}.`
  }
}

const quoted = ({ sku }: Units) => JSON.stringify(sku)
