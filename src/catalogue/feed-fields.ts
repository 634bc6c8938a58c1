// The fields of one row of a file with tabs or commas, quoted or not.

/**
 * Google's tab-separated format takes a quotation mark in the middle of a field as it is. CSV (RFC 4180, with commas or
 * semicolons) has quoted texts full of delimiters, in which each mark is doubled: a mark that is not would move them all.
 */
export type Delimiter = '\t' | ',' | ';'

/** `fields` is undefined if a quotation mark within a field of CSV is not doubled; `end` is then where that mark is. */
type Row = { fields: string[] | undefined; end: number }

/** The row that begins here, and where its line ends; undefined if a quotation mark is not closed. */
export function readRow(text: string, start: number, firstEnd: number, delimiter: Delimiter): Row | undefined {
  const line = textBefore(text, start, firstEnd)
  if (!line.startsWith('"') && !line.includes(`${delimiter}"`)) return { fields: line.split(delimiter), end: firstEnd }
  const fields: string[] = []
  let lineEnd = firstEnd
  let at = start
  let end: number
  do {
    const field = text[at] === '"' ? readQuoted(text, at, delimiter) : { value: '', end: at }
    if (!field) return undefined
    if (field.value === undefined) return { fields: undefined, end: field.end }
    if (field.end > lineEnd) lineEnd = endOfLine(text, field.end)
    end = Math.min(lineEnd, nextOf(delimiter, text, field.end))
    fields.push(field.value + textBefore(text, field.end, end))
    at = end + 1
  } while (end !== lineEnd)
  return { fields, end }
}

/**
 * The field that begins with a quotation mark, up to its closing one. If that is in the middle of the field, it encloses
 * nothing, and both are ordinary characters; in CSV there is no value.
 */
function readQuoted(text: string, start: number, delimiter: Delimiter): { value?: string; end: number } | undefined {
  let close = text.indexOf('"', start + 1)
  while (close !== -1 && text[close + 1] === '"') close = text.indexOf('"', close + 2)
  if (close === -1) return undefined
  const value = text.slice(start + 1, close).replaceAll('""', '"')
  const isEnclosed = text[close + 1] === delimiter || /^(?:\r?\n|$)/.test(text.slice(close + 1, close + 3))
  if (isEnclosed) return { value, end: close + 1 }
  return delimiter === '\t' ? { value: `"${value}"`, end: close + 1 } : { end: close + 1 }
}

/**
 * Whether a row of several lines contains other rows: its number of fields is wrong or, where delimiters within a field
 * are rare, one field holds a whole row. @param columns the number of fields of the first row; 0 in that row
 */
export function hasSwallowed(fields: string[], columns: number, delimiter: Delimiter): boolean {
  const count = columns || fields.length
  if (fields.length !== count) return true
  return delimiter === '\t' && fields.some(field => field.split('\t').length >= count)
}

/** The text up to a delimiter, a line end or the end of the file. */
function textBefore(text: string, from: number, to: number): string {
  return text.slice(from, text[to] === '\n' && text[to - 1] === '\r' && to > from ? to - 1 : to)
}

export function endOfLine(text: string, from: number): number {
  return nextOf('\n', text, from)
}

/** Where a character occurs next, or where the text ends. */
function nextOf(character: string, text: string, from: number): number {
  const found = text.indexOf(character, from)
  return found === -1 ? text.length : found
}

export function countLineEnds(text: string, from: number, to: number): number {
  let lines = 0
  for (let at = endOfLine(text, from); at < to; at = endOfLine(text, at + 1)) lines += 1
  return lines
}
