// `links` in the merchant file: the pages of the shop's own site that every page of ours links to.
import { Type } from '@sinclair/typebox'
import type { Text } from '../messages/translator.ts'
import { Section, ShopperText } from './setting-types.ts'

/** By name, in the order in which pages show them: what each address leads to. */
const DESCRIPTIONS = {
  contact: 'where help is, such as "mailto:help@shop.example"',
  shipping: 'the https address of what delivery costs and how long it takes',
  returns: 'the https address of how to return something',
  withdrawal: 'the https address of the right of withdrawal',
  terms: 'the https address of the terms',
  privacy: 'the https address of the privacy policy',
  imprint: 'the https address of who runs the shop'
}

export type LinkName = keyof typeof DESCRIPTIONS

export const LINK_NAMES = Object.keys(DESCRIPTIONS) as LinkName[]

export type Links = Partial<Record<LinkName, Text>>

const MAX_ADDRESS = 2048

export const LinksSchema = Section(
  Object.fromEntries(
    LINK_NAMES.map(name => {
      const mark = { noun: 'address', problemOf: (address: string) => linkProblem(name, address) }
      return [name, Type.Optional(ShopperText(MAX_ADDRESS, DESCRIPTIONS[name], mark))]
    })
  ),
  `an object with any of ${LINK_NAMES.join(', ')}`
)

function linkProblem(name: LinkName, address: string): string | undefined {
  const protocol = URL.parse(address)?.protocol ?? ''
  if (protocol === 'https:' || (name === 'contact' && /^(mailto|tel):$/.test(protocol))) return undefined
  return name === 'contact'
    ? 'give an address such as "mailto:help@shop.example", "tel:+441234567890" or one with https'
    : `give an address such as "https://shop.example/${name}"`
}
