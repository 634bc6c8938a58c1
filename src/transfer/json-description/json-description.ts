// Option 1 (contract 2.1, 2.2 and 4.1): a JSON POST that is answered with the description of a web request.
import type { Transfer, TransferOption } from '../option.ts'
import { takeBody } from '../take-body.ts'
import { Description, describeRequest } from './description.ts'
import { pointer, readJsonCart } from './json-cart.ts'
import { findJsonMistakes, JsonSettings } from './settings.ts'

const MEDIA_TYPE = 'application/json'

export const jsonDescription: TransferOption<JsonSettings> = {
  name: '1',
  title: 'API Endpoint Integration',
  settings: JsonSettings,
  answer: 'description',
  pointer,
  check: findJsonMistakes,

  async plugin(app, transfer: Transfer<JsonSettings>) {
    const { path, maxItems, bodyLimit, settings, clock } = transfer
    const route = takeBody(app, MEDIA_TYPE, bodyLimit)

    app.post<{ Body: Buffer }>(
      path,
      { ...route, schema: { response: { 200: Description } } },
      async (request, reply) => {
        const cart = readJsonCart(request.body, { maxItems, acceptHyphenated: settings.acceptHyphenated === true })
        const landing = await transfer.accept(request, cart)
        reply.header('Cache-Control', 'no-store')
        return describeRequest(landing, settings.description, clock())
      }
    )
  },

  request({ items, currency, reference }, baseUrl) {
    return {
      method: 'POST',
      url: baseUrl,
      headers: [{ name: 'Content-Type', value: MEDIA_TYPE }],
      body: JSON.stringify({ items: items.map(({ sku, quantity }) => ({ sku, quantity })), currency, reference })
    }
  }
}
