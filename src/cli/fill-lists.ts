// Reads the files of `npm run reconcile` into the list store, by the columns that --map names, and reports every bad row of
// all of them.
import { createReadStream, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { OperatorError } from '../errors.ts'
import type { ListStore } from '../reconcile/compare-lists.ts'
import type { ListSide } from '../reconcile/list-entry.ts'
import { type ColumnNames, FIELDS, type ListField } from '../reconcile/list-row.ts'
import { readList } from '../reconcile/read-list.ts'
import { visible } from '../start/visible-text.ts'
import { UsageError } from './run-command.ts'
import { counted, type TerminalProgress } from './terminal-text.ts'

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

/** A list, how many rows were read, and which columns were read though --map does not name them. */
export type ListSource = { side: ListSide; name: string; rows: number; unasked: ListField[] }

/** A list to read: `name` as it was given, relative to `folder`. */
export type ListFile = { side: ListSide; name: string; folder: string; columns: ColumnNames }

/** Bad rows of a list that are reported individually. */
const MAX_MISTAKES = 100

/** @throws OperatorError naming every bad row */
export async function fillLists(list: ListStore, files: ListFile[], bar: TerminalProgress): Promise<ListSource[]> {
  const sources: ListSource[] = []
  const problems: string[] = []
  for (const file of files) {
    const { source, mistakes } = await fillList(list, file, bar)
    sources.push(source)
    if (mistakes.length > 0) problems.push(...mistakes, ...unaskedText(source))
  }
  if (problems.length === 0) return sources
  throw new OperatorError([...problems, 'nothing was compared'].join('\n'))
}

/** Names the columns that were read unasked, and how to ignore them: a line, or none. */
export function unaskedText({ side, name, unasked }: ListSource): string[] {
  if (unasked.length === 0) return []
  const none = unasked.map(field => `${MAP_PREFIX[side]}${field}=`).join(',')
  return [`Columns of ${visible(name)} matched by name: ${unasked.join(', ')}. To ignore them: --map ${none}`]
}

async function fillList(list: ListStore, { side, name, folder, columns }: ListFile, bar: TerminalProgress) {
  const source: ListSource = { side, name, rows: 0, unasked: [] }
  const mistakes: string[] = []
  let more = 0
  await readList(withProgress(resolve(folder, name), bar), columns, {
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
      if (mistakes.length < MAX_MISTAKES) mistakes.push(visible(`${name}:${line}: ${problem}`))
      else more += 1
    }
  })
  if (more > 0) mistakes.push(`… and ${counted(more, 'more row')}`)
  return { source, mistakes }
}

async function* withProgress(file: string, bar: TerminalProgress): AsyncGenerator<Uint8Array> {
  const { size } = statSync(file)
  let read = 0
  for await (const chunk of createReadStream(file)) {
    yield chunk
    read += chunk.length
    bar.show('read', read, size)
  }
}
