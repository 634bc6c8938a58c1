// Text in which every character shows: in a terminal or a log, nothing can move the cursor, colour the screen, reverse a
// line or hide.

/** A character that does not print, or reorders those that do. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u

const EVERY_INVISIBLE = new RegExp(INVISIBLE, 'gu')

/** Text with every invisible character written as its code point, such as `\u{202e}`. */
export function visible(text: string): string {
  return text.replace(EVERY_INVISIBLE, found => `\\u{${found.codePointAt(0)?.toString(16)}}`)
}

/** The same for several lines, which stay lines. */
export function visibleLines(text: string): string {
  return text.split('\n').map(visible).join('\n')
}

/**
 * JSON text that means the same, with invisible characters escaped in its strings. Line ends between values stay; JSON
 * itself escapes what is below a space.
 */
export function escapeJson(json: string): string {
  // Nearly every line of a log is ASCII, which this finds out in a fraction of the time of a regular expression.
  if (Buffer.byteLength(json) === json.length && !json.includes('\x7f')) return json
  return json.replace(/[\x7f-\uffff]+/g, run => run.replace(EVERY_INVISIBLE, escapeUnits))
}

function escapeUnits(text: string): string {
  return text.replace(/[\s\S]/g, unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** A value as JSON with invisible characters escaped. */
export function visibleJson(value: unknown): string {
  return escapeJson(JSON.stringify(value))
}
