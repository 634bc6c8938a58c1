// The style sheet that is embedded in every page, minified: the first response has to fit one TCP flight (DECISIONS.md,
// "The checkout page").
import { readFileSync } from 'node:fs'

/** The sheet made of a theme and of these files, in this order. */
export function readStyleSheet(theme: string, ...files: string[]): string {
  return minify([theme, ...files.map(file => readFileSync(file, 'utf8'))].join('\n'))
}

const STRING = /("(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')/s
const STRING_OR_COMMENT = new RegExp(`${STRING.source}|/\\*.*?\\*/`, 'gs')

/** Removes comments, line breaks and indentation; strings stay as they are. */
export function minify(css: string): string {
  const parts = css.replace(STRING_OR_COMMENT, (_, string = '') => string).split(STRING)
  return parts
    .map((part, i) => (i % 2 === 1 ? part : minifyPart(part)))
    .join('')
    .trim()
}

/** @param part one without strings */
function minifyPart(part: string): string {
  return part
    .replace(/\s*\n\s*/g, '\n')
    .replace(/(?<=[{};,])\n|\n(?=\})/g, '')
    .replaceAll('\n', ' ')
}
