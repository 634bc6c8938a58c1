// Splits a file with tabs or commas into rows. A quotation mark at the start of a field may enclose delimiters and line
// breaks; one that is never closed would swallow the rows after it, so only its own line is skipped and reading goes on
// with the next. Whatever is in the file, the time is proportional to its size, and no more than a long row is in memory.
// A library that parses CSV has to be started anew behind each such mark, which takes a hundred times as long.
import { setImmediate as nextTurn } from 'node:timers/promises'
import { countLineEnds, type Delimiter, endOfLine, hasSwallowed, readRow } from './feed-fields.ts'
import { isPlain, plainRows } from './plain-rows.ts'

/** A file, from its start to its end. */
export type FileChunks = AsyncIterable<Uint8Array> | Iterable<Uint8Array>

/** The file is not a product feed. */
export class FeedError extends Error {}

/** Bytes that are split into rows at a time. */
const SLICE = 64 * 1024

/** Characters of rows that are read between two pauses: half a millisecond, as a request waits for several turns. */
const PART = 16 * 1024

/** The longest row, in UTF-16 units: several times what all attributes of Google's format may have together. */
export const LONGEST_ROW = 256 * 1024

/** In UTF-8 a unit takes at most three bytes, so a line of more bytes is too long whatever is in it. */
const MAX_LINE_BYTES = LONGEST_ROW * 3

const NEWLINE = 0x0a
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf]

const TOO_LONG = `it is longer than ${LONGEST_ROW} characters`
const UNCLOSED = 'a quotation mark is opened and never closed'
const MISPLACED = 'a quotation mark within a quoted field is not doubled'

type Rows = {
  delimiter: Delimiter
  isUsed: (column: number) => boolean
  /** Called with the first line of each row, counted from 1, its fields, and whether they may hold U+FFFD. */
  onRow: (line: number, fields: string[], isDoubtful: boolean) => void
  /** Called with each line that is no row and why. */
  onSkipped: (line: number, reason: string) => void
  /** The line of the next row, and the number of fields of the first one. */
  line: number
  columns: number
  /** Bytes that were read, and characters that belonged to no row and are read again. */
  read: number
  wasted: number
}

/**
 * @param onRow called with the first line of each row, counted from 1, its fields, and whether they may hold U+FFFD
 * @param onSkipped called with each line that is too long, or opens a quotation mark which is never closed, and which
 * @param isUsed whether the fields of a column are needed; others may be empty
 * @throws FeedError if there are so many quotation marks of that kind that reading would take too long
 */
export async function readLines(
  chunks: FileChunks,
  onRow: Rows['onRow'],
  onSkipped: Rows['onSkipped'],
  delimiter: Delimiter = '\t',
  isUsed: Rows['isUsed'] = () => true
): Promise<void> {
  const rows: Rows = { delimiter, isUsed, onRow, onSkipped, line: 1, columns: 0, read: 0, wasted: 0 }
  let unread: Uint8Array[] = []
  let size = 0
  /** Lines of which the first opens a quotation mark that may still be closed. */
  let open = ''
  let isStart = true
  /** Whether everything up to the next line end belongs to a line that is too long. */
  let isTooLong = false

  const read = async (isEnd: boolean) => {
    let bytes = Buffer.concat(unread)
    if (isStart && BYTE_ORDER_MARK.every((byte, i) => bytes[i] === byte)) bytes = bytes.subarray(3)
    isStart = false
    const end = isEnd ? bytes.length : bytes.lastIndexOf(NEWLINE) + 1
    const lines = bytes.subarray(0, end)
    rows.read += end
    if (open === '' && end <= LONGEST_ROW && isPlain(lines, delimiter)) await readPlain(lines, rows)
    else open = readCarefully(open + lines.toString(), isEnd, rows)
    bytes = bytes.subarray(end)
    if (bytes.length > MAX_LINE_BYTES) {
      open = readCarefully(open, true, rows)
      onSkipped(rows.line, TOO_LONG)
      isTooLong = true
      bytes = bytes.subarray(bytes.length)
    }
    unread = [bytes]
    size = bytes.length
    await nextTurn()
  }
  for await (const chunk of chunks) {
    for (let at = 0; at < chunk.length; at += SLICE) {
      let slice = chunk.subarray(at, at + SLICE)
      if (isTooLong) {
        const newline = slice.indexOf(NEWLINE)
        if (newline === -1) continue
        slice = slice.subarray(newline + 1)
        isTooLong = false
        rows.line += 1
      }
      unread.push(slice)
      size += slice.length
      if (size >= SLICE) await read(false)
    }
  }
  await read(true)
}

async function readPlain(lines: Buffer, rows: Rows): Promise<void> {
  let paused = 0
  for (const { fields, end } of plainRows(lines, rows.delimiter, rows.isUsed)) {
    addRow(rows, fields, 1, false)
    if (end - paused < PART) continue
    paused = end
    await nextTurn()
  }
}

function addRow(rows: Rows, fields: string[], lines: number, isDoubtful: boolean): void {
  if (fields.length > 1 || fields[0] !== '') {
    rows.columns ||= fields.length
    rows.onRow(rows.line, fields, isDoubtful)
  }
  rows.line += lines
}

/**
 * Reads lines that may have quotation marks, or be too long.
 * @returns the lines from the first whose quotation mark is still open, if more follows; otherwise nothing
 */
function readCarefully(text: string, isEnd: boolean, rows: Rows): string {
  let at = 0
  while (at < text.length) {
    const lineEnd = endOfLine(text, at)
    const row = readRow(text, at, lineEnd, rows.delimiter)
    if (!row && !isEnd && text.length - at <= LONGEST_ROW) return text.slice(at)
    const { fields, end } = row ?? { fields: undefined, end: text.length }
    const isTooLong = end - at > LONGEST_ROW
    if (isTooLong || !fields || (end > lineEnd && hasSwallowed(fields, rows.columns, rows.delimiter))) {
      const reason = row && end <= lineEnd ? MISPLACED : UNCLOSED
      rows.onSkipped(rows.line, isTooLong ? `${TOO_LONG}${end > lineEnd ? `, or ${UNCLOSED}` : ''}` : reason)
      rows.line += 1
      rows.wasted += Math.max(0, end - lineEnd)
      // Each mark that is never closed is read up to the next one, so all of them together waste no more than the file.
      if (rows.wasted > 4 * (rows.read + LONGEST_ROW)) throw new FeedError('too many quotation marks are never closed')
      at = lineEnd + 1
    } else {
      addRow(rows, fields, 1 + countLineEnds(text, at, end), true)
      at = end + 1
    }
  }
  return ''
}
