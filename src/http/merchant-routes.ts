// All routes of one merchant: the transfer endpoint, the checkout pages or where its shop reports orders, the pictures and
// the logo. Each has its own scope, which decides the form in which its errors are answered.
import { existsSync, readFileSync } from 'node:fs'
import type { SendOptions } from '@fastify/send'
import type { FastifyInstance } from 'fastify'
import type { ListedCatalogue } from '../catalogue/product.ts'
import { notFound } from '../errors.ts'
import { isHttps, type Merchant, takesJson } from '../merchant/merchant.ts'
import { DARK_LOGO_PATH, LOGO_PATH, OPENAPI_PATH, ORDERS_PATH, PICTURES_PATH } from '../merchant/public-url.ts'
import { checkoutPages } from '../pages/checkout-pages.ts'
import { aboutOrder, formByAccept, handleErrors } from './error-handler.ts'
import { demandHttps } from './every-answer.ts'
import { watchMethods } from './method-not-allowed.ts'
import { nameRoutes } from './observe-requests.ts'
import { openApiRoute } from './openapi-route.ts'
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
  if (isHttps(merchant)) demandHttps(app)

  await app.register(
    async scope => {
      nameRoutes(scope, '/{merchant}/{transfer}')
      const refuseOtherMethods = watchMethods(scope)
      handleErrors(scope, storefront, () => (isPage ? 'page' : 'problem+json'))
      await scope.register(transferRoute, { shop })
      refuseOtherMethods()
    },
    { prefix: merchant.transfer.path }
  )
  if (!shop.ownShop)
    await app.register(
      async scope => {
        nameRoutes(scope, '/{merchant}/{checkout}')
        const refuseOtherMethods = watchMethods(scope)
        handleErrors(scope, storefront, () => 'page', aboutOrder)
        await scope.register(checkoutPages, { shop })
        refuseOtherMethods()
      },
      { prefix: merchant.checkout.path }
    )
  const { secret, settings } = merchant.destination ?? {}
  if (secret !== undefined) {
    await app.register(
      async scope => {
        nameRoutes(scope, `/{merchant}${ORDERS_PATH}`)
        const refuseOtherMethods = watchMethods(scope)
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
        refuseOtherMethods()
      },
      { prefix: ORDERS_PATH }
    )
  }
  if (takesJson(merchant)) {
    await app.register(
      async scope => {
        nameRoutes(scope, `/{merchant}${OPENAPI_PATH}`)
        const refuseOtherMethods = watchMethods(scope)
        await scope.register(openApiRoute, { merchant, catalogue, origin: () => merchant.origin ?? ownOrigin() })
        refuseOtherMethods()
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
  const refuseOtherMethods = watchMethods(app)
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
  refuseOtherMethods()
}
