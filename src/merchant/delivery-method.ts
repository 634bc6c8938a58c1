// A delivery method: what it is called and what it costs in one currency.
import type { Text } from '../messages/translator.ts'

/** `price` is in minor units. A merchant's label may be in several languages; that of an order is in the merchant's own. */
export type DeliveryMethod<Label = Text> = { id: string; label: Label; price: number }
