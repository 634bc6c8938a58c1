// Columns for a terminal.
import stringWidth from 'string-width'
import { visible } from '../start/visible-text.ts'

/** Fills text up to a width in columns of the terminal. */
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

/** A number and its noun: `1 row`, `1,200 rows`. */
export function counted(count: number, noun: string): string {
  return `${formatCount(count)} ${noun}${count === 1 ? '' : 's'}`
}
