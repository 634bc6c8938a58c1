// The style sheet as it goes out with every page: what is there for readers alone stays behind, since the first
// response has to fit one TCP flight (decisions.md, "The checkout page").
import { readFileSync } from 'node:fs'

/** The sheet that a theme and these files make together, in their order; the theme's custom properties get short names. */
export function readStyleSheet(theme: string, ...files: string[]): string {
  const names = theme.match(/--[a-z]{2,}(?=:)/g) ?? []
  return squeeze(theme + files.map(file => readFileSync(file, 'utf8')).join('\n'), [...new Set(names)])
}

const STRING = /("(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')/s
const STRING_OR_COMMENT = new RegExp(`${STRING.source}|/\\*.*?\\*/`, 'gs')

/** Without comments, line breaks and indentation; these custom properties (`--accent`) are called by a digit each. */
export function squeeze(css: string, names: string[]): string {
  const plain = css.replace(STRING_OR_COMMENT, (_, string = '') => string)
  const parts = plain.split(STRING).map((part, i) => (i % 2 === 1 ? part : squeezePart(part, names)))
  return parts.join('').trim()
}

/** @param part one without strings, in which everything stands as it is */
function squeezePart(part: string, names: string[]): string {
  return part
    .replace(/\s*\n\s*/g, '\n')
    .replace(/(?<=[{};,])\n|\n(?=\})/g, '')
    .replaceAll('\n', ' ')
    .replace(/(?<![\w-])--[a-z]{2,}(?![\w-])/g, name => {
      const at = names.indexOf(name)
      return at < 0 ? name : `--${at}`
    })
}
