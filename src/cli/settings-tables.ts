// The tables of settings in config/README.md, from the schema of merchant files; `npm run schema` writes them.
import type { TSchema } from '@sinclair/typebox'
import { markdownTable, rewritePart } from './markdown.ts'

/** `kinds` are those of its section that have the setting, if not all have it in the same way. */
type Row = { key: string; kinds?: string; byDefault: string; meaning: string }

const COMMAND = 'npm run schema, '

/**
 * Writes the table of each section that the document has a part for: `<!-- written by npm run schema, checkout.payment -->`.
 * A setting goes to the innermost section that it is in, or to `others`.
 */
export function writeSettingsTables(document: string, schema: TSchema): string {
  const parts = document.matchAll(RegExp(`<!-- written by ${COMMAND}(\\S+) -->`, 'g'))
  const sections = Array.from(parts, ([, name = '']) => name).sort((a, b) => b.length - a.length)
  const sectionOf = (key: string) => sections.find(name => isIn(key, name)) ?? 'others'
  const rows = rowsIn(schema, '')
  return sections.reduce((text, name) => {
    const cells = rows.filter(({ key }) => sectionOf(key) === name).map(cellsOf)
    return rewritePart(text, COMMAND + name, () => markdownTable([['key', 'default', 'meaning'], ...cells]))
  }, document)
}

const isIn = (key: string, section: string) => key.startsWith(section) && /^([.[]|$)/.test(key.slice(section.length))

function cellsOf({ key, kinds, byDefault, meaning }: Row): string[] {
  return [`\`${key}\`${kinds === undefined ? '' : asCode(` for ${kinds}`)}`, byDefault, asCode(meaning)]
}

/** Marks texts in quotation marks, objects, lists and elements. */
const asCode = (text: string) => text.replace(/\{([^{}]|\{[^{}]*\})*\}|\[[^\]]*\]|"[^"]*"|<\w+>/g, '`$&`')

const alternatives = (schema: TSchema): TSchema[] => schema.anyOf ?? [schema]

const isSection = ({ properties }: TSchema) => properties !== undefined

/** @param section the innermost optional one around the settings, unless they are in a list of it */
function rowsIn(schema: TSchema, key: string, section?: string): Row[] {
  const [kinds, others] = [alternatives(schema).filter(isSection), alternatives(schema).filter(one => !isSection(one))]
  return [
    ...mergeKinds(kinds.map(kind => ({ name: nameOf(kind), rows: rowsOf(kind, key, section) }))),
    ...others.flatMap(({ items, patternProperties = {} }) => [
      ...(items ? rowsIn(items, `${key}[]`) : []),
      ...Object.values<TSchema>(patternProperties).flatMap(part => rowsIn(part, `${key}.*`))
    ])
  ]
}

function rowsOf({ properties, required = [] }: TSchema, path: string, section?: string): Row[] {
  return Object.entries<TSchema>(properties)
    .filter(([, { refusal }]) => refusal === undefined)
    .flatMap(([name, schema]) => {
      const key = path ? `${path}.${name}` : name
      const isRequired = required.includes(name)
      const needed = section ? `required with \`${section}\`` : 'required'
      const byDefault = 'default' in schema ? `\`${JSON.stringify(schema.default)}\`` : ''
      const row = { key, byDefault: isRequired ? needed : byDefault, meaning: String(schema.description) }
      return [
        ...(alternatives(schema).every(isSection) ? [] : [row]),
        ...rowsIn(schema, key, isRequired ? section : key)
      ]
    })
}

/** What tells a kind of section apart: `"hook"`. */
function nameOf({ properties }: TSchema): string {
  return JSON.stringify(Object.values<TSchema>(properties).find(part => 'const' in part)?.const)
}

/** Settings that all kinds have in the same way stand there once. */
function mergeKinds(kinds: { name: string; rows: Row[] }[]): Row[] {
  const all = kinds.flatMap(({ name, rows }) => rows.map(row => ({ name, row })))
  return Array.from(Map.groupBy(all, ({ row }) => JSON.stringify(row)).values(), same => {
    const [row] = same.map(({ row }) => row) as [Row]
    return same.length === kinds.length ? row : { ...row, kinds: same.map(({ name }) => name).join(', ') }
  })
}
