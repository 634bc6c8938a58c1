// What WooCommerce tells of its orders: its webhooks order.created and order.updated, with an order as its REST API has it. The
// reference is in what its order attribution has read from the address of the checkout page.
import { createHmac } from 'node:crypto'
import { Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import type { Cart } from '../../../cart/cart.ts'
import { Problem } from '../../../errors.ts'
import { isAnySame } from '../../../secrets.ts'
import { jsonMeter } from '../shop-json.ts'
import { ATTRIBUTION, type OrderStatus, type ShopMessages, type ShopNews, type ShopOrder } from '../shop-message.ts'

/** Before a reference, where the source is that of the link; no reference begins so, as `__` stands for no sign. */
const MARK = `${ATTRIBUTION}__`

/**
 * What the address of the checkout page carries besides what came along. WooCommerce loses `%41`, `<b>`, `\` and `(none)` on
 * their way into the order: anything but letters, digits, full stops and hyphens is sent as `_` and two hexadecimal digits.
 */
export function attributionOf({ reference, attribution = {} }: Pick<Cart, 'reference' | 'attribution'>) {
  const content = reference.replace(/[^A-Za-z0-9.-]/g, sign => `_${sign.charCodeAt(0).toString(16)}`)
  const { utm_source, utm_medium } = attribution
  if (utm_source !== undefined) return { utm_content: MARK + content }
  return { utm_source: ATTRIBUTION, ...(utm_medium === undefined && { utm_medium: 'app' }), utm_content: content }
}

/** No month 13 and no minute 60: of such, a `Date` would throw. */
const Time = Type.String({
  pattern: '^\\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\\d|3[01])T([01]\\d|2[0-3])(:[0-5]\\d){2}$'
})

const WooOrder = Type.Object({
  number: Type.String(),
  status: Type.String(),
  currency: Type.String(),
  total: Type.String(),
  date_created_gmt: Time,
  date_modified_gmt: Time,
  line_items: Type.Array(
    Type.Object({
      name: Type.String(),
      quantity: Type.Number(),
      // Null if the product has been deleted.
      sku: Type.Union([Type.String(), Type.Null()])
    })
  ),
  meta_data: Type.Array(Type.Object({ key: Type.String(), value: Type.Unknown() }))
})

/** In place of an order that has been deleted, or that the webhook's user may not read. */
const WooError = Type.Object({ code: Type.String({ pattern: '^\\w{1,100}$' }), message: Type.String() })

const TOPICS = ['order.created', 'order.updated']

/** Not an order yet, and perhaps never: nothing is said of it. Any that is not listed is an order, as those of plugins are. */
const UNFINISHED = ['pending', 'checkout-draft', 'auto-draft', 'draft', 'new']
const STATUSES = new Map<string, OrderStatus>([
  ['cancelled', 'cancelled'],
  ['failed', 'cancelled'],
  ['trash', 'cancelled'],
  ['refunded', 'refunded']
])

/** What WooCommerce sends, without a signature, when a webhook is saved. */
const PING = /^webhook_id=\d{1,20}$/

export const wooMessages: ShopMessages = {
  mediaTypes: ['application/json', 'application/x-www-form-urlencoded'],

  read(headers, body, secret) {
    const { 'x-wc-webhook-signature': signature, 'x-wc-webhook-topic': topic } = headers
    if (signature === undefined && PING.test(body.subarray(0, 40).toString('latin1'))) {
      return { reason: 'it has switched on a webhook' }
    }
    // The key is the text itself, not the bytes that it stands for.
    const expected = createHmac('sha256', secret).update(body).digest('base64')
    if (!isAnySame([String(signature)], [expected])) throw unsigned()
    if (!TOPICS.includes(String(topic))) {
      const named = JSON.stringify(String(topic).slice(0, 60))
      return { reason: `its webhook has the topic ${named}; ${TOPICS.join(' and ')} are read`, isOdd: true }
    }
    return readOrder(parse(body))
  }
}

function unsigned(): Problem {
  const detail =
    'The X-WC-Webhook-Signature is not that of the body. The secret of the webhook in WooCommerce is the whole text of the ' +
    'variable that secretVariable names, "whsec_" included.'
  return new Problem('unauthorized', { detail, headers: { 'WWW-Authenticate': 'WooCommerce realm="cart transfer"' } })
}

function parse(body: Buffer): unknown {
  const problem = jsonMeter()(body)
  if (problem) throw new Problem('contract-broken', { detail: `The body ${problem}.` })
  try {
    return JSON.parse(body.toString())
  } catch {
    // Why not is not said: that could quote what a person has typed.
    throw new Problem('contract-broken', { detail: 'The body is not JSON.' })
  }
}

function readOrder(sent: unknown): ShopNews {
  if (Value.Check(WooError, sent)) return { reason: `it sent an error in place of an order: ${sent.code}`, isOdd: true }
  const [error] = Value.Errors(WooOrder, sent)
  if (error) {
    const detail = `It is no order: ${error.path || 'the body'} is wrong. The webhook's version is "WP REST API Integration v3".`
    throw new Problem('contract-broken', { detail })
  }
  const { number, status, currency, total, line_items, meta_data, ...dates } = sent as typeof WooOrder.static
  if (UNFINISHED.includes(status)) return { reason: `the order ${JSON.stringify(number)} is ${status}` }
  const attribution = (name: string) => meta_data.find(({ key }) => key === `_wc_order_attribution_${name}`)?.value
  const reference = referenceIn(attribution('utm_content'), attribution('utm_source'))
  const order: ShopOrder = {
    ...(reference !== undefined && { reference }),
    number,
    currency,
    total,
    // A refund of some units leaves the line as it was ordered; one that staff have emptied has none.
    items: line_items
      .filter(({ quantity }) => quantity !== 0)
      .map(({ sku, quantity, name }) => ({ sku: sku || `no SKU: ${readable(name)}`, quantity })),
    status: STATUSES.get(status) ?? 'placed',
    createdAt: `${dates.date_created_gmt}.000Z`,
    changedAt: `${dates.date_modified_gmt}.000Z`
  }
  return { order }
}

/** As a SKU may be. */
function readable(name: string): string {
  return [...name.replace(/[\p{Cc}\p{Cs}]/gu, ' ')].slice(0, 100).join('')
}

function referenceIn(content: unknown, source: unknown): string | undefined {
  if (typeof content !== 'string') return undefined
  const isMarked = content.startsWith(MARK)
  if (!isMarked && source !== ATTRIBUTION) return undefined
  return content
    .slice(isMarked ? MARK.length : 0)
    .replace(/_([0-9a-f]{2})/g, (_, code) => String.fromCharCode(Number.parseInt(code, 16)))
}
