// The style sheet that is embedded in every page, minified: the first response has to fit one TCP flight (DECISIONS.md,
// "The checkout page").
import { readFileSync } from 'node:fs'

export function readStyleSheet(theme: string, ...files: string[]): string {
  return minify([theme, ...files.map(file => readFileSync(file, 'utf8'))].join('\n'))
}

const STRING = /("(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')/s
const STRING_OR_COMMENT = new RegExp(`${STRING.source}|/\\*.*?\\*/`, 'gs')

/** Removes comments, line breaks and indentation; strings stay as they are. */
export function minify(css: string): string {
  const parts = css.replace(STRING_OR_COMMENT, (_, string = '') => string).split(STRING)
  const minified = parts.map((part, i) => {
    if (i % 2 === 1) return part
    const lines = part.replace(/\s*\n\s*/g, '\n').replace(/(?<=[{};,])\n|\n(?=\})/g, '')
    return lines.replaceAll('\n', ' ')
  })
  return minified.join('').trim()
}
