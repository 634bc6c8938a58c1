// Splits a tab-separated file into rows, with csv-parse. A quotation mark at the start of a field may enclose tabs and
// line breaks; one that is never closed would swallow the rows after it, so only its own row is skipped and reading goes
// on with the next line. The file is read in slices, so that it does not block the event loop.
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { parse } from 'csv-parse'

const SLICE = 64 * 1024
const NEWLINE = 0x0a

/**
 * @param onRow called with the first line of each row, counted from 1, and its fields
 * @param onUnclosed called with each line that opens a quotation mark which is never closed
 */
export async function readLines(
  bytes: Uint8Array,
  onRow: (line: number, fields: string[]) => void,
  onUnclosed: (line: number) => void
): Promise<void> {
  // The first byte and the line of the next row.
  let at = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0
  let line = 1
  let columns = 0
  while (at < bytes.length) {
    const start = at
    const parser = parse({
      delimiter: '\t',
      record_delimiter: ['\r\n', '\n'],
      relax_quotes: true,
      relax_column_count: true,
      on_record(fields: string[], info: { bytes: number }) {
        const next = start + info.bytes
        const lines = countLines(bytes, at, next)
        columns ||= fields.length
        if (lines > 1 && hasSwallowed(fields, columns)) throw new Swallowed()
        if (fields.length > 1 || fields[0] !== '') onRow(line, fields)
        at = next
        line += lines
        return null
      }
    })
    try {
      await pipeline(Readable.from(slices(bytes.subarray(start))), parser.resume())
      return
    } catch (error) {
      if (!(error instanceof Swallowed) && (error as { code?: string }).code !== 'CSV_QUOTE_NOT_CLOSED') throw error
      onUnclosed(line)
      const newline = bytes.indexOf(NEWLINE, at)
      at = newline === -1 ? bytes.length : newline + 1
      line += 1
    }
  }
}

/** A quotation mark has swallowed the rows after its own. */
class Swallowed extends Error {}

/** Whether a row of several lines contains other rows: its number of fields is wrong, or one field holds a whole row. */
function hasSwallowed(fields: string[], columns: number): boolean {
  return fields.length !== columns || fields.some(field => field.split('\t').length >= columns)
}

function countLines(bytes: Uint8Array, from: number, to: number): number {
  let lines = 0
  for (let at = bytes.indexOf(NEWLINE, from); at !== -1 && at < to; at = bytes.indexOf(NEWLINE, at + 1)) lines += 1
  return lines
}

async function* slices(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += SLICE) {
    yield bytes.subarray(at, at + SLICE)
    await nextTurn()
  }
}
