// Text written by others, for a terminal or a log: nothing in it can move the cursor, colour the screen, reverse a line or
// hide.
import { INVISIBLE } from '../transfer/curl-command.ts'

const EVERY_INVISIBLE = new RegExp(INVISIBLE, 'gu')

/** Text with every invisible character written as its code point, such as `\u{202e}`. */
export function visible(text: string): string {
  return text.replace(EVERY_INVISIBLE, found => `\\u{${found.codePointAt(0)?.toString(16)}}`)
}

export function visibleLines(text: string): string {
  return text.split('\n').map(visible).join('\n')
}

/** The same JSON, with invisible characters escaped. Line ends between values stay; JSON has escaped those inside strings. */
export function escapeJson(json: string): string {
  // Nearly every line of a log is ASCII; this is faster than a regular expression.
  if (Buffer.byteLength(json) === json.length && !json.includes('\x7f')) return json
  return json.replace(/[\x7f-\uffff]+/g, run =>
    run.replace(EVERY_INVISIBLE, found =>
      found.replace(/[\s\S]/g, unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    )
  )
}

export function visibleJson(value: unknown): string {
  return escapeJson(JSON.stringify(value))
}
