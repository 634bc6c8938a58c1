// The log: JSON lines on standard output.
import { pino } from 'pino'
import { escapeJson } from './visible-text.ts'

/** @param fields more fields for every line */
export function openLog(level: string, fields?: () => object): pino.Logger {
  // Writes at once, so that nothing is lost at the end, and waits in memory for a reader that pauses; pino's own
  // destination does one or the other. A reader that goes away must not stop the server.
  const log = process.stdout.on('error', () => {})
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      ...(fields && { mixin: fields }),
      // Carts, feeds and webhook answers are written by others, and logs are read in terminals.
      hooks: { streamWrite: escapeJson }
    },
    log
  )
}
