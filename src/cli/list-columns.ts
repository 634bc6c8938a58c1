// Reads --map: which columns of the platform's list, and of the merchant's, have the fields. Pure.
import type { ListSide } from '../reconcile/list-entry.ts'
import { type ColumnNames, FIELDS, type ListField } from '../reconcile/list-row.ts'
import { UsageError } from './run-command.ts'

/** What is written before the fields of a list. */
export const MAP_PREFIX: Record<ListSide, string> = { platform: '', merchant: 'orders.' }

/** A comma that ends a column's name: a field and `=` follow it. */
const SEPARATOR = new RegExp(`,(?=(?:orders\\.)?(?:${FIELDS.join('|')})=)`)

/**
 * Reads `reference=Ref,total=Order total,orders.total=Sum`.
 * @throws UsageError
 */
export function readMap(maps: string[]): Record<ListSide, ColumnNames> {
  const names: Record<ListSide, ColumnNames> = { platform: {}, merchant: {} }
  for (const pair of maps.flatMap(map => map.split(SEPARATOR))) {
    const [, prefix, field, column] = /^(orders\.)?([^=]*)=(.*)$/s.exec(pair) ?? []
    if (column === undefined || !isField(field) || (field === 'reference' && column === '')) {
      throw new UsageError(
        `--map has ${JSON.stringify(pair)}; give a field and a column such as reference=Ref; fields are ${FIELDS.join(', ')}, of the list of --orders ${FIELDS.map(name => `orders.${name}`).join(', ')}`
      )
    }
    names[prefix === undefined ? 'platform' : 'merchant'][field] = column
  }
  return names
}

function isField(name: string | undefined): name is ListField {
  return FIELDS.some(field => field === name)
}
