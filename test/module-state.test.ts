// No module of src/ keeps anything from one call to the next: what one shopper leaves there, another may see. It is looked for in
// the text, as biome formats it.
import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import t from 'tap'

const SRC = join(import.meta.dirname, '../src')

const files = globSync('**/*.ts', { cwd: SRC }).map(name => ({ name, text: readFileSync(join(SRC, name), 'utf8') }))

/** What a module declares at its top level, where biome begins each at the start of a line, and as what. */
const DECLARED =
  /^(?:export )?(const|let|var|(?:async )?function\*?|(?:abstract )?class) (\w+|\{.*?\}|\[.*?\])(?:(?:: .*?)? = (.*))?/gm
/** Can be nothing but a place for what comes later. */
const EMPTY = /^(?:\[\]|\{\}|new \w+(?:<.*>)?(?:\(\))?$)/
const NEW = /^new (?!(?:Map|Set|RegExp|Date|TextDecoder|Intl\.\w+)\b)/
/** A function whose result may keep something, as all may but these. */
const CALL = /^(?!(?:fp|join|integerOf|listed|checkGroup|objectOf|maxBody|createRequire)\b)[a-z]\w*(?:<.*>)?\(/

const PATH = String.raw`(?:[?!]?\.\w+|[?!]?(?:\?\.)?\[[^\]\n]*\])`
const ASSIGNED = String.raw` (?:[-+*/%&|^]|\*\*|&&|\|\||\?\?|<<|>>>?)?= `
/** How something is written to what a name, in the group, stands for. */
const WRITES = [
  String.raw`(?<![\w$.])(\w+)${PATH}*[?!]?\.(?:set|add|delete|clear|push|pop|shift|unshift|splice|sort|reverse|fill)\(`,
  // After a colon is a type.
  String.raw`(?<![\w$.]|: )(\w+)${PATH}+(?:${ASSIGNED}|\+\+|--)`,
  String.raw`(?:\bdelete |\+\+|--)(\w+)${PATH}`,
  String.raw`\bObject\.(?:assign|define\w+|setPrototypeOf)\((\w+)`
].map(pattern => new RegExp(pattern, 'g'))

/**
 * What keeps something from one call to the next in a module. Not seen: what is written under another name, by a function that
 * it is passed to, or under a name that the file uses for a local variable too.
 */
function keptIn(text: string): string[] {
  const code = text.replace(/^\s*(?:\/\/|\*|\/\*).*$/gm, '')
  const declared = Array.from(code.matchAll(DECLARED), ([line, kind = '', name = '', value = '']) => ({
    ...{ line, name },
    keeps: /let|var/.test(kind) || [EMPTY, NEW, CALL].some(pattern => pattern.test(value))
  }))
  const imports = code.matchAll(/^import (?!type )\{([^}]*)\} from '\./gm)
  const imported = Array.from(imports, ([, names = '']) =>
    names.split(',').map(name => name.replace(/.* as /, '').trim())
  )
  const isLocal = (name: string) => new RegExp(`^ +(?:const|let) ${name}\\b`, 'm').test(code)
  const names = [...declared.map(({ name }) => name), ...imported.flat()]
  const shared = new Set(names.filter(name => !isLocal(name)))
  const written = WRITES.flatMap(pattern => [...code.matchAll(pattern)]).filter(([, name = '']) => shared.has(name))
  const called = code.match(/^\}\)\(.*\)$/gm) ?? []
  return [
    ...declared.filter(({ keeps }) => keeps).map(({ line }) => line),
    ...written.map(([found]) => found),
    ...called
  ]
}

t.test('no module keeps anything: nothing at its top level is written to', async t => {
  // A command is run, and nothing imports it.
  const isImported = (name: string) => files.some(({ text }) => text.includes(`/${basename(name)}'`))
  const modules = files.filter(({ name }) => !name.startsWith('cli/') || isImported(name))
  t.ok(modules.length > 100, 'the sources were found')
  t.strictSame(
    modules.flatMap(({ name, text }) => keptIn(text).map(found => `${name}: ${found}`)),
    []
  )
})

t.test('the search for what a module keeps finds it', async t => {
  const kept = [
    'let last = 0',
    'export let last: string | undefined',
    'const seen = new Map<string, Page>()',
    'const pages = new WeakMap<Merchant, Page>()',
    'const cache = new LRUCache({ max: 10 })',
    'const current = new AsyncLocalStorage<Shop>()',
    'const list: string[] = []',
    'const state = {}',
    'const next = counter()',
    'const next = memoize((name: string) => name)',
    'const next = (() => {\n  let n = 0\n  return () => n\n})()',
    'const seen = new Map([[1, 2]])\nfunction see() {\n  seen.set(1, 3)\n}',
    'const seen: Set<string> = new Set(["a"])\nconst see = () => seen.add("b")',
    "const LIST = ['a']\nfunction see() {\n  LIST.push('b')\n}",
    'const state = { note: "" }\nfunction see() {\n  state.note = "b"\n}',
    'const state = { later: false }\nconst see = (is: boolean) => (state.later ||= is)',
    'const state = { counts: [0] }\nfunction see() {\n  state.counts[0]++\n}',
    'const state = { note: "" }\nfunction see() {\n  Object.assign(state, { note: "b" })\n}',
    'function see() {\n  see.note = "b"\n}',
    "import { LIST } from './list.ts'\nfunction see() {\n  LIST[0] = 'b'\n}"
  ]
  for (const text of kept) t.not(keptIn(text).length, 0, text)
  const fine = [
    "const LIST = ['a']\nfunction see(list: string[] = LIST) {\n  const state = { note: '' }\n  state.note = list.join()\n}",
    'const see = (seen = new Set<string>()) => seen.add("a")',
    'function open() {\n  const seen = new Map()\n  let last = 0\n  return () => seen.set(last++, 1)\n}'
  ]
  for (const text of fine) t.strictSame(keptIn(text), [], text)
})
