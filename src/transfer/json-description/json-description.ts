// Option 1 (contract 2.1, 2.2 and 4.1): a JSON POST, answered with the description of a web request.
import { acceptBody } from '../accept-body.ts'
import { Description } from '../description.ts'
import type { TransferOption } from '../option.ts'
import { requireAuthentication } from '../require-authentication.ts'
import { describeRequest } from './describe-checkout.ts'
import { jsonPointer, readJsonCart } from './json-cart.ts'
import { jsonExchange } from './json-exchange.ts'
import { findJsonMistakes, JsonSettings } from './settings.ts'

const MEDIA_TYPE = 'application/json'

export const jsonDescription: TransferOption<JsonSettings> = {
  name: '1',
  title: 'API Endpoint Integration',
  settings: JsonSettings,
  answer: 'description',
  encoding: 'json',
  sendsPrices: false,
  pointer: jsonPointer,
  check: findJsonMistakes,

  async plugin(app, { maxItems, bodyLimit, settings, authentication, clock, accept }) {
    const { acceptHyphenated = false, description } = settings
    if (authentication) requireAuthentication(app, authentication, clock)
    const route = acceptBody(app, MEDIA_TYPE, bodyLimit)

    app.post<{ Body: Buffer }>('', { ...route, schema: { response: { 200: Description } } }, async (request, reply) => {
      const cart = readJsonCart(request.body, { maxItems, acceptHyphenated })
      const link = await accept(request, cart)
      reply.header('cache-control', 'no-store')
      return link.description ?? describeRequest(link, description)
    })
  },

  exchange: jsonExchange,

  request({ items, currency, reference }, baseUrl) {
    return {
      method: 'POST',
      url: baseUrl,
      headers: [{ name: 'Content-Type', value: MEDIA_TYPE }],
      body: JSON.stringify({ items: items.map(({ sku, quantity }) => ({ sku, quantity })), currency, reference })
    }
  }
}
