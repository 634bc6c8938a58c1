// Text for a terminal: nothing in it can move the cursor, colour the screen or reverse a line, and columns line up.
import stringWidth from 'string-width'

/** Text with every character that does not print, or reorders those that do, written as its code point. */
export function visible(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, found => `\\u{${found.codePointAt(0)?.toString(16)}}`)
}

/** JSON with the same characters escaped. */
export function visibleJson(value: unknown): string {
  return JSON.stringify(value).replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, found =>
    found.replace(/[\s\S]/g, unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
  )
}

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
