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
  let start = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0
  let line = 1
  let columns: number | undefined
  while (start < bytes.length) {
    let end = start
    let next = line
    const parser = parse({
      delimiter: '\t',
      record_delimiter: ['\r\n', '\n'],
      relax_quotes: true,
      relax_column_count: true,
      on_record(fields: string[], { lines, bytes: read }) {
        const isSpread = line + lines > next + 1
        if (isSpread && (fields.length !== columns || fields.some(field => field.includes('\t')))) throw new Swallowed()
        if (fields.length > 1 || fields[0] !== '') {
          columns ??= fields.length
          take(next, fields)
        }
        next = line + lines
        end = start + read
        return null
      }
    })
    try {
      await pipeline(Readable.from(slices(bytes.subarray(start))), parser.resume())
      return
    } catch (error) {
      if (!(error instanceof Swallowed) && (error as { code?: string }).code !== 'CSV_QUOTE_NOT_CLOSED') throw error
      giveUp(next)
      const newline = bytes.indexOf(NEWLINE, end)
      start = newline === -1 ? bytes.length : newline + 1
      line = next + 1
    }
  }
}

/** A quotation mark has taken in the rows behind its own. */
class Swallowed extends Error {}

async function* slices(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += SLICE) {
    yield bytes.subarray(at, at + SLICE)
    await nextTurn()
  }
}
