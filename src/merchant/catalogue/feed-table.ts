// Reads a feed that is a table: its first line names the columns, separated by tabs, commas or semicolons. A quotation mark
// that is never closed would swallow the rows behind it, so only its own line is skipped, and reading goes on with the next.
// csv-parse cannot do that, and takes more than twice the time.
import { setImmediate as nextTurn } from 'node:timers/promises'
import { FeedError, type FeedRow, type FileChunks, LONGEST_ROW, type RowHandlers } from './feed-row.ts'

/**
 * Google's tab-separated format takes a quotation mark in the middle of a field as it is. CSV (RFC 4180, with commas or
 * semicolons) has quoted texts full of delimiters, in which each mark is doubled: a mark that is not would move them all.
 */
export type Delimiter = '\t' | ',' | ';'

const REQUIRED = ['id', 'title', 'price', 'availability']

const OPTIONAL = ['sale_price', 'sale_price_effective_date', 'image_link', 'color', 'size', 'material']

const MAX_COLUMNS = 1000

/** Characters of rows that are read between two pauses: a request waits for several turns. */
const PART = 16 * 1024

const TOO_LONG = `it is longer than ${LONGEST_ROW} characters`
const UNCLOSED = 'a quotation mark is opened and never closed'
const MISPLACED = 'a quotation mark within a quoted field is not doubled'

/** @throws FeedError if the columns cannot be read, or a required one is missing */
export async function readTable(
  chunks: FileChunks,
  firstLine: string,
  { onRow, onSkipped }: RowHandlers
): Promise<void> {
  let columns: Map<string, number> | undefined
  let header: string[] = []
  let values: string[] = []
  const row: FeedRow = name => {
    const column = columns?.get(name)
    return column === undefined ? undefined : values[column]?.trim() || undefined
  }
  const readFields = (line: number, fields: string[], isDoubtful: boolean) => {
    if (!columns) {
      columns = readHeader(fields)
      header = fields
    } else if (!isAligned(fields, header)) {
      onSkipped(line, `${fields.length} fields where the first line names ${header.length}`)
    } else if (isDoubtful && fields.some(field => field.includes('\ufffd'))) {
      onSkipped(line, 'it holds bytes that are not UTF-8')
    } else {
      values = fields
      onRow(line, row)
    }
  }
  const skip = (line: number, reason: string) => {
    if (!columns) throw new FeedError(`line ${line}, which must name the columns: ${reason}`)
    onSkipped(line, reason)
  }
  await readRows(chunks, readFields, skip, delimiterOf(firstLine))
  if (!columns) throw new FeedError('the file is empty')
}

/** Tabs if there are any: names of columns have none. */
function delimiterOf(header: string): Delimiter {
  if (header.includes('\t')) return '\t'
  const [semicolons = 0, commas = 0] = [';', ','].map(delimiter => header.split(delimiter).length)
  if (semicolons > commas) return ';'
  return commas > 1 ? ',' : '\t'
}

function readHeader(fields: string[]): Map<string, number> {
  if (fields.some(name => name.includes('\0'))) {
    throw new FeedError('the first line holds NUL: the file is UTF-16, or no text; save it as UTF-8')
  }
  if (fields.length > MAX_COLUMNS) {
    throw new FeedError(`the first line names ${fields.length} columns; at most ${MAX_COLUMNS} are read`)
  }
  const names = fields.map(name => name.trim().toLowerCase().replace(/\s+/g, '_'))
  const columns = new Map(names.map((name, i) => [name, i]))
  for (const name of [...REQUIRED, ...OPTIONAL]) {
    const spellings = fields.filter((_, i) => names[i] === name).map(field => JSON.stringify(field))
    if (spellings.length > 1) {
      throw new FeedError(`the first line names ${name} more than once (${spellings.join(', ')}); leave one of them`)
    }
  }
  const missing = REQUIRED.filter(name => !columns.has(name))
  if (missing.length > 0) {
    const remedy = 'it must name the columns, separated by tabs or commas'
    throw new FeedError(`the first line names no ${missing.join(', ')}; ${remedy}`)
  }
  return columns
}

/**
 * Splits a table into rows, in time proportional to its size, whatever is in it; empty lines are no rows.
 * @param onRow called with the line on which a row begins, its fields, and whether they may hold U+FFFD
 * @param onSkipped called with each line that is too long, or has a quotation mark in the wrong place, and with its text
 * @throws FeedError if so many quotation marks are never closed that reading would take too long
 */
export async function readRows(
  chunks: FileChunks,
  onRow: (line: number, fields: string[], isDoubtful: boolean) => void,
  onSkipped: (line: number, reason: string, text: string) => void,
  delimiter: Delimiter = '\t'
): Promise<void> {
  const decoder = new TextDecoder()
  const boundary = new RegExp(`${delimiter}|\r?\n|$`, 'g')
  let text = ''
  /** Whether it holds U+FFFD, which stands for bytes that are not UTF-8. */
  let isDoubtful = false
  let line = 1
  let firstRow: string[] | undefined
  /** Characters that were read, and those that belonged to no row and are read again. */
  let read = 0
  let wasted = 0

  /** @returns where the next row begins; undefined if more has to be read before that is known */
  const readRow = (at: number, isEnd: boolean): number | undefined => {
    const found = text.indexOf('\n', at)
    const lineEnd = found === -1 ? text.length : found
    const { fields, end } = fieldsOf(text, at, lineEnd, delimiter, boundary)
    const isTooLong = end - at > LONGEST_ROW
    if (end === text.length && !isEnd && !isTooLong) return undefined
    if (isTooLong || !fields || (end > lineEnd && hasSwallowed(fields, firstRow ?? fields, delimiter))) {
      const reason = end > lineEnd || end === text.length ? UNCLOSED : MISPLACED
      const problem = isTooLong ? `${TOO_LONG}${end > lineEnd ? `, or ${UNCLOSED}` : ''}` : reason
      onSkipped(line, problem, text.slice(at, lineEnd))
      line += 1
      wasted += Math.max(0, end - lineEnd)
      // Each mark that is never closed is read up to the next one, so all of them together waste no more than the file.
      if (wasted > 4 * (read + LONGEST_ROW)) throw new FeedError('too many quotation marks are never closed')
      return lineEnd + 1
    }
    if (fields.length > 1 || fields[0] !== '') {
      firstRow ??= fields
      onRow(line, fields, isDoubtful)
    }
    line += end > lineEnd ? text.slice(at, end).split('\n').length : 1
    return end + 1
  }
  /** Leaves what is not a whole row. @returns whether that begins with an open row */
  const readText = async (isEnd: boolean): Promise<boolean> => {
    isDoubtful = text.includes('\ufffd')
    const last = isEnd ? text.length : text.lastIndexOf('\n') + 1
    let pausedAt = 0
    let at = 0
    let next: number | undefined = 0
    while (next !== undefined && next < last) {
      at = next
      next = readRow(at, isEnd)
      if (at - pausedAt < PART) continue
      pausedAt = at
      await nextTurn()
    }
    // Of a line that is too long, no more is kept.
    text = text.slice(next ?? at).slice(0, LONGEST_ROW + 1)
    return next === undefined
  }
  let isOpen = false
  for await (const chunk of chunks) {
    const decoded = decoder.decode(chunk, { stream: true })
    read += decoded.length
    text += decoded
    if (!isOpen || text.length > LONGEST_ROW) isOpen = await readText(false)
  }
  text += decoder.decode()
  await readText(true)
}

/**
 * The fields of the row that begins here, and where its line ends. There are none if a quotation mark is never closed, and
 * `end` is then that of the text, or if one in CSV is not doubled, and `end` is then where it is.
 * @param boundary finds the end of a field: a delimiter, a line end or the end of the text
 */
function fieldsOf(
  text: string,
  start: number,
  lineEnd: number,
  delimiter: Delimiter,
  boundary: RegExp
): { fields?: string[]; end: number } {
  const line = text.slice(start, text[lineEnd - 1] === '\r' && text[lineEnd] === '\n' ? lineEnd - 1 : lineEnd)
  if (!line.includes('"')) return { fields: line.split(delimiter), end: lineEnd }
  const fields: string[] = []
  let at = start
  let end: number
  let found: string
  do {
    let quoted: string | undefined
    let close = at - 1
    if (text[at] === '"') {
      close = closingMark(text, at)
      if (close === -1) return { end: text.length }
      quoted = text.slice(at + 1, close).replaceAll('""', '"')
    }
    boundary.lastIndex = close + 1
    ;({ 0: found, index: end } = boundary.exec(text) as RegExpExecArray)
    const rest = text.slice(close + 1, end)
    if (quoted === undefined || rest === '') fields.push(quoted ?? rest)
    else if (delimiter === '\t') fields.push(`"${quoted}"${rest}`)
    else return { end: close + 1 }
    at = boundary.lastIndex
  } while (found === delimiter)
  return { fields, end: end + Math.max(0, found.length - 1) }
}

/** -1 if the field is never closed. */
function closingMark(text: string, start: number): number {
  let close = text.indexOf('"', start + 1)
  while (close !== -1 && text[close + 1] === '"') close = text.indexOf('"', close + 2)
  return close
}

/** Whether each field is in its column: what a row, or the first one, has more at its end is empty. */
export function isAligned(fields: string[], firstRow: string[]): boolean {
  if (fields.length === firstRow.length) return true
  return fields.length >= usedLength(firstRow) && usedLength(fields) <= firstRow.length
}

/** The number of fields up to the last one that holds anything. */
function usedLength(fields: string[]): number {
  return fields.findLastIndex(field => field.trim() !== '') + 1
}

/** Whether a row of several lines contains other rows: its fields are not in their columns, or one of them holds a row. */
function hasSwallowed(fields: string[], firstRow: string[], delimiter: Delimiter): boolean {
  return !isAligned(fields, firstRow) || fields.some((field, at) => holdsRow(field, at, firstRow.length, delimiter))
}

/**
 * Tabs are rare in a field: one that has as many as a row holds a row. In CSV it holds just what stands between two stray
 * quotation marks in the same column: the end of a row, whole rows, the beginning of a row. In prose, a space follows a comma.
 * @param at its column, of `count`
 */
function holdsRow(field: string, at: number, count: number, delimiter: Delimiter): boolean {
  if (delimiter === '\t') return field.split(delimiter).length >= count
  if (!field.includes('\n') || field.includes(`${delimiter} `)) return false
  const counts = field.split('\n').map(line => line.split(delimiter).length)
  const last = counts.length - 1
  return counts.every((found, i) => found === (i === 0 ? count - at : i === last ? at + 1 : count))
}
