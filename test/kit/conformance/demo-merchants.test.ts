// The three demo merchants pass every check, with every kind of report: the command itself, on a real server.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { ROOT } from '../../node-process.ts'
import { startServer } from '../../server-process.ts'
import { runConform } from './run-conform.ts'

t.test('the demo merchants pass every check, with every kind of report', async t => {
  const folder = t.testdir({})
  const { origin } = await startServer(t, { folder })
  for (const [name, count] of [
    ['harbour', 40],
    ['werft', 31],
    ['kissa', 30]
  ]) {
    const profile = readFileSync(join(ROOT, `config/${name}/conform.json`), 'utf8')
    writeFileSync(join(folder, `${name}.json`), profile.replace('http://127.0.0.1:3000', origin))
    const files = ['junit', 'json', 'html'].flatMap(kind => [`--${kind}`, `${name}.${kind}`])
    const { code, stdout, stderr } = await runConform({
      folder,
      args: [`${name}.json`, ...files],
      coverage: name === 'harbour'
    })
    t.equal(code, 0, `${name}: ${stderr}`)
    t.match(stdout, `\n${count} passed, 0 failed, 0 not judged\n`)
    const written = (kind: string) => readFileSync(join(folder, `${name}.${kind}`), 'utf8')
    t.match(JSON.parse(written('json')), { exitCode: 0, counts: { passed: count } })
    t.match(written('junit'), `tests="${count}" failures="0" skipped="0"`)
    t.match(
      written('html'),
      /Conforms to the contract[\s\S]*Follows good practice[\s\S]*src="data:image\/jpeg;base64,\/9j\//
    )
    t.ok(written('html').length < 1_000_000, 'small enough to send')
  }
})
