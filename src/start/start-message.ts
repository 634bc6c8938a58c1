// What `npm start` prints: each merchant's addresses, for each a command that sends it a bag, where its JSON is described, and the
// addresses of the demo shop and of the simulator.
import type { Cart } from '../cart/cart.ts'
import type { Problem } from '../errors.ts'
import { exampleCart, PLACEHOLDER_SKU, placeholderCart } from '../merchant/catalogue/product.ts'
import { type MerchantCatalogue, OPENAPI_PATH, PROFILE_PATH, takesJson, type Way } from '../merchant/merchant.ts'
import { authorize, credentialsOf } from '../transfer/authentication.ts'
import { curlLine, quoteWord } from '../transfer/curl-command.ts'
import type { WebRequest } from '../transfer/option.ts'
import { playedPlatform } from '../ucp/platform-settings.ts'
import { SIMULATOR_PATH } from './simulator-access.ts'

type Origins = {
  /** Where the server listens. */
  server: string
  /** Where Orchard Lane's own shop and the stand-in for Stripe listen, if they run. */
  demo?: { shopOrigin: string; paymentOrigin: string } | undefined
}

/** @param simulatorKey if there is a simulator */
export function startMessage(origins: Origins, shops: MerchantCatalogue[], simulatorKey: string | undefined): string {
  const { server: origin, demo } = origins
  const hasSimulator = simulatorKey !== undefined
  const messages = shops.map(shop => merchantMessage(shop, origin, hasSimulator))
  const beside = demo
    ? `\nOrchard Lane's own shop, which its bags lead to\n  ${demo.shopOrigin}\n\nA stand-in for Stripe, where Werft & Faden's shoppers pay: no money moves\n  ${demo.paymentOrigin}\n`
    : ''
  if (!hasSimulator) return messages.join('') + beside
  const address = `${origin}${SIMULATOR_PATH}?key=${encodeURIComponent(simulatorKey)}`
  return `${messages.join('')}${beside}\nSimulator: try each of them on a phone\n  ${address}\n`
}

/** The example goes to this process, whatever publicUrl says. */
function merchantMessage({ merchant, catalogue }: MerchantCatalogue, ownOrigin: string, hasSimulator: boolean): string {
  const { name, ways, origin, path } = merchant
  const hasFeed = merchant.catalogue !== undefined
  const publicUrl = (origin ?? ownOrigin) + path
  const hint = hasFeed ? '' : `  without a product feed: put a SKU of the shop in place of ${PLACEHOLDER_SKU}\n`
  const messages = ways.map(way => {
    const { option, transfer } = way
    const currencies = transfer.currency === undefined ? merchant.currencies : [transfer.currency]
    const cart = hasFeed ? exampleCart(catalogue.products(), currencies, transfer) : placeholderCart(currencies)
    const example = cart
      ? exampleLines(way, cart, ownOrigin + path + transfer.path, hasSimulator)
      : `nothing in its feed can be bought in ${currencies.join(', ')}`
    const profile =
      option.answer === 'protocol'
        ? `  MCP: ${publicUrl}${transfer.path}/mcp\n  Profile: ${origin ?? ownOrigin}${PROFILE_PATH}\n`
        : ''
    return `\n${name}: option ${way.name}, ${option.title}\n  ${publicUrl}${transfer.path}\n${profile}  ${example}\n${hint}`
  })
  const openApi = takesJson(merchant) ? `  OpenAPI: ${publicUrl}${OPENAPI_PATH}\n` : ''
  return messages.join('') + openApi
}

/** The flags of `npm run simulate` for what the platform's servers prove themselves with. */
const PROOF_FLAGS = { bearer: '--token-from', 'x-api-key': '--api-key-from', 'standard-webhooks': '--secret-from' }

/**
 * A command that sends a bag, with a secret from the variable that the server reads it from, and one that also follows the
 * answer, if that is not the page.
 */
function exampleLines(way: Way, cart: Cart, url: string, hasSimulator: boolean): string {
  const { option, transfer, platforms } = way
  const credentials = credentialsOf(way)
  const words = [quoteWord(url), '--option', option.name, '--cart /dev/stdin']
  if (credentials) words.push(PROOF_FLAGS[credentials.type], credentials.variable)
  const simulate = `printf %s ${quoteWord(JSON.stringify(cart))} | npm run simulate -- ${words.join(' ')}`
  if (platforms && !playedPlatform(platforms.values())) {
    const [profile = ''] = platforms.keys()
    const signing = `--platform ${quoteWord(profile)} --signing-key-from PLATFORM_KEY`
    return `All of its platforms sign. With the private key of the first, a JWK, in PLATFORM_KEY:\n  ${simulate} ${signing}`
  }
  // curl cannot sign, and a signature is valid for five minutes only.
  if (credentials?.type === 'standard-webhooks') return simulate
  let request: WebRequest
  try {
    request = option.request(cart, url, transfer)
  } catch (error) {
    // The option has no way to write these SKUs.
    return (error as Problem).message
  }
  const curl = curlLine(authorize(request, credentials, new Date()).shown)
  if (option.answer === 'page') return curl
  // Follows the redirect.
  if (option.answer === 'redirect') return curl.replace('curl', 'curl -L')
  if (option.answer === 'protocol') return `${curl}\n  It answers with JSON: continue_url leads to the page.`
  const next = `It answers with JSON: the request that the app sends for the page. To see the page${hasSimulator ? ', use the simulator, or' : ''}:`
  return `${curl}\n  ${next}\n  ${simulate} --screenshot page.png`
}
