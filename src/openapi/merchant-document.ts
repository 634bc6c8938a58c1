// The OpenAPI document of one merchant: each endpoint that takes JSON, with this merchant's address, limits and problems.
// (@fastify/swagger drops the examples of a body and which headers are required, and would have every example made at start.)
import type { Product } from '../catalogue/product.ts'
import type { Merchant } from '../merchant/merchant.ts'
import { describe } from './operation.ts'
import { ordersOperation } from './orders-operation.ts'
import { transferOperation } from './transfer-operation.ts'

/** Raised when the fields or problems change for every merchant. */
const VERSION = '1.0.0'

/**
 * Holds no secret, no name of a variable that has one, and no value that the merchant has the app send.
 * @param origin scheme, host and port of publicUrl
 * @param products those of its feed, for examples
 */
export function merchantDocument(merchant: Merchant, origin: string, products: Iterable<Product>): object {
  const all = [transferOperation(merchant, origin, products), ordersOperation(merchant)]
  const operations = all.filter(operation => operation !== undefined)
  const described = operations.map(describe)
  const securitySchemes = Object.assign({}, ...described.map(({ securitySchemes }) => securitySchemes))
  return {
    openapi: '3.1.0',
    info: {
      title: `${merchant.name}: bags from shopping apps`,
      version: VERSION,
      description: 'Every refusal is problem+json (RFC 9457) that lists all mistakes at once.',
      license: { name: 'MIT', identifier: 'MIT' }
    },
    tags: operations.map(({ tag }) => tag),
    servers: [{ url: origin + merchant.path }],
    paths: Object.fromEntries(operations.map(({ path }, i) => [path, { post: described[i]?.operation }])),
    components: {
      schemas: Object.assign({}, ...described.map(({ schemas }) => schemas)),
      ...(Object.keys(securitySchemes).length > 0 && { securitySchemes })
    }
  }
}
