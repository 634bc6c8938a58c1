// Opens a demo merchant for stories, with helpers that bring it into any state.
import { readFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { join } from 'node:path'
import type { Test } from 'tap'
import type { Cart, Item } from '../../src/cart/cart.ts'
import { openCheckout } from '../../src/checkout/open-checkout.ts'
import type { AmountProblem } from '../../src/integrations/payment/provider.ts'
import { openPaymentDouble } from '../../src/kit/payment/payment-double.ts'
import type { FeedCatalogue } from '../../src/merchant/catalogue/followed-feed.ts'
import type { Product } from '../../src/merchant/catalogue/product.ts'
import type { Merchant } from '../../src/merchant/merchant.ts'
import { withBuyer } from '../../src/pages/given-buyer.ts'
import { anyContext } from '../any-context.ts'
import { buildListening, uuid } from '../build.ts'
import { KEY, PAYMENT, SECRET } from '../pages/paying-shop.ts'
import { formOf } from '../pages/shopper.ts'
import { goodsOf } from './goods.ts'

const CONFIG = join(import.meta.dirname, '../../config')

/** Changes a product of the feed; undefined removes it. */
export type Change = (product: Product) => Product | undefined

/** Lines; `price` is the app's claimed price. */
export type Bag = [sku: string, quantity: number, price?: string][]

export type StoryShop = Awaited<ReturnType<typeof openStoryShop>>

export function merchantSettings(id: string) {
  return JSON.parse(readFileSync(join(CONFIG, `${id}.json`), 'utf8'))
}

/**
 * Opens a demo merchant with option 2B, whose refusals are pages; it closes with the test. `paying` is the same, but is paid at a
 * stand-in for Stripe.
 */
export async function openStoryShop(t: Test, id: string, changes: object = {}) {
  let [now, notify] = [() => new Date(), (): string | undefined => undefined]
  const secrets = { secretKey: KEY, webhookSecret: SECRET }
  const payments = await openPaymentDouble({ ...secrets, clock: () => now(), notify: () => notify() })
  t.teardown(() => payments.close())
  const file = merchantSettings(id)
  const settings = {
    ...file,
    checkout: { ...file.checkout, payment: undefined },
    theme: { ...file.theme, logo: join(CONFIG, file.theme.logo) },
    views: file.views && join(CONFIG, file.views),
    ...changes,
    transfer: { option: '2B', path: '/cart' },
    catalogue: { feed: join(CONFIG, id, 'feed.tsv') }
  }
  const paying = {
    ...settings,
    ...{ id: 'paying', publicUrl: '/paying', payment: undefined },
    checkout: { ...settings.checkout, payment: { ...PAYMENT, apiUrl: payments.origin } }
  }
  let failure: Error | undefined
  const { app, store, merchants, catalogues, clock, tick } = await buildListening(t, {
    merchants: [settings, paying],
    variables: { STRIPE_KEY: KEY, STRIPE_SECRET: SECRET },
    store: opened => ({
      ...opened,
      findCheckout: async (...args) => {
        if (failure) throw failure
        return opened.findCheckout(...args)
      }
    })
  })
  now = clock
  notify = () => `${app.listeningOrigin}/paying/payments/stripe`
  let references = 0
  const timeOut = ({ socket }: IncomingMessage) =>
    app.server.emit('clientError', Object.assign(new Error('slow'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }), socket)

  function shopOf(merchant: Merchant, catalogue: FeedCatalogue) {
    const { product: find } = catalogue
    const [currency = ''] = merchant.currencies
    /** The URL of a path of the merchant. */
    const urlOf = (path: string) => app.listeningOrigin + merchant.path + path
    const checkoutWith = async (came: Partial<Cart>, ...lines: Bag): Promise<string> => {
      const items = lines.map(
        ([sku, quantity, price]): Item => ({ sku, quantity, ...(price !== undefined && { price }) })
      )
      // Not through the option: the bag may be too long for a URL.
      const cart = { ...came, currency, reference: uuid(++references), items }
      const { checkout } = await openCheckout(
        { ...anyContext({ merchant, store, catalogue, clock }), way: merchant.ways[0] },
        cart
      )
      return urlOf(withBuyer(`${merchant.checkout.path}/${checkout.token}`, checkout.cart.buyer))
    }
    return {
      app,
      merchant,
      catalogue,
      store,
      goods: goodsOf(catalogue, currency),
      urlOf,
      /** Opens a checkout for a bag. @returns its URL */
      checkout: (...lines: Bag): Promise<string> => checkoutWith({}, ...lines),
      /** The same with what came along with the bag. @returns the URL to which a link leads */
      checkoutWith,
      /** Submits the form of a checkout, without a browser. @returns where that leads, in any language */
      placeOrder: async (address: string, typed: Record<string, string>): Promise<string> => {
        const { action = '', fields } = formOf((await app.inject(new URL(address).pathname)).body) ?? {}
        const { headers } = await app.inject({
          method: 'POST',
          url: action,
          headers: { 'content-type': 'application/x-www-form-urlencoded' },
          payload: `${new URLSearchParams({ ...fields, ...typed })}`
        })
        return new URL(String(headers.location).replace(/&lang=[^&]*/, ''), app.listeningOrigin).href
      },
      /** The URL that transfers a cart by option 2B. */
      transferUrl: (cart: Partial<Cart>): string => {
        const fullCart = { currency, reference: uuid(++references), items: [], ...cart }
        const [{ option, transfer }] = merchant.ways
        return option.request(fullCart, urlOf(transfer.path)).url
      },
      /** Runs `act` while these SKUs are changed in the feed. */
      withFeed: <T>(changes: Record<string, Change>, act: () => Promise<T>): Promise<T> => {
        catalogue.product = sku => {
          const product = find(sku)
          const change = changes[sku]
          return product && change ? change(product) : product
        }
        return act().finally(() => {
          catalogue.product = find
        })
      },
      /** Runs `act` while the shop sells at most this many units in a line, and goods for at most this much at once. */
      withLimits: <T>({ units, minor }: { units?: number; minor?: number }, act: () => Promise<T>): Promise<T> => {
        const { ways, maxTotal = {} } = merchant
        const { maxQuantity } = ways[0].transfer
        const maxima = minor === undefined ? maxTotal : { [currency]: minor }
        // Its route has the way itself.
        Object.assign(ways[0].transfer, { maxQuantity: units ?? maxQuantity })
        Object.assign(merchant, { maxTotal: maxima })
        return act().finally(() => {
          Object.assign(ways[0].transfer, { maxQuantity })
          Object.assign(merchant, { maxTotal })
        })
      },
      /** Runs `act` while this is what the payment provider says of an amount. */
      withAmounts: <T>(
        checkAmount: (minor: number) => AmountProblem | undefined,
        act: () => Promise<T>
      ): Promise<T> => {
        const { payment } = merchant
        if (!payment) throw new Error('the shop takes no payment')
        const provider = { ...payment.provider, checkAmount }
        Object.assign(merchant, { payment: { ...payment, provider } })
        return act().finally(() => Object.assign(merchant, { payment }))
      },
      /** Runs `act` while every request times out before it has arrived in full; its bag must be one that can be sold. */
      withTimeout: <T>(act: () => Promise<T>): Promise<T> => {
        app.server.on('request', timeOut)
        return act().finally(() => app.server.off('request', timeOut))
      },
      tick,
      /** Makes the store fail, or work again. */
      breakStore: (error: Error | undefined) => {
        failure = error
      }
    }
  }
  const [own, paid] = merchants.map((merchant, i) => shopOf(merchant, catalogues[i] as FeedCatalogue))
  if (!own || !paid) throw new Error('two merchants are built')
  return { ...own, payments, paying: paid }
}
