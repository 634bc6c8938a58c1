// The log on standard output: a JSON object a line, or lines for people on a terminal.
import { styleText } from 'node:util'
import { type Logger, pino } from 'pino'
import type { Environment } from '../environment.ts'
import { escapeJson, visible, visibleLines } from './visible-text.ts'

/** @param fields more fields for every line */
export function openLog({ logLevel, logFormat }: Environment, fields?: () => object): Logger {
  // Writes at once, so that nothing is lost at the end, and waits in memory for a reader that pauses; pino's own
  // destination does one or the other. A reader that goes away must not stop the server.
  const output = process.stdout.on('error', () => {})
  const format = logFormat ?? (output.isTTY ? 'text' : 'json')
  return pino(
    {
      level: logLevel,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      ...(fields && { mixin: fields }),
      // Carts, feeds and webhook answers are written by others, and logs are read in terminals.
      hooks: { streamWrite: format === 'text' ? readableLine : escapeJson }
    },
    output
  )
}

const COLOURS = { warn: 'yellow', error: 'red', fatal: 'red' } as const

/** A line of the log as `10:00:00.000Z warn  feed line not served  line=7 reason="…"`, and below it the stack of an error. */
export function readableLine(json: string): string {
  const { level, time, msg = '', err, reqId, ...fields } = JSON.parse(json)
  const label = String(pino.levels.labels[level])
  const { stack, type, message, ...details } = err?.stack ? err : { err }
  const head = [
    styleText('dim', time.slice('2026-11-20T'.length)),
    styleText(COLOURS[label as keyof typeof COLOURS] ?? 'green', label.padEnd(5)),
    visible(String(msg))
  ]
  const values = Object.entries({ ...fields, ...details, reqId }).flatMap(([name, value]) => {
    if (value === undefined) return []
    const text = typeof value === 'string' && /^[^\s"=]+$/.test(value) ? value : JSON.stringify(value)
    return `${styleText('dim', `${visible(name)}=`)}${visible(text)}`
  })
  const below = stack ? `\n${visibleLines(stack)}`.replaceAll('\n', '\n    ') : ''
  return `${head.join(' ')}${values.length > 0 ? `  ${values.join(' ')}` : ''}${below}\n`
}
