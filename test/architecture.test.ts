// The rules of who may import whom, read from the imports themselves. They keep an option ignorant of what follows it,
// and the middle free of frameworks and databases.
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import t from 'tap'

const ROOT = resolve(import.meta.dirname, '..')
const SRC = join(ROOT, 'src')

/** Every source file with what it imports: files as paths below src, packages by name. */
const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .filter(name => name.endsWith('.ts'))
  .map(name => {
    const text = readFileSync(join(SRC, name), 'utf8')
    const imports = [...text.matchAll(/(?:from|import|import\()\s*'([^']+)'/g)].map(([, specifier = '']) =>
      specifier.startsWith('.') ? relative(SRC, resolve(dirname(join(SRC, name)), specifier)) : specifier
    )
    return { name, text, imports }
  })

type Rule = { who: RegExp; mayNot: RegExp; why: string }

const OPTION_FOLDER = /^transfer\/[^/]+\//

const rules: Rule[] = [
  {
    who: /^transfer\//,
    mayNot: /^(store|catalogue|checkout|orders|config)\/|^(app|merchant|server|refuse|unrouted)\.ts$|^node:sqlite$/,
    why: 'an option knows the cart, errors and money, and not what follows it'
  },
  {
    who: /^(cart|catalogue|orders|reconcile)\//,
    mayNot: /^fastify$|^@fastify\/|^eta$|^node:sqlite$|^pg$|^store\/(?!(store|platform-list)\.ts$)/,
    why: 'cart, catalogue, orders and reconcile know neither Fastify nor SQL'
  },
  { who: /^cart\//, mayNot: /^(transfer|catalogue|checkout|store|config)\//, why: 'the cart knows nobody' },
  {
    who: /^(checkout|orders|merchant\.ts|app\.ts)/,
    mayNot: /^store\/(?!store\.ts$)|^node:sqlite$/,
    why: "checkout and orders know the store's interface, never a driver"
  },
  {
    who: /^(platform|conformance)\//,
    mayNot:
      /^(store|checkout|orders|reconcile|webhook)\/|^(app|merchant|server|refuse|unrouted)\.ts$|^fastify$|^@fastify\//,
    why: 'who plays the other side knows nothing of how ours is made'
  },
  { who: /^(?!store\/)/, mayNot: /^node:sqlite$/, why: 'SQL is spoken in store/ alone' },
  {
    who: /^store\//,
    mayNot: /^fastify$|^@fastify\/|^(checkout|transfer|catalogue|config)\//,
    why: 'the store knows no web'
  },
  {
    who: /^(platform|simulator)\//,
    mayNot: /^(store|checkout|orders|webhook|reconcile)\/|^(app|merchant)\.ts$|^transfer\/[^/]+\/|^node:sqlite$/,
    why: 'platform and app know a merchant from outside, over HTTP'
  },
  {
    who: /^(?!server\.ts$|cli\/)/,
    mayNot: /^(server\.ts$|cli\/)|^store\/sqlite\.ts$/,
    why: 'only server.ts and cli/ open things'
  }
]

t.test('who may import whom', async t => {
  t.ok(files.length > 30, 'the sources were found')
  for (const { who, mayNot, why } of rules) {
    const concerned = files.filter(({ name }) => who.test(name))
    const broken = concerned.flatMap(({ name, imports }) =>
      imports.filter(imported => mayNot.test(imported)).map(imported => `${name} imports ${imported}`)
    )
    t.strictSame(broken, [], why)
  }
})

t.test('no option knows another, and only the list names them', async t => {
  const folderOf = (name: string) => OPTION_FOLDER.exec(name)?.[0]
  const broken = files.flatMap(({ name, imports }) =>
    imports
      .filter(imported => folderOf(imported) && folderOf(imported) !== folderOf(name) && name !== 'transfer/index.ts')
      .map(imported => `${name} imports ${imported}`)
  )
  t.strictSame(broken, [])
  const listed = files
    .find(({ name }) => name === 'transfer/index.ts')
    ?.imports.map(folderOf)
    .filter(Boolean)
  const folders = new Set(files.map(({ name }) => folderOf(name)).filter(Boolean))
  t.strictSame(new Set(listed), folders, 'every option has its line in the list')
})

t.test('the environment is read in one place', async t => {
  const readers = files.filter(({ text }) => /process\.env/.test(text)).map(({ name }) => name)
  t.strictSame(readers, ['config/environment.ts'])
})

t.test('no default export, no file that is a bag of things', async t => {
  t.strictSame(
    files.filter(({ text }) => /^export default/m.test(text)),
    []
  )
  t.strictSame(
    files.filter(({ name }) => /(^|\/)(utils?|helpers?|common|types)\.ts$/.test(name)),
    []
  )
})

t.test('the top level holds what the owner fixed and nothing else', async t => {
  const allowed =
    /^(\..*|src|views|test|config|package(-lock)?\.json|tsconfig\.json|README\.md|LICENSE|node_modules|data)$/
  t.strictSame(
    readdirSync(ROOT).filter(name => !allowed.test(name)),
    []
  )
})
