// Keeps src/ASVS.md honest: no requirement is missing or made up, every row has a test or a reason, and what a row names
// exists. Likewise for the log lines that config/README.md lists for operators.
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { problems } from '../src/errors.ts'

const ROOT = join(import.meta.dirname, '..')
const read = (name: string) => readFileSync(join(ROOT, name), 'utf8')

/** The requirements of ASVS 5.0.0 by section: those of level 1, then those of level 2. */
const REQUIREMENTS = `
  1.1: | 1 2
  1.2: 1 2 3 4 5 | 6 7 8 9
  1.3: 1 2 | 3 4 5 6 7 8 9 10 11
  1.4: | 1 2 3
  1.5: 1 | 2
  2.1: 1 | 2 3
  2.2: 1 2 | 3
  2.3: 1 | 2 3 4
  2.4: | 1
  3.2: 1 2 |
  3.3: 1 | 2 3 4
  3.4: 1 2 | 3 4 5 6
  3.5: 1 2 3 | 4 5
  3.7: | 1 2
  4.1: 1 | 2 3
  4.2: | 1
  4.3: | 1 2
  4.4: 1 | 2 3 4
  5.1: | 1
  5.2: 1 2 | 3
  5.3: 1 2 |
  5.4: | 1 2 3
  6.1: 1 | 2 3
  6.2: 1 2 3 4 5 6 7 8 | 9 10 11 12
  6.3: 1 2 | 3 4
  6.4: 1 2 | 3 4
  6.5: | 1 2 3 4 5
  6.6: | 1 2 3
  6.8: | 1 2 3 4
  7.1: | 1 2 3
  7.2: 1 2 3 4 |
  7.3: | 1 2
  7.4: 1 2 | 3 4 5
  7.5: | 1 2
  7.6: | 1 2
  8.1: 1 | 2
  8.2: 1 2 | 3
  8.3: 1 |
  8.4: | 1
  9.1: 1 2 3 |
  9.2: 1 | 2 3 4
  10.1: | 1 2
  10.2: | 1 2
  10.3: | 1 2 3 4
  10.4: 1 2 3 4 5 | 6 7 8 9 10 11
  10.5: | 1 2 3 4 5
  10.6: | 1 2
  10.7: | 1 2 3
  11.1: | 1 2
  11.2: | 1 2 3
  11.3: 1 2 | 3
  11.4: 1 | 2 3 4
  11.5: | 1
  11.6: | 1
  12.1: 1 | 2 3
  12.2: 1 2 |
  12.3: | 1 2 3 4
  13.1: | 1
  13.2: | 1 2 3 4 5
  13.3: | 1 2
  13.4: 1 | 2 3 4 5
  14.1: | 1 2
  14.2: 1 | 2 3 4
  14.3: 1 | 2 3
  15.1: 1 | 2 3
  15.2: 1 | 2 3
  15.3: 1 | 2 3 4 5 6 7
  16.1: | 1
  16.2: | 1 2 3 4 5
  16.3: | 1 2 3 4
  16.4: | 1 2 3
  16.5: | 1 2 3
  17.1: | 1
  17.2: | 1 2 3 4
  17.3: | 1 2
`

/** Requirement identifiers without version, each with its level. */
const levels = new Map<string, string>(
  REQUIREMENTS.trim()
    .split('\n')
    .flatMap(line => {
      const [, section = '', first = '', second = ''] = /^\s*([\d.]+): ?([\d ]*)\| ?([\d ]*)$/.exec(line) ?? []
      const of = (numbers: string, level: string) =>
        (numbers.match(/\d+/g) ?? []).map(number => [`${section}.${number}`, level] as const)
      return [...of(first, '1'), ...of(second, '2')]
    })
)

const document = read('src/ASVS.md')

/** The rows of the tables of requirements, as their cells. */
const rows = document
  .split('\n')
  .filter(line => line.startsWith('| v'))
  .map(line => line.replace(/^\| | \|$/g, '').split(/ *\| */) as [string, ...string[]])

type Row = (typeof rows)[number]

const VERSION = 'v5.0.0-'
const numberOf = ([id]: Row) => id.replace(VERSION, '')
const isGroup = (row: Row) => numberOf(row).split('.').length < 3

t.test('every requirement of levels 1 and 2 has one row, by itself or with its section or chapter', async t => {
  t.equal(levels.size, 253)
  for (const row of rows) t.match(row[0], /^v5\.0\.0-\d+(\.\d+){0,2}$/)
  const numbers = rows.map(numberOf)
  t.strictSame(
    numbers.filter((number, i) => numbers.indexOf(number) !== i),
    [],
    'no row is there twice'
  )
  const ids = [...levels.keys()]
  for (const id of ids) {
    const covering = numbers.filter(number => id === number || id.startsWith(`${number}.`))
    if (covering.length !== 1) t.fail(`${id} is in ${covering.length} rows`)
  }
  t.strictSame(
    rows.filter(isGroup).filter(row => !ids.some(id => id.startsWith(`${numberOf(row)}.`))),
    [],
    'each section and chapter has a requirement'
  )
  const singles = rows.filter(row => !isGroup(row))
  t.strictSame(
    singles.map(row => [numberOf(row), row[1]]),
    singles.map(row => [numberOf(row), levels.get(numberOf(row))]),
    'each requirement exists and has its level'
  )
})

t.test('every row says how it is met, and has a test or a reason', async t => {
  for (const row of rows) {
    t.equal(row.length, 5, row[0])
    for (const cell of row.slice(2)) t.match(cell, /\w/, row[0])
    if (isGroup(row)) t.equal(row[3], 'does not apply', row[0])
  }
})

/** The titles of the tests in a file, without what a title repeated for several subjects begins with: `${name}: …`. */
const titlesIn = (name: string) =>
  Array.from(read(name).matchAll(/\.test\(\s*(['"`])(.*?)\1/gs), ([, , title = '']) =>
    title.replace(/^[\w ]*\$\{[^}]*\}: /, '')
  )

t.test('every file and test that the document names exists', async t => {
  const named = Array.from(document.matchAll(/`((?:src|test|config|views)\/[^`]*)`/g), ([, name = '']) => name)
  t.ok(named.length > 100)
  t.strictSame(
    [...new Set(named)].filter(name => !existsSync(join(ROOT, name))),
    []
  )
  const quoted = rows.flatMap(row =>
    Array.from(String(row[4]).matchAll(/`(test\/[^`]*)` “(.*?)”/g), ([, name = '', title = '']) => ({
      name,
      title: title.replaceAll('&lt;', '<')
    }))
  )
  t.ok(quoted.length > 80)
  const missing = quoted.filter(({ name, title }) => !existsSync(join(ROOT, name)) || !titlesIn(name).includes(title))
  t.strictSame(missing, [])
})

t.test('every package comes from the registry, with its content fixed', async t => {
  const { packages } = JSON.parse(read('package-lock.json')) as {
    packages: Record<string, { integrity?: string; resolved?: string; link?: boolean }>
  }
  const installed = Object.entries(packages).filter(([name]) => name !== '')
  t.ok(installed.length > 100)
  const isFixed = ({ integrity, resolved = 'https://', link }: (typeof packages)[string]) =>
    !link && integrity?.startsWith('sha512-') && resolved.startsWith('https://')
  t.strictSame(
    installed.filter(([, entry]) => !isFixed(entry)).map(([name]) => name),
    []
  )
})

t.test('every warning and error in the log is in its table, and nothing else is', async t => {
  const [, section = ''] = /^## The log\n(.*?)^## /ms.exec(read('config/README.md')) ?? []
  const listed = Array.from(section.matchAll(/^\| (info|warn|error|fatal) \| `([^`]*)` \|/gm), ([, level, message]) =>
    [level, message].join(' ')
  )
  t.ok(listed.length > 10)
  const logged = globSync('src/**/*.ts', { cwd: ROOT })
    .map(read)
    .flatMap(text => [
      ...text.matchAll(/\blog(?:ger)?\.(info|warn|error|fatal)\([^'`)]*(?:\([^)]*\)[^'`)]*)*(['`])(.*?)\2/g)
    ])
    .map(([, level, , message]) => [level, message].join(' '))
  for (const text of globSync('src/**/*.ts', { cwd: ROOT }).map(read)) {
    for (const [, message, cause] of text.matchAll(/\.logSharedFailure\('(.*?)'(,?)/g)) {
      logged.push(`${cause ? 'error' : 'warn'} ${message}`)
    }
  }
  for (const code of [
    'store-unavailable',
    'order-not-placed',
    'order-uncertain',
    'overloaded',
    'too-many-requests'
  ] as const) {
    t.ok(section.includes(`\`${problems[code].title}\` (\`${code}\`)`), `the title of ${code} is there to search for`)
  }
  const urgent = (lines: string[]) => [...new Set(lines.filter(line => !line.startsWith('info ')))].sort()
  t.strictSame(urgent(listed), urgent(logged))
  t.strictSame(
    listed.filter(line => line.startsWith('info ') && !logged.includes(line)),
    []
  )
})
