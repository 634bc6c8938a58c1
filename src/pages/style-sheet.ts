// The style sheet that is embedded in every page, minified: the first response has to fit one TCP flight (DECISIONS.md,
// "The checkout page").
import { readFileSync } from 'node:fs'

/** The sheet made of a theme and of these files, in this order. */
export function readStyleSheet(theme: string, ...files: string[]): string {
  return shortenProperties(minify(theme), minify(files.map(file => readFileSync(file, 'utf8')).join('\n')))
}

const STRING = /("(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')/s
const STRING_OR_COMMENT = new RegExp(`${STRING.source}|/\\*.*?\\*/`, 'gs')
/** The name of a custom property, but not the end of a class such as `.card--ink`. */
const PROPERTY = /(?<![\w-])--[\w-]+/g

/** Removes comments, line breaks and indentation; strings stay as they are. */
export function minify(css: string): string {
  const withoutComments = css.replace(STRING_OR_COMMENT, (_, string = '') => string)
  return outsideStrings(withoutComments, minifyPart).trim()
}

/** @param part one without strings */
function minifyPart(part: string): string {
  return part
    .replace(/\s*\n\s*/g, '\n')
    .replace(/(?<=[{};,])\n|\n(?=\})/g, '')
    .replaceAll('\n', ' ')
}

/** Leaves out the theme's custom properties that nothing uses, and gives the others names of one letter. */
function shortenProperties(theme: string, rules: string): string {
  const sheet = theme + rules
  const used = new Set(sheet.match(/(?<=var\(\s*)--[\w-]+/g))
  const free = Array.from('ABCDEFGHIJKLMNOPQRSTUVWXYZ', letter => `--${letter}`).filter(name => !sheet.includes(name))
  const names = new Map<string, string>()
  const properties = theme.replace(/(--[\w-]+):[^;}]*;?/g, (property, name) => {
    if (!used.has(name)) return ''
    if (!names.has(name)) names.set(name, String(free[names.size]))
    return property
  })
  return outsideStrings(properties + rules, part => part.replace(PROPERTY, name => names.get(name) ?? name))
}

function outsideStrings(css: string, change: (part: string) => string): string {
  const parts = css.split(STRING)
  return parts.map((part, i) => (i % 2 === 1 ? part : change(part))).join('')
}
