// The style sheet as it goes out with every page: what is there for readers alone stays behind, since the first
// response has to fit one TCP flight (decisions.md, "The checkout page").
import { readFileSync } from 'node:fs'

/** The sheet that a theme and these files make together, in their order. */
export function readStyleSheet(theme: string, ...files: string[]): string {
  return squeeze(theme + files.map(file => readFileSync(file, 'utf8')).join('\n'))
}

/** Without comments, line breaks and indentation; custom properties (`--accent`) get names of one or two characters. */
export function squeeze(css: string): string {
  const plain = css
    .replace(/\/\*.*?\*\//gs, '')
    .replace(/\s*\n\s*/g, '\n')
    .replace(/(?<=[{};,])\n|\n(?=\})/g, '')
    .trim()
    .replaceAll('\n', ' ')
  const names = [...new Set(plain.match(/--[a-z][a-z-]*/g))]
  return plain.replace(/--[a-z][a-z-]*/g, name => `--${names.indexOf(name).toString(36)}`)
}
