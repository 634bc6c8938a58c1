// What `npm run reconcile` was asked to do, read from its arguments.
import { readPeriod } from '../period.ts'
import { FIELDS, type Field } from '../reconcile/list-row.ts'
import type { ColumnNames } from '../reconcile/read-list.ts'
import { readArguments, UsageError } from './read-arguments.ts'

export type ReconcileRequest =
  | { is: 'help' }
  | {
      is: 'compare'
      list: string
      columns: ColumnNames
      merchant: string | undefined
      period: ReturnType<typeof readPeriod>
      isAll: boolean
      isJson: boolean
    }

export const USAGE = `npm run reconcile -- <list> [--merchant ID] [--from TIME] [--to TIME] [--map FIELD=COLUMN,…] [--all] [--json]

  <list>      the platform's list: CSV with a header, or one JSON object a line
  --merchant  search this merchant alone, not every one in the store
  --from --to the period of the merchant's orders that the list covers: days (of UTC, both included), or times (the end not included)
  --map       names of columns: ${FIELDS.map(field => `${field}=…`).join(',')}
  --all       show what matched in the table too
  --json      one object a line: the summary, then every answer

exit code: 0 all match, 1 something differs, 2 it could not be compared
`

const OPTIONS = {
  merchant: { type: 'string' },
  from: { type: 'string' },
  to: { type: 'string' },
  map: { type: 'string', multiple: true },
  all: { type: 'boolean' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' }
} as const

/** @throws UsageError, PeriodError */
export function readReconcileRequest(args: string[]): ReconcileRequest {
  const { values, positionals } = readArguments(args, OPTIONS)
  const { merchant, from, to, map = [], all = false, json = false, help } = values
  if (help) return { is: 'help' }
  const [list, ...more] = positionals
  if (list === undefined || more.length > 0) throw new UsageError('give one list')
  return {
    is: 'compare',
    list,
    columns: readMap(map),
    merchant,
    period: readPeriod(from, to),
    isAll: all,
    isJson: json
  }
}

/** Reads `reference=Ref,total=Order total`; a comma that no field's name and `=` follow belongs to the column's name. */
function readMap(maps: string[]): ColumnNames {
  const columns: ColumnNames = {}
  for (const pair of maps.flatMap(map => map.split(new RegExp(`,(?=(?:${FIELDS.join('|')})=)`)))) {
    const [, field, column] = /^([^=]*)=(.+)$/s.exec(pair) ?? []
    if (column === undefined || !isField(field)) {
      throw new UsageError(
        `--map has ${JSON.stringify(pair)}; give a field and a column such as reference=Ref; fields are ${FIELDS.join(', ')}`
      )
    }
    columns[field] = column
  }
  return columns
}

function isField(name: string | undefined): name is Field {
  return FIELDS.some(field => field === name)
}
