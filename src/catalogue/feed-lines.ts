// Splits a tab-separated file into rows. A quotation mark at the start of a field may enclose tabs and line breaks; one
// that is never closed would swallow the rows after it, so only its own row is skipped and reading goes on with the next
// line. csv-parse reads blocks in which a field starts with a quotation mark. The others, nearly all of nearly every
// feed, are split as they are, which takes a fraction of the time.
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { parse } from 'csv-parse'

/** A file, from its start to its end. */
export type FileChunks = AsyncIterable<Uint8Array> | Iterable<Uint8Array>

/** Bytes that are read between two pauses, so that reading does not block the event loop. */
const SLICE = 64 * 1024
const NEWLINE = 0x0a
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf]

type Rows = {
  /** Called with the first line of each row, counted from 1, and its fields. */
  onRow: (line: number, fields: string[]) => void
  /** Called with each line that opens a quotation mark which is never closed. */
  onUnclosed: (line: number) => void
  /** The line of the next row, and the number of fields of the first one. */
  line: number
  columns: number
}

/**
 * @param onRow called with the first line of each row, counted from 1, and its fields
 * @param onUnclosed called with each line that opens a quotation mark which is never closed
 */
export async function readLines(
  chunks: FileChunks,
  onRow: Rows['onRow'],
  onUnclosed: Rows['onUnclosed']
): Promise<void> {
  const rows: Rows = { onRow, onUnclosed, line: 1, columns: 0 }
  let unread: Uint8Array[] = []
  let size = 0
  // A row whose quotation mark is still open is read again only once twice as much has arrived.
  let wanted = SLICE
  let isStart = true
  let isOpen = false
  const read = async (isEnd: boolean) => {
    let bytes = Buffer.concat(unread)
    if (isStart && BYTE_ORDER_MARK.every((byte, i) => bytes[i] === byte)) bytes = bytes.subarray(3)
    isStart = false
    const end = isEnd ? bytes.length : bytes.lastIndexOf(NEWLINE) + 1
    const block = bytes.subarray(0, end)
    const done = await (isOpen ? parseRows(block, isEnd, rows) : readBlock(block, isEnd, rows))
    isOpen = done < end
    unread = [bytes.subarray(done)]
    size = bytes.length - done
    wanted = Math.max(SLICE, size * 2)
    await nextTurn()
  }
  for await (const chunk of chunks) {
    unread.push(chunk)
    size += chunk.length
    if (size >= wanted) await read(false)
  }
  await read(true)
}

/** @returns how many bytes were read: all, unless a quotation mark is open where the block ends and more follows */
async function readBlock(bytes: Buffer, isEnd: boolean, rows: Rows): Promise<number> {
  const text = bytes.toString()
  if (text.startsWith('"') || text.includes('\t"') || text.includes('\n"')) return parseRows(bytes, isEnd, rows)
  const lines = text.split('\n')
  const last = lines.pop() as string
  for (const line of lines) addRow(rows, (line.endsWith('\r') ? line.slice(0, -1) : line).split('\t'), 1)
  // Only the end of the file has no line end.
  if (last !== '') addRow(rows, last.split('\t'), 1)
  return bytes.length
}

function addRow(rows: Rows, fields: string[], lines: number): void {
  rows.columns ||= fields.length
  if (fields.length > 1 || fields[0] !== '') rows.onRow(rows.line, fields)
  rows.line += lines
}

async function parseRows(bytes: Buffer, isEnd: boolean, rows: Rows): Promise<number> {
  // The first byte of the next row.
  let at = 0
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
        if (lines > 1 && hasSwallowed(fields, rows.columns || fields.length)) throw new Swallowed()
        addRow(rows, fields, lines)
        at = next
        return null
      }
    })
    try {
      await pipeline(Readable.from(slices(bytes.subarray(start))), parser.resume())
      return bytes.length
    } catch (error) {
      const isOpen = (error as { code?: string }).code === 'CSV_QUOTE_NOT_CLOSED'
      if (!(error instanceof Swallowed) && !isOpen) throw error
      if (isOpen && !isEnd) return at
      rows.onUnclosed(rows.line)
      const newline = bytes.indexOf(NEWLINE, at)
      at = newline === -1 ? bytes.length : newline + 1
      rows.line += 1
    }
  }
  return at
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
