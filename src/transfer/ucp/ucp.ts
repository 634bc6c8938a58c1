// A cart of the Universal Commerce Protocol, as its platforms create and update it (dev.ucp.shopping.cart). https://ucp.dev
import { type Static, Type } from '@sinclair/typebox'
import type { Cart } from '../../cart/cart.ts'
import { protocolError } from '../../ucp/cart-answer.ts'
import { exampleProfile, PlatformsSetting, playedPlatform } from '../../ucp/platform-settings.ts'
import type { ProtocolOption } from '../option.ts'
import { CONTEXT_ROOT, writeBuyer } from '../ucp-fields.ts'
import { readUcpCart, ucpPointer } from './ucp-cart.ts'

const UcpSettings = Type.Object({
  currency: Type.Optional(
    Type.String({
      description:
        "the currency of carts whose platform asks for none of the shop's, nor for a country of one: one of currencies; by default the first"
    })
  ),
  platforms: Type.Optional(PlatformsSetting)
})
type UcpSettings = Static<typeof UcpSettings>

const MEDIA_TYPE = 'application/json'

/** The JSON of a cart, as a platform writes it. */
export function writeUcpCart({ items, currency, attribution, buyer = {}, language }: Cart): object {
  const hints: Record<string, Record<string, string>> = { context: { currency, ...(language && { language }) } }
  for (const [pointer, value] of writeBuyer(buyer, CONTEXT_ROOT)) {
    const [root = '', name = ''] = pointer.split('/')
    hints[root] = { ...hints[root], [name]: value }
  }
  return {
    line_items: items.map(({ sku, quantity }) => ({ item: { id: sku }, quantity })),
    ...hints,
    ...(attribution && { attribution })
  }
}

export const ucp: ProtocolOption<UcpSettings> = {
  name: 'ucp',
  title: 'UCP Cart',
  settings: UcpSettings,
  answer: 'protocol',
  encoding: MEDIA_TYPE,
  sendsPrices: false,
  pointer: ucpPointer,

  read: readUcpCart,

  refuse: refusal => JSON.stringify(protocolError(refusal)),

  request: (cart, baseUrl, { platforms }: Pick<UcpSettings, 'platforms'> = {}) => {
    const listed = Array.isArray(platforms) ? (playedPlatform(platforms) ?? platforms[0]) : undefined
    return {
      method: 'POST',
      url: `${baseUrl}/carts`,
      headers: [
        { name: 'Content-Type', value: MEDIA_TYPE },
        { name: 'UCP-Agent', value: `profile="${listed?.profile ?? exampleProfile()}"` }
      ],
      body: JSON.stringify(writeUcpCart(cart))
    }
  }
}
