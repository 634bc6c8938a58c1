// What documents point at exists: links with their anchors, files, npm scripts. And config/README.md lists what the log
// says, for operators.
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t from 'tap'
import { problems } from '../src/errors.ts'
import { ROOT } from './node-process.ts'

const read = (name: string) => readFileSync(join(ROOT, name), 'utf8')

const DOCUMENTS = globSync(['*.md', '{config,src,test,views}/**/*.md'], { cwd: ROOT })

const FILES = globSync('{config,src,test,views}/**/*.{ts,eta,css,cjs}', { cwd: ROOT })

/** What a document says outside of its blocks of code. */
const proseOf = (name: string) => read(name).replace(/^( *)```.*?^\1```/gms, '')

/** The anchors of a document, as GitHub makes them of its headings. */
const anchorsOf = (name: string) =>
  Array.from(proseOf(name).matchAll(/^#+ (.*)/gm), ([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\- ]/gu, '')
      .replaceAll(' ', '-')
  )

t.test('every link in a document leads to a file, and to a heading of it', async t => {
  t.ok(DOCUMENTS.length > 20)
  for (const name of DOCUMENTS) {
    const links = proseOf(name).matchAll(/(?:\]\(|^\[[^\]]+\]: |src=")([^)"\s]+)/gm)
    for (const [, link = ''] of links) {
      if (/^[a-z]+:/.test(link)) continue
      const [path = '', anchor] = link.split('#')
      const target = path ? join(dirname(name), path) : name
      if (!existsSync(join(ROOT, target))) t.fail(`${name}: ${link}`)
      else if (anchor !== undefined && !anchorsOf(target).includes(anchor)) t.fail(`${name}: ${link}`)
    }
  }
})

t.test('every path and npm script that a document names exists', async t => {
  const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> }
  for (const name of DOCUMENTS) {
    const prose = proseOf(name)
    for (const [, path = ''] of prose.matchAll(/`((?:src|test|config|views)\/[^\s`]*)`/g)) {
      if (globSync(path, { cwd: ROOT }).length === 0) t.fail(`${name}: ${path}`)
    }
    for (const [, path = ''] of prose.matchAll(/`((?:[\w-]+\/)*[\w-]+\.(?:ts|eta|css|cjs))`/g)) {
      if (!FILES.some(file => `/${file}`.endsWith(`/${path}`))) t.fail(`${name}: ${path}`)
    }
    for (const [, script = ''] of prose.matchAll(/`[^`]*npm run (?:-s )?([\w:-]+)/g)) {
      if (!scripts[script]) t.fail(`${name}: npm run ${script}`)
    }
  }
})

t.test('every warning and error in the log is in its table, and nothing else is', async t => {
  const [, section = ''] = /^## The log\n(.*?)^## /ms.exec(read('config/README.md')) ?? []
  const listed = Array.from(section.matchAll(/^\| (info|warn|error|fatal) `([^`]*)` \|/gm), ([, level, message]) =>
    [level, message].join(' ')
  )
  t.ok(listed.length > 10)
  const logged = globSync('src/**/*.ts', { cwd: ROOT })
    .map(read)
    .flatMap(text => [
      ...text.matchAll(
        /\b(?:log(?:ger)?\.|(?=warn\())(info|warn|error|fatal)\([^'`)]*(?:\([^)]*\)[^'`)]*)*(['`])(.*?)\2/g
      )
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
