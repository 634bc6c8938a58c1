// The destination for shops with Vendure 3: a fresh order of a fresh session in its Shop API, which the shopper's page
// gets by cookies or in its address. What the order then holds is read back, as that page will read it.
import { type Static, Type } from '@sinclair/typebox'
import { type Cart, unitsBySku } from '../../../cart/cart.ts'
import { describedPatterns } from '../../../transfer/description.ts'
import type { ReportError } from '../../../transfer/option.ts'
import { AddressSetting, allRefused, CartRefused, type Destination, type ShopError } from '../destination.ts'
import { type DestinationRoute, shopPage, shopPageProblem, shopUrlProblem } from '../shop-page.ts'
import { findVariants, type MistakesBySku, stillSold, type Variant } from './find-variants.ts'
import { applyCouponCodes, GraphQLError, readSession, type ShopApi, shopApi, TOKEN_PLACE } from './shop-api.ts'

const OrderField = (description: string) =>
  Type.Optional(Type.String({ pattern: '^[A-Za-z_]\\w*$', maxLength: 64, description }))

const VendureSettings = Type.Object({
  url: AddressSetting('the address of the Shop API, such as "https://shop.example/shop-api"'),
  pageUrl: AddressSetting(
    'the checkout page of your storefront, such as "https://shop.example/checkout"; {token} in it stands for the token of the session'
  ),
  tokenCookie: Type.Optional(
    Type.String({
      pattern: describedPatterns.name,
      maxLength: 64,
      description:
        'the name of the cookie in which your storefront keeps the token of the session, such as "vendure-auth-token"'
    })
  ),
  channelToken: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      description: 'the token of the channel to sell in; the default channel if absent'
    })
  ),
  referenceField: OrderField('a public custom field of Order, of type string, for the reference of the transfer'),
  attributionField: OrderField('a public custom field of Order, of type text, for the attribution, as JSON')
})
type VendureSettings = Static<typeof VendureSettings>

export const vendure: Destination<VendureSettings> = {
  name: 'vendure',
  title: 'Vendure',
  settings: VendureSettings,
  needsSecret: false,
  check: checkSettings,

  async open(cart, access) {
    const { settings } = access
    const { referenceField, attributionField } = settings
    const { codes, attribution } = cart
    const ask = shopApi(access)
    const units = unitsBySku(cart.items)
    const mistakes: MistakesBySku = new Map()
    const variants = await findVariants(ask, [...units.keys()], mistakes)
    // Whatever is not sold, the rest is put into an order: only then Vendure says what is wrong with that.
    const added = await addVariants(ask, cart, variants, mistakes)
    if (!added) throw refusal(cart, mistakes)
    const { headers, ...page } = await readSession(settings, added.headers)
    const inOrder = { headers, currency: cart.currency }
    const refusedCodes = codes && (await applyCouponCodes(ask, codes, inOrder).catch(allRefused(codes)))
    const fields = {
      ...(referenceField !== undefined && { [referenceField]: cart.reference }),
      ...(attributionField !== undefined && attribution && { [attributionField]: JSON.stringify(attribution) })
    }
    const order = await readOrder(ask, headers, fields)
    // Vendure keeps what it can sell of an order, with errors for the rest.
    const held = new Map(order.lines.map(({ productVariant: { sku }, ...line }) => [sku, line]))
    const short = added.skus.filter(sku => (held.get(sku)?.quantity ?? 0) < (units.get(sku) as number))
    const { errors } = added
    // Errors are in the order of the units; if there are more or fewer, it is not known whose they are.
    const known = short.length === errors.length ? short : []
    for (const [i, sku] of known.entries()) {
      mistakes.set(sku, [missingUnits(sku, units.get(sku) as number, errors[i] as AddItemError)])
    }
    for (const sku of units.keys()) {
      const line = held.get(sku)
      if (line?.unitPriceWithTax !== 0 || line.quantity === 0) continue
      // What has no price in the currency of the order costs 0.
      const detail = `The shop asks 0 ${order.currencyCode} for ${JSON.stringify(sku)}.`
      mistakes.set(sku, [...(mistakes.get(sku) ?? []), { field: 'sku', code: 'price-missing', detail }])
    }
    if (mistakes.size > 0) throw refusal(cart, mistakes)
    return {
      lines: order.lines.map(({ productVariant: { sku }, quantity }) => ({ sku, quantity })),
      currency: order.currencyCode,
      ...page,
      ...(refusedCodes && { refusedCodes })
    }
  }
}

/** As long as the tokens that Vendure makes. */
const SAMPLE = 'x'.repeat(64)

function checkSettings(
  { url, pageUrl, tokenCookie }: VendureSettings,
  route: DestinationRoute,
  report: ReportError
): void {
  const urlProblem = shopUrlProblem(url)
  if (urlProblem) {
    const right = 'give the address of the Shop API, such as "https://shop.example/shop-api"'
    report(['url'], `${urlProblem}; ${right}`)
  }
  const page = shopPage(pageUrl, TOKEN_PLACE, SAMPLE, tokenCookie)
  // Whether Vendure's own cookies are secure is known with the first of them.
  if (page.cookies && tokenCookie === undefined) page.cookies = [{ name: 'session', value: SAMPLE }]
  const pageProblem = shopPageProblem(page, route, TOKEN_PLACE, 'https://shop.example/checkout')
  if (pageProblem) report(['pageUrl'], pageProblem)
  if (!page.cookies && tokenCookie !== undefined) {
    const problem = `the page gets the token in its address already; leave it out, or ${TOKEN_PLACE} in pageUrl`
    report(['tokenCookie'], problem)
  }
}

/** Why Vendure has not put all units of a variant into the order; it does not say of which. */
const AddItemError = Type.Object({
  __typename: Type.String(),
  quantityAvailable: Type.Optional(Type.Integer()),
  maxItems: Type.Optional(Type.Integer())
})
type AddItemError = Static<typeof AddItemError>

/**
 * @returns the session that begins with an order of those that are sold, their SKUs and what was wrong with some of them;
 * undefined if none is. The mistakes get those that are not sold any more.
 * @throws CartRefused if the shop does not sell in the currency
 */
async function addVariants(
  ask: ShopApi,
  cart: Cart,
  variants: Variant[],
  mistakes: MistakesBySku
): Promise<{ headers: Headers; skus: string[]; errors: AddItemError[] } | undefined> {
  if (variants.length === 0) return undefined
  const units = unitsBySku(cart.items)
  const inputs = variants.map(({ id, sku }) => ({ productVariantId: id, quantity: units.get(sku) }))
  try {
    const { headers, data } = await addItems(ask, inputs, cart.currency)
    return { headers, skus: variants.map(({ sku }) => sku), errors: data.added.errorResults }
  } catch (error) {
    const code = error instanceof GraphQLError && error.code
    if (code === 'USER_INPUT_ERROR') await refuseCurrency(ask, cart, mistakes)
    const sold = code === 'ENTITY_NOT_FOUND' ? await stillSold(ask, variants) : variants
    if (sold.length === variants.length) throw error
    for (const { sku } of variants.filter(variant => !sold.includes(variant))) {
      const detail = `The shop does not sell ${JSON.stringify(sku)} any more.`
      mistakes.set(sku, [{ field: 'sku', code: 'sku-unknown', detail }])
    }
    return addVariants(ask, cart, sold, mistakes)
  }
}

/** Never within a session that exists: Vendure would add to what is in its order. */
function addItems(ask: ShopApi, inputs: object[], currency: string) {
  return ask({
    query: `mutation($inputs: [AddItemInput!]!) {
      added: addItemsToOrder(inputs: $inputs) {
        errorResults {
          __typename
          ... on InsufficientStockError { quantityAvailable }
          ... on OrderLimitError { maxItems }
        }
      }
    }`,
    variables: { inputs },
    data: Type.Object({ added: Type.Object({ errorResults: Type.Array(AddItemError) }) }),
    currency
  })
}

const ActiveOrder = Type.Object({
  currencyCode: Type.String(),
  lines: Type.Array(
    Type.Object({
      quantity: Type.Integer({ minimum: 0 }),
      unitPriceWithTax: Type.Number(),
      productVariant: Type.Object({ sku: Type.String() })
    })
  )
})

const HELD = `fragment Held on Order { currencyCode lines { quantity unitPriceWithTax productVariant { sku } } }`

async function readOrder(
  ask: ShopApi,
  headers: Record<string, string>,
  customFields: Record<string, string>
): Promise<Static<typeof ActiveOrder>> {
  const hasFields = Object.keys(customFields).length > 0
  const { data } = await ask({
    query: hasFields
      ? `mutation($input: UpdateOrderInput!) { order: setOrderCustomFields(input: $input) { ...Held } } ${HELD}`
      : `query { order: activeOrder { ...Held } } ${HELD}`,
    variables: hasFields ? { input: { customFields } } : {},
    data: Type.Object({ order: ActiveOrder }),
    headers
  })
  return data.order
}

function missingUnits(
  sku: string,
  units: number,
  { __typename, quantityAvailable, maxItems }: AddItemError
): ShopError {
  const name = JSON.stringify(sku)
  const most = quantityAvailable ?? maxItems
  if (most === 0) return { field: 'sku', code: 'out-of-stock', detail: `${name} is out of stock.` }
  if (most !== undefined && most < units) {
    const detail = `The shop sells ${most} units of ${name} at most; ${units} were sent.`
    return { field: 'quantity', code: 'quantity-too-large', detail, limit: { units: most } }
  }
  return { field: 'sku', code: 'destination-differs', detail: `The shop does not take ${name}: ${__typename}.` }
}

/** Names every line that has a SKU with mistakes. @param others about the cart as a whole */
function refusal({ items }: Cart, mistakes: MistakesBySku, ...others: ShopError[]): CartRefused {
  const ofLines = items.flatMap(({ sku }, line) => (mistakes.get(sku) ?? []).map(mistake => ({ ...mistake, line })))
  return new CartRefused([...ofLines, ...others] as [ShopError])
}

/** @throws CartRefused unless the shop sells in the currency of the cart */
async function refuseCurrency(ask: ShopApi, cart: Cart, mistakes: MistakesBySku): Promise<void> {
  const { data } = await ask({
    query: '{ activeChannel { availableCurrencyCodes } }',
    variables: {},
    data: Type.Object({ activeChannel: Type.Object({ availableCurrencyCodes: Type.Array(Type.String()) }) })
  })
  const codes = data.activeChannel.availableCurrencyCodes
  if (codes.includes(cart.currency)) return
  const detail = `The shop sells in ${codes.join(', ')} only.`
  throw refusal(cart, mistakes, { field: 'currency', code: 'currency-not-sold', detail })
}
