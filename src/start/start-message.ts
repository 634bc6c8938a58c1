// What `npm start` prints: each merchant's address, a command that sends it a bag, where its JSON is described, and the
// simulator's address.
import type { Cart } from '../cart/cart.ts'
import { exampleCart, type ListedCatalogue, PLACEHOLDER_SKU, placeholderCart } from '../catalogue/product.ts'
import { curlLine, quoteWord } from '../kit/client/request-code.ts'
import { SIMULATOR_PATH } from '../kit/simulator/simulator.ts'
import { type Merchant, type MerchantCatalogue, OPENAPI_PATH, takesJson } from '../merchant/merchant.ts'
import { authorize, credentialsOf } from '../transfer/authentication.ts'

/** @param origin where the server listens */
export function startMessage(origin: string, merchants: MerchantCatalogue[], hasSimulator: boolean): string {
  const messages = merchants.map(({ merchant, catalogue }) => merchantMessage(merchant, catalogue, origin))
  const simulator = `\nSimulator: try each of them on a phone\n  ${origin}${SIMULATOR_PATH}\n`
  return messages.join('') + (hasSimulator ? simulator : '')
}

/** The example goes to this process, whatever publicUrl says. */
function merchantMessage(merchant: Merchant, catalogue: ListedCatalogue, ownOrigin: string): string {
  const { name, option, currencies, origin, path, transfer } = merchant
  const hasFeed = merchant.catalogue !== undefined
  const cart = hasFeed ? exampleCart(catalogue.products(), currencies, transfer) : placeholderCart(currencies)
  const publicUrl = (origin ?? ownOrigin) + path
  const example = cart
    ? exampleLine(merchant, cart, ownOrigin + path + transfer.path)
    : `nothing in its feed can be bought in ${currencies.join(', ')}`
  const hint = hasFeed ? '' : `  without a product feed: put a SKU of the shop in place of ${PLACEHOLDER_SKU}\n`
  const openApi = takesJson(merchant) ? `  OpenAPI: ${publicUrl}${OPENAPI_PATH}\n` : ''
  return `\n${name}: option ${option.name}, ${option.title}\n  ${publicUrl}${transfer.path}\n  ${example}\n${hint}${openApi}`
}

/** A command that sends a bag, with a secret from the variable that the server reads it from. */
function exampleLine({ option, authentication }: Merchant, cart: Cart, url: string): string {
  const credentials = credentialsOf(authentication)
  if (credentials?.type !== 'standard-webhooks') {
    return curlLine(authorize(option.request(cart, url), credentials, new Date()).shown)
  }
  // curl cannot sign, and a signature is valid for five minutes only.
  const flags = `--option ${option.name} --cart /dev/stdin --secret-from ${credentials.variable}`
  return `printf %s ${quoteWord(JSON.stringify(cart))} | npm run simulate -- ${quoteWord(url)} ${flags}`
}
