// Reads application/x-www-form-urlencoded text strictly: `+` is a space, percent-encoding must be complete, and the
// bytes must be UTF-8. Common parsers replace what they cannot read; a cart must not change on its way. Forms are
// strings of one character per byte, which are split and compared much faster than bytes are.

/** One field, its name and value still encoded. */
export type EncodedField = { name: string; value: string }

/** The decoded text, or why it cannot be decoded. */
export type Decoded = { text: string } | { unreadable: string }

const PLUS = 0x2b
const PERCENT = 0x25
const SPACE = 0x20

/** Printable ASCII that stands for itself, as nearly all names and values are. */
const PLAIN = /^[ -$&-*,-~]*$/

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Splits a body or query into its fields, in the order sent. */
export function* splitFields(form: string): Generator<EncodedField> {
  let start = 0
  while (start < form.length) {
    let end = form.indexOf('&', start)
    if (end === -1) end = form.length
    if (end > start) {
      const pair = form.slice(start, end)
      const equals = pair.indexOf('=')
      yield equals === -1 ? { name: pair, value: '' } : { name: pair.slice(0, equals), value: pair.slice(equals + 1) }
    }
    start = end + 1
  }
}

/** Decodes a name or a value, exactly or not at all. */
export function decode(encoded: string): Decoded {
  if (PLAIN.test(encoded)) return { text: encoded }
  const bytes = Buffer.allocUnsafe(encoded.length)
  let length = 0
  for (let i = 0; i < encoded.length; i++) {
    let byte = encoded.charCodeAt(i)
    if (byte === PLUS) byte = SPACE
    else if (byte === PERCENT) {
      byte = 16 * hexDigit(encoded.charCodeAt(i + 1)) + hexDigit(encoded.charCodeAt(i + 2))
      if (Number.isNaN(byte)) return { unreadable: 'a % that two hexadecimal digits do not follow' }
      i += 2
    }
    if (byte === 0) return { unreadable: 'a NUL character' }
    bytes[length++] = byte
  }
  try {
    return { text: utf8.decode(bytes.subarray(0, length)) }
  } catch {
    return { unreadable: 'bytes that are not UTF-8' }
  }
}

/** The value of an ASCII hexadecimal digit, or NaN; beyond the end there is none. */
function hexDigit(character: number): number {
  if (character >= 0x30 && character <= 0x39) return character - 0x30
  const letter = character | 0x20
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : Number.NaN
}
