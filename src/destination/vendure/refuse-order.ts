// Names the lines that Vendure does not sell as they were sent. It keeps what it can sell of an order, so nothing that
// it says of the rest may be lost.
import { isAny } from '../../errors.ts'
import { CartRefused, type ShopMistake } from '../shop-errors.ts'
import type { ActiveOrder, AddItemError } from './fill-order.ts'
import { eachLine, type Units, type UnitsMistake } from './units.ts'

/** @throws CartRefused if units are missing for a reason that Vendure gives, or have no price */
export function refuseOrder(wanted: Units[], { currencyCode, lines }: ActiveOrder, errors: AddItemError[]): void {
  const held = (sku: string) => lines.find(line => line.productVariant.sku === sku)
  const short = wanted.filter(({ sku, quantity }) => (held(sku)?.quantity ?? 0) < quantity)
  // Errors are in the order of the units; if there are more or fewer, it is not known whose they are.
  const named = short.length === errors.length ? short : []
  const missing = named.flatMap((units, i) => eachLine(units, explain(units, errors[i] as AddItemError)))
  // What has no price in the currency of the order costs 0.
  const unpriced = wanted.filter(({ sku }) => held(sku)?.unitPriceWithTax === 0)
  const free = unpriced.flatMap(units =>
    eachLine(units, {
      field: 'sku',
      code: 'price-missing',
      detail: `The shop asks 0 ${currencyCode} for ${quoted(units)}.`
    })
  )
  const found: ShopMistake[] = [...missing, ...free]
  if (isAny(found)) throw new CartRefused(found)
}

function explain(units: Units, { __typename, quantityAvailable, maxItems }: AddItemError): UnitsMistake {
  const most = quantityAvailable ?? maxItems
  if (quantityAvailable === 0)
    return { field: 'sku', code: 'out-of-stock', detail: `${quoted(units)} is out of stock.` }
  if (most !== undefined && most < units.quantity) {
    const detail = `The shop sells ${most} units of ${quoted(units)} at most; ${units.quantity} were sent.`
    return { field: 'quantity', code: 'quantity-too-large', detail, limit: { units: most } }
  }
  return {
    field: 'sku',
    code: 'destination-differs',
    detail: `The shop does not take ${quoted(units)}: ${__typename}.`
  }
}

const quoted = ({ sku }: Units) => JSON.stringify(sku)
