// All routes of one merchant: the transfer endpoint, the checkout pages or where its shop reports orders, the pictures and
// the logo. Each has its own scope, which decides the form in which its errors are answered.
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import type { SendOptions } from '@fastify/send'
import type { FastifyInstance } from 'fastify'
import type { ListedCatalogue } from '../catalogue/product.ts'
import { notFound } from '../errors.ts'
import { isHttps, type Merchant, takesJson } from '../merchant/merchant.ts'
import { DARK_LOGO_PATH, LOGO_PATH, OPENAPI_PATH, ORDERS_PATH, PICTURES_PATH } from '../merchant/public-url.ts'
import { checkoutPages } from '../pages/checkout-pages.ts'
import { openScope } from '../pages/storefront.ts'
import { aboutOrder, formByAccept, handleErrors } from './error-handler.ts'
import { nameRoutes, setHstsOfScope } from './every-request.ts'
import { ordersRoute } from './orders-route.ts'
import { type MerchantShop, transferRoute } from './transfer-route.ts'

const PICTURE_FILES: SendOptions = { index: false, dotfiles: 'ignore', acceptRanges: false, maxAge: '1h' }

/** A picture opened by itself runs nothing and loads nothing. */
const PICTURE_HEADERS = {
  'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox"
}

/** Its catalogue can be listed, for examples. */
export type RoutedShop = MerchantShop & { catalogue: ListedCatalogue }

export async function merchantRoutes(app: FastifyInstance, { shop }: { shop: RoutedShop }): Promise<void> {
  const { merchant, storefront, store, clock, catalogue, ownOrigin, observer } = shop
  const isPage = merchant.option.answer === 'page'
  const formOf = isPage ? () => 'page' as const : formByAccept
  handleErrors(app, storefront, formOf)
  await openScope(app, storefront)
  if (isHttps(merchant)) setHstsOfScope(app)

  await app.register(
    async scope => {
      nameRoutes(scope, '/{merchant}/{transfer}')
      handleErrors(scope, storefront, () => (isPage ? 'page' : 'problem+json'))
      await scope.register(transferRoute, { shop })
    },
    { prefix: merchant.transfer.path }
  )
  if (!shop.ownShop)
    await app.register(
      async scope => {
        nameRoutes(scope, '/{merchant}/{checkout}')
        handleErrors(scope, storefront, () => 'page', aboutOrder)
        await scope.register(checkoutPages, { shop })
      },
      { prefix: merchant.checkout.path }
    )
  const { secret, settings } = merchant.destination ?? {}
  if (secret !== undefined) {
    await app.register(
      async scope => {
        nameRoutes(scope, `/{merchant}${ORDERS_PATH}`)
        handleErrors(scope, storefront, () => 'problem+json')
        const named = { variable: String(settings?.secretVariable), value: secret }
        await scope.register(ordersRoute, {
          merchantId: merchant.id,
          store,
          clock,
          storefront,
          secret: named,
          observer
        })
      },
      { prefix: ORDERS_PATH }
    )
  }
  if (takesJson(merchant)) {
    await app.register(
      async scope => {
        nameRoutes(scope, `/{merchant}${OPENAPI_PATH}`)
        await scope.register(openApiRoute, { merchant, catalogue, origin: () => merchant.origin ?? ownOrigin() })
      },
      { prefix: OPENAPI_PATH }
    )
  }
  await app.register(pictures, { merchant })
}

async function pictures(
  app: FastifyInstance,
  { merchant: { pictures: root, theme } }: { merchant: Merchant }
): Promise<void> {
  nameRoutes(app, '/{merchant}')
  if (existsSync(root)) {
    app.get<{ Params: { '*': string } }>(`${PICTURES_PATH}/*`, async ({ raw, params }, reply) => {
      // Loaded when the first picture is asked for.
      const { send } = await import('@fastify/send')
      const sent = await send(raw, encodeURIComponent(params['*']), { ...PICTURE_FILES, root })
      if (sent.type === 'error') throw sent.metadata.error
      if (sent.type === 'directory') throw notFound()
      const { statusCode, headers, stream } = sent
      // An answer that the picture has not changed must not change its type either.
      const type = statusCode === 200 ? { 'Content-Type': 'application/octet-stream' } : {}
      return reply
        .code(statusCode)
        .headers({ ...type, ...headers, ...PICTURE_HEADERS })
        .send(stream)
    })
  }
  const logos = { [LOGO_PATH]: theme.logo, [DARK_LOGO_PATH]: theme.darkLogo }
  for (const [path, logo] of Object.entries(logos)) {
    if (!logo || !('file' in logo)) continue
    const picture = readFileSync(logo.file)
    const headers = { ...PICTURE_HEADERS, 'Cache-Control': 'public, max-age=3600' }
    app.get(path, async (_request, reply) => reply.headers(headers).type(logo.type).send(picture))
  }
}

type OpenApiRoute = { merchant: Merchant; catalogue: ListedCatalogue; origin: () => string }

/**
 * Describes a merchant's JSON endpoints to engineers and generators. There is no secret in it, so anybody may read it, also
 * the script of a page on another site.
 */
async function openApiRoute(app: FastifyInstance, parts: OpenApiRoute): Promise<void> {
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
