// What the npm scripts do first: a Node that is too old is told so in one sentence, instead of failing at the first line
// of TypeScript, and `.env` is read. And what an installation for production brings.
import { copyFileSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { ROOT, runNode } from './node-process.ts'

type Lock = { packages: Record<string, { dev?: boolean }> }

/** Runs a program that no Node can read, with the check before it, in a project that needs this version. */
async function runWhereNeeded(version: string) {
  const folder = t.testdir({
    'package.json': JSON.stringify({ type: 'module', engines: { node: `>=${version}` } }),
    src: { 'server.ts': 'neither JavaScript nor TypeScript' }
  })
  for (const file of ['src/check-node.cjs', 'src/fast-imports.cjs']) copyFileSync(join(ROOT, file), join(folder, file))
  return runNode(['-r', './src/check-node.cjs', 'src/server.ts'], { cwd: folder })
}

const [major = 0, minor = 0, patch = 0] = process.versions.node.split('.').map(Number)

t.test('a Node that is too old ends with 1 and one sentence, before it reads anything else', async t => {
  for (const needed of [`${major}.${minor}.${patch + 1}`, `${major}.${minor + 1}.0`, `${major + 1}.0.0`]) {
    t.strictSame(await runWhereNeeded(needed), {
      code: 1,
      stdout: '',
      stderr:
        `cart-transfer needs Node ${needed} or newer, and ${process.execPath} is ${process.versions.node}: ` +
        'install a newer one. (For development, "npm ci" brings one along; "npm ci --omit=dev" does not.)\n'
    })
  }
})

t.test('the version itself and whatever is newer are let through', async t => {
  for (const needed of [process.versions.node, `${major}.0.0`, '9.99.99']) {
    t.match(await runWhereNeeded(needed), { code: 1, stderr: /SyntaxError/ }, needed)
  }
})

t.test('modules beside each other are found at once, and as Node finds them', async t => {
  const cwd = t.testdir({
    'a.ts': `import { b } from './b/b.mjs'\nexport const a: string = 'a' + b`,
    b: { 'b.mjs': `export { c as b } from '../c%23d.mjs'` },
    'c#d.mjs': `export const c = 'c'`,
    'link.mjs': t.fixture('symlink', './b/b.mjs'),
    'earlier.cjs': `
      require('node:module').registerHooks({
        resolve(specifier, context, next) {
          if (specifier.startsWith('.')) console.log('asked for', specifier)
          return next(specifier, context)
        }
      })`,
    'main.mjs': `
      import { createRequire } from 'node:module'
      const require = createRequire(import.meta.url)
      console.log((await import('./a.ts')).a, require('./b/b.mjs') === (await import('./link.mjs')), require('./c#d.mjs').c)
      const failure = await import('./missing.ts').catch(error => error)
      console.log(failure.code, failure.message.includes('main.mjs'))`
  })
  const run = async (...checks: string[]) => {
    const { stdout } = await runNode(['-r', './earlier.cjs', ...checks, 'main.mjs'], { cwd })
    const lines = stdout.split('\n')
    const asked = lines.filter(line => /^asked for .*(ts|mjs)$/.test(line)).map(line => line.slice(10))
    return { asked, printed: lines.filter(line => !line.startsWith('asked')) }
  }
  const printed = ['ac true c', 'ERR_MODULE_NOT_FOUND true', '']
  t.strictSame(await run(), {
    asked: ['./a.ts', './b/b.mjs', '../c%23d.mjs', './b/b.mjs', './link.mjs', './c#d.mjs', './missing.ts'],
    printed
  })
  t.strictSame(await run('-r', join(ROOT, 'src/check-node.cjs')), {
    asked: ['../c%23d.mjs', './link.mjs', './c#d.mjs', './missing.ts'],
    printed
  })
})

const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { scripts: Record<string, string> }

t.test('every script that runs TypeScript checks first, and those for production read .env', async t => {
  const running = Object.entries(scripts).filter(([, script]) => /\bnode [^&]*(src|test)\/\S+\.ts(\s|$)/.test(script))
  for (const [name, script] of running) t.match(script, /\bnode -r \.\/src\/check-node\.cjs [^&]*\.ts/, name)
  const reading = running.filter(([, script]) => / -r \.\/src\/load-env\.cjs src\/\S+\.ts$/.test(script))
  t.strictSame(reading.map(([name]) => name).sort(), [
    'add-shop',
    'backup',
    'chromium',
    'conform',
    'migrate',
    'orders',
    'reconcile',
    'simulate',
    'start'
  ])
})

t.test('.env sets what is not set, and need not be there', async t => {
  const cwd = t.testdir({ '.env': '# A shop\nLOADED="from the file"\nSET=file\n' })
  const flags = ['-r', join(ROOT, 'src/load-env.cjs'), '-p', 'process.env.LOADED + ", " + process.env.SET']
  const env = { ...process.env, SET: 'before' }
  t.strictSame(await runNode(flags, { cwd, env }), { code: 0, stdout: 'from the file, before\n', stderr: '' })
  rmSync(join(cwd, '.env'))
  t.strictSame(await runNode(flags, { cwd, env }), { code: 0, stdout: 'undefined, before\n', stderr: '' })
  mkdirSync(join(cwd, '.env'))
  t.match(await runNode(flags, { cwd, env }), {
    code: 1,
    stdout: '',
    stderr: /^cart-transfer cannot read \.env: .*\n$/
  })
})

t.test('an installation for production has no tool of tests', async t => {
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as Lock
  const names = Object.keys(packages).filter(path => path !== '' && !packages[path]?.dev)
  const tools = /node_modules\/(@?tap(js)?|@biomejs|playwright.*|axe-core|express|ejs|fast-check|typescript|node)(\/|$)/
  t.ok(names.includes('node_modules/fastify'))
  t.strictSame(
    names.filter(path => tools.test(path)),
    []
  )
})
