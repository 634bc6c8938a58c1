// What the tests of links ask of a reader, without a server.
import { Problem } from '../../src/errors.ts'
import type { LinkSettings } from '../../src/transfer/link-cart.ts'
import type { RedirectOption } from '../../src/transfer/option.ts'

const contextOf = (settings: LinkSettings) => ({
  maxItems: 500,
  maxQuantity: 9999,
  settings: { currency: 'GBP', ...settings },
  warn: () => {}
})

/** The cart of a link; its bytes are one character each. */
export function cartIn(option: RedirectOption<LinkSettings>, sent: string, settings: LinkSettings = {}) {
  return option.read(Buffer.from(sent, 'latin1'), contextOf(settings))
}

/** The mistakes of a refused link, as `pointer code`, and what they say. */
export function refusalOf(option: RedirectOption<LinkSettings>, sent: string, settings: LinkSettings = {}) {
  try {
    return [['accepted', JSON.stringify(cartIn(option, sent, settings))]]
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    return error.mistakes.map(({ pointer, code, detail }) => [`${pointer} ${code}`, detail])
  }
}

/** What of the query goes into the address of the checkout. */
export function passedOn(option: RedirectOption<LinkSettings>, sent: string): string {
  return option.passOn(Buffer.from(sent, 'latin1'), {})
}
