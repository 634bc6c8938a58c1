// Text for a terminal: nothing in it can move the cursor, colour the screen or turn the line around, and columns stand
// below each other.

/** Text with everything that does not print, and everything that reorders what does, written as its code point. */
export function visible(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, found => `\\u{${found.codePointAt(0)?.toString(16)}}`)
}

/** JSON whose text is as harmless, and still the same JSON. */
export function visibleJson(value: unknown): string {
  return JSON.stringify(value).replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, found =>
    found.replace(/[\s\S]/g, unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
  )
}

/** Writes rows below each other; the columns grow with what they hold, and never shrink from page to page. */
export function columns(): (rows: string[][]) => string {
  const widths: number[] = []
  return rows => {
    const shown = rows.map(row => row.map(visible))
    for (const row of shown) {
      for (const [i, cell] of row.entries()) widths[i] = Math.max(widths[i] ?? 0, cell.length)
    }
    return shown
      .map(row => `${row.map((cell, i) => cell.padEnd(Number(widths[i]))).join('  ')}`.trimEnd())
      .map(line => `${line}\n`)
      .join('')
  }
}
