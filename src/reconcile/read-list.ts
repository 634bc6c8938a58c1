// Reads a list, CSV or JSON lines, as a stream. Every row is passed on; bad ones are reported with their
// line.
import type { ColumnNames, ListHandlers } from './list-handlers.ts'
import { readCsvList } from './read-csv-list.ts'
import { readJsonList } from './read-json-list.ts'

export async function readList(
  chunks: AsyncIterable<Uint8Array>,
  columns: ColumnNames,
  handlers: ListHandlers
): Promise<void> {
  const source = chunks[Symbol.asyncIterator]()
  const first = await source.next()
  const beginning = new TextDecoder().decode(first.done ? undefined : first.value.subarray(0, 64 * 1024))
  if (beginning.trim() === '' && first.done) {
    handlers.onMistake(1, 'the list is empty')
    return
  }
  async function* all(): AsyncGenerator<Uint8Array> {
    for (let part = first; !part.done; part = await source.next()) yield part.value
  }
  if (/^\s*\{/.test(beginning)) await readJsonList(all(), columns, handlers)
  else await readCsvList(all(), beginning, columns, handlers)
}
