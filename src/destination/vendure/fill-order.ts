// Fills a fresh order of Vendure's, and reads it back as the shopper's page will.
import { type Static, Type } from '@sinclair/typebox'
import type { Variant } from './find-variants.ts'
import type { PageSettings, Session } from './session.ts'
import { readSession } from './session.ts'
import type { ShopApi } from './shop-api.ts'

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
