// The rows of lines in which no field is quoted, as in most of a feed. A feed has many columns that nobody needs, and most
// texts are ASCII: each byte is taken for a character, so that only what is needed and is not ASCII is decoded.
import { isAscii, isUtf8 } from 'node:buffer'
import type { Delimiter } from './feed-fields.ts'

const QUOTE = 0x22

/** Whether lines are UTF-8, without U+FFFD, and no field begins with a quotation mark. */
export function isPlain(lines: Buffer, delimiter: Delimiter): boolean {
  if (lines.includes(QUOTE)) {
    const isQuoted = lines[0] === QUOTE || lines.includes(`${delimiter}"`) || lines.includes('\n"')
    if (isQuoted) return false
  }
  return isAscii(lines) || (isUtf8(lines) && !lines.includes('\ufffd'))
}

/**
 * The fields of each line of plain ones, and where it ends.
 * @param isUsed whether the fields of a column are needed; those of others are empty
 */
export function* plainRows(
  lines: Buffer,
  delimiter: Delimiter,
  isUsed: (column: number) => boolean
): Generator<{ fields: string[]; end: number }> {
  const text = lines.toString('latin1')
  const needsDecoding = !isAscii(lines)
  const read = (from: number, to: number): string => {
    const field = text.slice(from, to)
    return needsDecoding && /[\x80-\xff]/.test(field) ? lines.toString('utf8', from, to) : field
  }
  let next = text.indexOf(delimiter)
  let start = 0
  while (start < text.length) {
    const newline = text.indexOf('\n', start)
    const end = newline === -1 ? text.length : newline
    const fieldsEnd = newline > start && text[newline - 1] === '\r' ? newline - 1 : end
    const fields: string[] = []
    let from = start
    while (next !== -1 && next < end) {
      fields.push(isUsed(fields.length) ? read(from, next) : '')
      from = next + 1
      next = text.indexOf(delimiter, from)
    }
    fields.push(isUsed(fields.length) ? read(from, fieldsEnd) : '')
    yield { fields, end }
    start = end + 1
  }
}
