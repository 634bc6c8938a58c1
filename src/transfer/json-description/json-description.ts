// Option 1 (contract 2.1, 2.2 and 4.1): a JSON POST, answered with the description of a web request.
import type { DescriptionOption } from '../option.ts'
import { jsonPointer, readJsonCart } from './json-cart.ts'
import { jsonExchange } from './json-exchange.ts'
import { describeRequest, findJsonMistakes, JsonSettings } from './settings.ts'

const MEDIA_TYPE = 'application/json'

export const jsonDescription: DescriptionOption<JsonSettings> = {
  name: '1',
  title: 'API Endpoint Integration',
  settings: JsonSettings,
  answer: 'description',
  encoding: MEDIA_TYPE,
  sendsPrices: false,
  pointer: jsonPointer,
  check: findJsonMistakes,

  read: (sent, { maxItems, settings: { acceptHyphenated = false } }) =>
    readJsonCart(sent, { maxItems, acceptHyphenated }),

  describe: (link, { description }) => describeRequest(link, description),

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
