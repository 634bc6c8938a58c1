// Splits a tab-separated file into rows, through csv-parse. In this format a quotation mark at the start of a field
// may enclose tabs and line breaks; one that is never closed would swallow the rows behind it, so such a row is given
// up alone and reading goes on with the line after it. Other requests get their turn between slices of the file.
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { parse } from 'csv-parse'

const SLICE = 64 * 1024
const NEWLINE = 0x0a

/**
 * @param take is called with each row's first line, counted from 1, and its fields
 * @param giveUp is called with each line at which a quotation mark is opened that never closes
 */
export async function readLines(
  bytes: Uint8Array,
  take: (line: number, fields: string[]) => void,
  giveUp: (line: number) => void
): Promise<void> {
  // Where the next row begins: its first byte and its line.
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
        if (fields.length > 1 || fields[0] !== '') take(line, fields)
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
      giveUp(line)
      const newline = bytes.indexOf(NEWLINE, at)
      at = newline === -1 ? bytes.length : newline + 1
      line += 1
    }
  }
}

/** A quotation mark has taken in the rows behind its own. */
class Swallowed extends Error {}

/** Whether a row of several lines holds other rows: it has not as many fields as a row, or one field has that many. */
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
