// Reads application/x-www-form-urlencoded text strictly: `+` is a space, percent-encoding must be complete, and the
// bytes must be UTF-8. Common parsers replace what they cannot read; a cart must not change on its way. Forms are
// strings of one character per byte, which are split and compared much faster than bytes are.
import { isUtf8 } from 'node:buffer'

/** The decoded text, or why it cannot be decoded. */
export type Decoded = { text: string } | { unreadable: string }

const PLUS = 0x2b
const PERCENT = 0x25
const SPACE = 0x20

/** Printable ASCII that stands for itself, as nearly all names and values are. */
const PLAIN = /^[ -$&-*,-~]*$/

/** Whether a form has more than so many fields, empty ones included; reads no further than it needs to. */
export function hasMoreFields(form: string, most: number): boolean {
  let fields = 1
  for (let at = form.indexOf('&'); at !== -1 && fields <= most; at = form.indexOf('&', at + 1)) fields += 1
  return fields > most
}

/**
 * Reads the fields of a body or query, in the order sent.
 * @param read called for each, its name and value still encoded
 */
export function readFields(form: string, read: (name: string, value: string) => void): void {
  let equals = -1
  for (let start = 0; start < form.length; ) {
    const end = indexOrEnd(form, '&', start)
    // What was found beyond a field is looked for once: many fields may have none.
    if (equals < start) equals = indexOrEnd(form, '=', start)
    if (equals < end) read(form.slice(start, equals), form.slice(equals + 1, end))
    else if (end > start) read(form.slice(start, end), '')
    start = end + 1
  }
}

/** Where a character is, from a place on; the end of the text if it is not there. */
function indexOrEnd(text: string, character: string, from: number): number {
  const at = text.indexOf(character, from)
  return at === -1 ? text.length : at
}

/** Decodes a name or a value, exactly or not at all. */
export function decode(encoded: string): Decoded {
  if (PLAIN.test(encoded)) return { text: encoded }
  // In place, as reading the characters of a slice one by one takes three times as long.
  const bytes = Buffer.from(encoded, 'latin1')
  let length = 0
  for (let i = 0; i < bytes.length; i++) {
    let byte = bytes[i] as number
    if (byte === PLUS) byte = SPACE
    else if (byte === PERCENT) {
      byte = (hexDigit(bytes[i + 1]) << 4) | hexDigit(bytes[i + 2])
      if (byte < 0) return { unreadable: 'a % that two hexadecimal digits do not follow' }
      i += 2
    }
    if (byte === 0) return { unreadable: 'a NUL character' }
    bytes[length++] = byte
  }
  const decoded = bytes.subarray(0, length)
  return isUtf8(decoded) ? { text: decoded.toString() } : { unreadable: 'bytes that are not UTF-8' }
}

/** The value of an ASCII hexadecimal digit; -1 for anything else, or beyond the end. */
function hexDigit(byte = 0): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30
  const letter = byte | 0x20
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1
}
