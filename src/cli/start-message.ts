// What `npm start` prints: each merchant's address, a command that sends it a bag, and the simulator's address.
import type { ListedCatalogue } from '../catalogue/product.ts'
import { curlLine } from '../kit/client/curl.ts'
import { exampleCart } from '../kit/client/example-cart.ts'
import { SIMULATOR_PATH } from '../kit/simulator/simulator.ts'
import type { Merchant } from '../merchant/merchant.ts'
import type { MerchantCatalogue } from '../merchant/shop.ts'

/** @param origin where the server listens */
export function startMessage(origin: string, merchants: MerchantCatalogue[], hasSimulator: boolean): string {
  const messages = merchants.map(({ merchant, catalogue }) => merchantMessage(merchant, catalogue, origin))
  const simulator = `\nSimulator: try each of them on a phone\n  ${origin}${SIMULATOR_PATH}\n`
  return messages.join('') + (hasSimulator ? simulator : '')
}

/** The example goes to this process, whatever publicUrl says. */
function merchantMessage(
  { name, option, currencies, origin, path, transfer }: Merchant,
  catalogue: ListedCatalogue,
  ownOrigin: string
): string {
  const cart = exampleCart({ products: catalogue.products(), currencies })
  const address = (origin ?? ownOrigin) + path + transfer.path
  const example = cart
    ? curlLine(option.request(cart, ownOrigin + path + transfer.path))
    : `nothing in its feed can be bought in ${currencies.join(', ')}`
  return `\n${name}: option ${option.name}, ${option.title}\n  ${address}\n  ${example}\n`
}
