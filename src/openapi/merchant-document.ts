// The OpenAPI document of one merchant: each endpoint that takes JSON, with this merchant's address, limits and problems.
import type { Assortment } from '../catalogue/find-products.ts'
import type { Merchant } from '../merchant/merchant.ts'
import { ordersOperation } from './orders-operation.ts'
import { transferOperation } from './transfer-operation.ts'

/** Raised when the fields or problems change for every merchant. */
const VERSION = '1.0.0'

type Context = {
  /** Scheme, host and port of publicUrl. */
  origin: string
  /** Those of its feed, for examples. */
  products: Assortment['products']
}

/** Holds no secret, and no value that the merchant has the app send. */
export function merchantDocument(merchant: Merchant, context: Context): object {
  const operations = [transferOperation(merchant, context), ordersOperation(merchant)].filter(
    operation => operation !== undefined
  )
  const schemas = Object.assign({}, ...operations.map(operation => operation.schemas))
  const securitySchemes = Object.assign({}, ...operations.map(operation => operation.securitySchemes))
  return {
    openapi: '3.1.0',
    info: {
      title: `${merchant.name}: bags from shopping apps`,
      version: VERSION,
      description: 'Every refusal is problem+json (RFC 9457) that lists all mistakes at once.',
      license: { name: 'MIT', identifier: 'MIT' }
    },
    tags: operations.map(({ tag }) => tag),
    servers: [{ url: context.origin + merchant.path }],
    paths: Object.fromEntries(operations.map(({ path, operation }) => [path, { post: operation }])),
    components: { schemas, ...(Object.keys(securitySchemes).length > 0 && { securitySchemes }) }
  }
}
