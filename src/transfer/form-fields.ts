// Reads application/x-www-form-urlencoded text strictly: `+` is a space, percent-encoding must be complete, and the
// bytes must be UTF-8. Common parsers replace what they cannot read; a cart must not change on its way.

/** One field, its name and value still encoded. */
export type EncodedField = { name: Uint8Array; value: Uint8Array }

/** The decoded text, or why it cannot be decoded. */
export type Decoded = { text: string } | { unreadable: string }

const AMPERSAND = 0x26
const EQUALS = 0x3d
const PLUS = 0x2b
const PERCENT = 0x25
const SPACE = 0x20

/** Splits a body or query into its fields, in the order sent. */
export function* splitFields(bytes: Uint8Array): Generator<EncodedField> {
  let start = 0
  while (start < bytes.length) {
    let end = bytes.indexOf(AMPERSAND, start)
    if (end === -1) end = bytes.length
    const pair = bytes.subarray(start, end)
    if (pair.length > 0) {
      const equals = pair.indexOf(EQUALS)
      const nameEnd = equals === -1 ? pair.length : equals
      yield { name: pair.subarray(0, nameEnd), value: pair.subarray(nameEnd + 1) }
    }
    start = end + 1
  }
}

/** Decodes a name or a value, exactly or not at all. */
export function decode(bytes: Uint8Array): Decoded {
  const decoded = new Uint8Array(bytes.length)
  let length = 0
  for (let i = 0; i < bytes.length; i++) {
    let byte = bytes[i] as number
    if (byte === PLUS) byte = SPACE
    else if (byte === PERCENT) {
      byte = 16 * hexDigit(bytes[i + 1]) + hexDigit(bytes[i + 2])
      if (Number.isNaN(byte)) return { unreadable: 'a % that two hexadecimal digits do not follow' }
      i += 2
    }
    if (byte === 0) return { unreadable: 'a NUL character' }
    decoded[length++] = byte
  }
  try {
    return { text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(decoded.subarray(0, length)) }
  } catch {
    return { unreadable: 'bytes that are not UTF-8' }
  }
}

/** The value of an ASCII hexadecimal digit, or NaN. */
function hexDigit(byte: number | undefined): number {
  return byte === undefined ? Number.NaN : Number.parseInt(String.fromCharCode(byte), 16)
}
