// Columns, counts and progress for a terminal.
import stringWidth from 'string-width'
import { visible } from '../start/visible-text.ts'

/** @param width in columns of the terminal */
export function padTo(width: number, text: string): string {
  return text + ' '.repeat(Math.max(0, width - stringWidth(text)))
}

/** Lays rows out in columns, which grow with their contents and never shrink from one page to the next. */
export function columns(): (rows: string[][]) => string {
  const widths: number[] = []
  return rows => {
    const shown = rows.map(row => row.map(visible))
    for (const row of shown) {
      for (const [i, cell] of row.entries()) widths[i] = Math.max(widths[i] ?? 0, stringWidth(cell))
    }
    const pad = (cell: string, i: number) => padTo(Number(widths[i]), cell)
    return shown.map(row => `${row.map(pad).join('  ').trimEnd()}\n`).join('')
  }
}

export function formatCount(count: number): string {
  return count.toLocaleString('en-GB')
}

/** `1 row`, `1,200 rows` */
export function counted(count: number, noun: string): string {
  return `${formatCount(count)} ${noun}${count === 1 ? '' : 's'}`
}

/** @param total undefined if it is not known */
export type ShowProgress = (what: string, done: number, total: number | undefined) => void

/** When progress appears, and how often it is updated at most, in milliseconds. */
const PATIENCE = 1000
const INTERVAL = 100

/** @param now a clock in milliseconds */
export function showProgressOn(
  terminal: { isTTY?: boolean; write: (text: string) => unknown },
  now: () => number
): { show: ShowProgress; clear: () => void } {
  let due = now() + PATIENCE
  let isShown = false
  return {
    show: (what, done, total) => {
      if (!terminal.isTTY || now() < due) return
      due = now() + INTERVAL
      isShown = true
      terminal.write(
        `\r\x1b[K${total ? `${Math.floor(Math.min(1, done / total) * 100)} %` : formatCount(done)} ${what}`
      )
    },
    clear: () => {
      if (isShown) terminal.write('\r\x1b[K')
      isShown = false
    }
  }
}
