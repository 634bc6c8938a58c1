// The JSON of other servers, a merchant's shop above all: looked through before JSON.parse, which brackets hold for long.

/** Of arrays and objects. */
const MAX_DEPTH = 32

const [QUOTE, BACKSLASH, COMMA, BRACKET, END_BRACKET, BRACE, END_BRACE] = Buffer.from('"\\,[]{}')

/** @returns a function that takes one part after another, and says what is wrong with them, if anything */
export function jsonMeter(maxValues = Number.POSITIVE_INFINITY): (part: Uint8Array) => string | undefined {
  let [values, depth] = [0, 0]
  let [isText, isEscaped] = [false, false]
  return part => {
    // By index: an iterator takes ten times as long.
    for (let i = 0; i < part.length; i++) {
      const sign = part[i]
      if (isEscaped) isEscaped = false
      else if (sign === QUOTE) isText = !isText
      else if (isText) isEscaped = sign === BACKSLASH
      else if (sign === COMMA) values++
      else if (sign === END_BRACE || sign === END_BRACKET) depth--
      else if (sign === BRACE || sign === BRACKET) {
        values++
        if (++depth > MAX_DEPTH) return `is nested more than ${MAX_DEPTH} levels deep`
      }
    }
    return values > maxValues ? `has more than ${maxValues} values` : undefined
  }
}

/**
 * Reads an answer, unless it is too long, or would hold the loop in JSON.parse. It looks through each part as that arrives, in a
 * turn of its own.
 * @param failure what to throw then
 */
export async function readJsonText(
  { body }: Response,
  { maxBytes, maxValues }: { maxBytes: number; maxValues: number },
  failure: (problem: string) => Error
): Promise<string> {
  const chunks: Uint8Array[] = []
  const problemWith = jsonMeter(maxValues)
  let bytes = 0
  for await (const chunk of body ?? []) {
    chunks.push(chunk)
    bytes += chunk.length
    const problem = problemWith(chunk) ?? (bytes > maxBytes ? `has more than ${maxBytes} bytes` : undefined)
    if (problem !== undefined) throw failure(problem)
  }
  return Buffer.concat(chunks).toString()
}
