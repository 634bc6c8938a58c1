// The demo merchants pass every check, on a real server: one of them by the command itself, with every kind of report.
// Bags lead into the own shop of one of them by the other options too. In `npm test` each option is tried at one merchant, nightly at each.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { conform } from '../../../src/cli/conform.ts'
import { usesUrl } from '../../../src/kit/conformance/check.ts'
import { openDemoShop } from '../../../src/kit/demo/demo-shop.ts'
import { transferOptions } from '../../../src/transfer/index.ts'
import { sharedViews } from '../../browser/shared-views.ts'
import { webViewOptions } from '../../browser/views.ts'
import { build } from '../../build.ts'
import { runHere } from '../../cli/run-here.ts'
import { inTurn, nightly } from '../../nightly.ts'
import { ROOT } from '../../node-process.ts'
import { startServer } from '../../server-process.ts'
import { idsOf, runWith } from './kit.ts'

t.test('the demo merchants pass every check, and there is every kind of report', async t => {
  const folder = t.testdir({})
  const { origin } = await startServer(t, { folder })
  const profileOf = (name: string, file = 'conform') =>
    readFileSync(join(ROOT, `config/${name}/${file}.json`), 'utf8').replace('http://127.0.0.1:3000', origin)

  writeFileSync(join(folder, 'harbour.json'), profileOf('harbour'))
  const files = ['junit', 'json', 'html'].flatMap(kind => [`--${kind}`, `report.${kind}`])
  const args = ['harbour.json', '--strict', ...files]
  const { code, stdout, stderr } = await runHere(conform, args, { ...process.env, INIT_CWD: folder })
  t.equal(code, 0, stderr)
  t.match(stdout, '\n44 passed, 0 failed, 0 not judged, 0 skipped\n')
  const written = (kind: string) => readFileSync(join(folder, `report.${kind}`), 'utf8')
  t.match(JSON.parse(written('json')), { exitCode: 0, counts: { passed: 44 } })
  t.match(written('junit'), 'tests="44" failures="0" skipped="0"')
  t.match(
    written('html'),
    /Conforms to the contract[\s\S]*Follows good practice[\s\S]*src="data:image\/jpeg;base64,\/9j\//
  )
  t.ok(written('html').length < 1_000_000, 'small enough to send')

  for (const [name, count, file = 'conform'] of [
    ['werft', 38],
    ['harbour', 31, 'conform-meta'],
    ['harbour', 30, 'conform-permalink'],
    ['harbour', 22, 'conform-ucp'],
    // Its option is that of the bags that lead to a shop of their own, below.
    ...nightly([['kissa', 33] as const])
  ] as const) {
    await t.test(`${name} ${file}`, async t => {
      const results = await runWith(t, JSON.parse(profileOf(name, file)), sharedViews())
      t.strictSame([idsOf(results, 'passed').length, results.length], [count, count])
    })
  }
})

t.test('every option leads into a shop of its own, whose page passes every check', async t => {
  const shop = await openDemoShop({ port: 0, ownOrigin: () => 'http://127.0.0.1:1', clock: () => new Date() })
  t.teardown(shop.close)
  const read = (file: string) => readFileSync(join(ROOT, 'config', file), 'utf8')
  const orchard = JSON.parse(read('orchard.json'))
  const { destination, ...checkout } = orchard.checkout
  const { app } = await build(t, {
    merchants: transferOptions.map(({ name }) => ({
      ...orchard,
      id: `by-${name.toLowerCase()}`,
      publicUrl: `/by-${name.toLowerCase()}`,
      transfer: { option: name, path: '/cart' },
      catalogue: { feed: 'feed.tsv' },
      checkout: { ...checkout, destination: { ...destination, url: `${shop.origin}/app-cart` } }
    })),
    feed: read('orchard/feed.tsv'),
    variables: shop.variables,
    isNow: true
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  const profile = JSON.parse(read('orchard/conform.json'))
  for (const option of inTurn(webViewOptions, 2)) {
    const { name } = option
    await t.test(`option ${name}`, async t => {
      const url = `${app.listeningOrigin}/by-${name.toLowerCase()}/cart`
      const results = await runWith(
        t,
        { ...profile, option: name, url, ...(usesUrl(option) && { bigBag: 200 }) },
        sharedViews()
      )
      t.strictSame(
        results.filter(({ verdict }) => verdict !== 'passed'),
        []
      )
    })
  }
})
