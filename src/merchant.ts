// Everything of one merchant: the option by which its carts arrive, its checkout pages, its pictures. Here an option
// meets what follows it, and every transfer leaves its line in the log.
import { existsSync, readFileSync } from 'node:fs'
import staticFiles from '@fastify/static'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Cart } from './cart/cart.ts'
import type { Catalogue } from './catalogue/product.ts'
import { checkoutPages, showCheckout } from './checkout/checkout-pages.ts'
import { openCheckout } from './checkout/open-checkout.ts'
import { LOGO, type ShopFront } from './checkout/shop-front.ts'
import type { Merchant } from './config/merchant.ts'
import { PICTURES } from './config/merchant-file.ts'
import { Refusal } from './errors.ts'
import { toMinor } from './money.ts'
import { refuseOtherMethods } from './other-methods.ts'
import type { Store, TransferRecord } from './store/store.ts'
import type { Landing } from './transfer/option.ts'

export type MerchantParts = {
  merchant: Merchant
  store: Store
  catalogue: Catalogue
  clock: () => Date
  /** What its pages are made with. */
  front: ShopFront
  /** Scheme, host and port of this process, for a merchant whose publicUrl is a path alone. */
  ownOrigin: () => string
}

/** Room in a body for a line of 128 characters at their longest, and for what a platform may add to the contract. */
const BYTES_PER_LINE = 4 * 1024
const BYTES_PER_CART = 64 * 1024

/** A picture opened by itself runs nothing and asks for nothing. */
const PICTURE_HEADERS = {
  'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
  'X-Content-Type-Options': 'nosniff'
}

export async function merchantRoutes(app: FastifyInstance, parts: MerchantParts): Promise<void> {
  const { merchant } = parts
  const refuseOthers = refuseOtherMethods(app)
  await app.register(scope => transferRoute(scope, parts))
  await app.register(scope => checkoutPages(scope, parts))
  if (existsSync(merchant.pictures)) {
    await app.register(staticFiles, {
      root: merchant.pictures,
      prefix: `${PICTURES}/`,
      decorateReply: false,
      index: false,
      dotfiles: 'ignore',
      maxAge: '1h',
      setHeaders: reply => {
        reply.headers(PICTURE_HEADERS)
      }
    })
  }
  const { logo } = merchant.look
  if (logo && 'file' in logo) {
    const picture = readFileSync(logo.file)
    app.get(LOGO, async (_request, reply) =>
      reply
        .headers({ ...PICTURE_HEADERS, 'Cache-Control': 'public, max-age=3600' })
        .type(logo.type)
        .send(picture)
    )
  }
  refuseOthers()
}

async function transferRoute(app: FastifyInstance, parts: MerchantParts): Promise<void> {
  const { merchant, store, catalogue, clock, ownOrigin } = parts
  const { option, transfer, checkout } = merchant
  const origin = () => merchant.origin ?? ownOrigin()
  const terms = {
    merchantId: merchant.id,
    currencies: merchant.currencies,
    expiresAfterMinutes: checkout.expiresAfterMinutes,
    option: option.name,
    pointer: option.pointer
  }
  // Of a cart that the server failed to take, too, the reference is on record.
  const references = new WeakMap<FastifyRequest, string>()
  app.addHook('onResponse', async (request, reply) => {
    const { accepted, refusal } = request
    const reference = accepted?.cart.reference ?? refusal?.reference ?? references.get(request)
    const record: TransferRecord = {
      merchantId: merchant.id,
      ...(reference !== undefined && { reference }),
      option: option.name,
      at: clock().toISOString(),
      outcome: refusal ? 'refused' : accepted?.isRepeat ? 'repeated' : 'accepted',
      ...(refusal && { problem: refusal.code }),
      mistakes: [...new Set(refusal?.mistakes.map(({ code }) => code))]
    }
    logTransfer(record, request, reply.statusCode, reply.elapsedTime)
    if (transfer.keepRecordsDays === 0) return
    // Nobody waits for it: the answer has left.
    store.addTransfer(record).catch(error => request.log.error({ err: error }, 'transfer not on record'))
  })

  async function accept(request: FastifyRequest, cart: Cart): Promise<Landing> {
    references.set(request, cart.reference)
    const opened = await openCheckout({ store, catalogue, clock }, terms, cart)
    request.accepted = { cart, isRepeat: opened.isRepeat }
    return {
      token: opened.checkout.token,
      url: origin() + merchant.path + checkout.path,
      show: reply => showCheckout(reply, parts, opened.checkout)
    }
  }
  // The contract is checked without the catalogue, and a shopper knows an item by its title.
  app.setErrorHandler(error => {
    throw error instanceof Refusal ? labelled(error, catalogue) : error
  })
  await option.plugin(app, {
    path: transfer.path,
    maxItems: transfer.maxItems,
    bodyLimit: BYTES_PER_CART + transfer.maxItems * BYTES_PER_LINE,
    settings: transfer,
    clock,
    origin,
    accept
  })
}

/** The same refusal, its items with the titles that the catalogue has for them. */
function labelled(refusal: Refusal, catalogue: Catalogue): Refusal {
  for (const mistake of refusal.mistakes) {
    const title = mistake.sku === undefined ? undefined : catalogue.product(mistake.sku)?.title
    if (title !== undefined) mistake.label = title
  }
  return refusal
}

/** One line per transfer. No token, no client's address, nothing of a person stands in it. */
function logTransfer(
  { merchantId, reference, option, outcome, problem, mistakes }: TransferRecord,
  request: FastifyRequest,
  status: number,
  duration: number
): void {
  const { accepted, refusal } = request
  const unreadable = accepted?.cart.items.flatMap(({ price }) =>
    price !== undefined && toMinor(price, accepted.cart.currency) === undefined ? price.slice(0, 40) : []
  )
  request.log.info(
    {
      merchant: merchantId,
      option,
      reference,
      lines: accepted?.cart.items.length ?? refusal?.lines,
      outcome,
      status,
      ...(problem !== undefined && { problem, mistakes }),
      ...(unreadable && unreadable.length > 0 && { unreadablePrices: unreadable }),
      durationMs: Math.round(duration * 10) / 10
    },
    'transfer'
  )
}
