// What the npm scripts do first: a Node that is too old is told so in one sentence, instead of failing at the first line
// of TypeScript. And what an installation for production brings.
import { copyFileSync, readFileSync } from 'node:fs'
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
  copyFileSync(join(ROOT, 'src/check-node.cjs'), join(folder, 'src/check-node.cjs'))
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

const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { scripts: Record<string, string> }

t.test('every script that runs TypeScript checks first', async t => {
  const running = Object.entries(scripts).filter(([, script]) => /\bnode [^&]*(src|test)\/\S+\.ts(\s|$)/.test(script))
  t.ok(running.length > 15)
  for (const [name, script] of running) t.match(script, /\bnode -r \.\/src\/check-node\.cjs [^&]*\.ts/, name)
})

t.test("the scripts are commands for any shell, Windows' too: no variables, no single quotes", async t => {
  for (const [name, script] of Object.entries(scripts)) t.notMatch(script, /(^|&& )(\w+=|exec )|'/, name)
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
