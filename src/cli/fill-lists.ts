// Reads the files of `npm run reconcile` into the list store, by the columns that --map names.
import { createReadStream, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { OperatorError } from '../errors.ts'
import type { ListStore } from '../reconcile/compare-lists.ts'
import type { ListSide } from '../reconcile/list-entry.ts'
import { FIELDS, type ListField } from '../reconcile/list-row.ts'
import { type ColumnNames, readList } from '../reconcile/read-list.ts'
import { visible } from '../start/visible-text.ts'
import { UsageError } from './run-command.ts'
import { counted, type ShowProgress } from './terminal-text.ts'

/** What --map has before the fields of a list. */
const MAP_PREFIX: Record<ListSide, string> = { platform: '', merchant: 'orders.' }

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

/** A list, how many rows were read, and which columns were read though --map does not name them. */
export type ListSource = { side: ListSide; name: string; rows: number; unasked: ListField[] }

export type ListFile = { side: ListSide; name: string; columns: ColumnNames }

/** Bad rows of a list that are reported individually. */
const MAX_MISTAKES = 100

/** @param folder the names of files are relative to it @throws OperatorError naming every bad row */
export async function fillLists(
  list: ListStore,
  files: ListFile[],
  folder: string,
  showProgress: ShowProgress
): Promise<ListSource[]> {
  const sources: ListSource[] = []
  const problems: string[] = []
  for (const { side, name, columns } of files) {
    const source: ListSource = { side, name, rows: 0, unasked: [] }
    let mistakes = 0
    await readList(withProgress(resolve(folder, name), showProgress), columns, {
      mapPrefix: MAP_PREFIX[side],
      // Without a reference nothing can be compared: its column cannot be ignored.
      onUnasked: field => {
        if (field !== 'reference') source.unasked.push(field)
      },
      onRow: row => {
        source.rows += 1
        list.addRow(side, row)
      },
      onMistake: (line, problem) => {
        mistakes += 1
        if (mistakes <= MAX_MISTAKES) problems.push(visible(`${name}:${line}: ${problem}`))
      }
    })
    if (mistakes > MAX_MISTAKES) problems.push(`… and ${counted(mistakes - MAX_MISTAKES, 'more row')}`)
    if (mistakes > 0) problems.push(...unaskedText(source))
    sources.push(source)
  }
  if (problems.length > 0) throw new OperatorError([...problems, 'nothing was compared'].join('\n'))
  return sources
}

/** The columns that were read unasked, and how to ignore them: a line, or none. */
export function unaskedText({ side, name, unasked }: ListSource): string[] {
  if (unasked.length === 0) return []
  const none = unasked.map(field => `${MAP_PREFIX[side]}${field}=`).join(',')
  return [`Columns of ${visible(name)} matched by name: ${unasked.join(', ')}. To ignore them: --map ${none}`]
}

async function* withProgress(file: string, showProgress: ShowProgress): AsyncGenerator<Uint8Array> {
  const { size } = statSync(file)
  const stream = createReadStream(file)
  for await (const chunk of stream) {
    yield chunk
    showProgress('read', stream.bytesRead, size)
  }
}
