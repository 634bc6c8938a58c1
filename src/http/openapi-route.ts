// Describes a merchant's JSON endpoints to engineers and generators, as OpenAPI. There is no secret in it, so anybody may
// read it, also the script of a page on another site.
import { createHash } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import type { ListedCatalogue } from '../catalogue/product.ts'
import type { Merchant } from '../merchant/merchant.ts'

export type OpenApiRoute = { merchant: Merchant; catalogue: ListedCatalogue; origin: () => string }

export async function openApiRoute(app: FastifyInstance, parts: OpenApiRoute): Promise<void> {
  let made: Awaited<ReturnType<typeof makeDocument>> | undefined
  app.get('', async (request, reply) => {
    made ??= await makeDocument(parts)
    const { body, etag } = made
    // A changed setting is there with the next restart.
    reply.headers({ 'Cache-Control': 'no-cache', ETag: etag, 'Access-Control-Allow-Origin': '*' })
    if (request.headers['if-none-match']?.includes(etag)) return reply.code(304).send()
    return reply.type('application/json').send(body)
  })
}

/** Made when it is first asked for, and kept: some 20 KB. */
async function makeDocument({ merchant, catalogue, origin }: OpenApiRoute): Promise<{ body: string; etag: string }> {
  const { merchantDocument } = await import('../openapi/merchant-document.ts')
  const body = JSON.stringify(merchantDocument(merchant, { origin: origin(), products: catalogue.products() }))
  return { body, etag: `"${createHash('sha256').update(body).digest('base64url')}"` }
}
