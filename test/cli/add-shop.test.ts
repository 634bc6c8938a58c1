// `npm run add-shop`: what it asks, what it writes, and that it writes nothing that could not be started.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { addShop, exampleFeed } from '../../src/cli/add-shop.ts'
import { transferOptions } from '../../src/transfer/index.ts'
import { listen } from '../listen.ts'
import { runHere } from './run-here.ts'

/** Runs the command in an empty folder, where these answers are typed. */
function setUp(t: Test, answers: string[] = []) {
  const folder = t.testdir({})
  const run = (...args: string[]) => runHere(addShop, args, { INIT_CWD: folder }, answers)
  const read = (name: string) => JSON.parse(readFileSync(join(folder, name), 'utf8'))
  return { folder, run, read, files: () => readdirSync(folder, { recursive: true }).sort() }
}

const FLAGS = '--name Bee --locale de-DE --option 2a --public-url https://b.example/app --continue-url bee://go'.split(
  ' '
)

t.test('what no flag gives is asked for, with a proposal that an empty answer takes', async t => {
  const { run, read, folder } = setUp(t, ['', '', ' usd, jpy ', '', '2b', '', ''])
  const options = transferOptions.map(({ name, title }) => `${name} (${title})`).join(', ')
  const asked = [
    'Name that shoppers see [Acme]: ',
    'Product feed [shops/acme.tsv, with two example products]: ',
    'Currencies that it sells in, with commas between them [GBP]: ',
    'Language and country, which also decide how prices are written [en-GB]: ',
    `How bags arrive: ${options} [1]: `,
    'Address under which the app reaches the shop, or only a path, to try it on this machine [/acme]: ',
    'Address that leads back to the app [acme://continue]: '
  ]
  const written = 'Written: shops/acme.json, shops/acme.tsv\n\nnpm start -- shops/acme.json\n'
  t.strictSame(await run('shops/acme.json'), { code: 0, stdout: asked.join('') + written, stderr: '' })
  const { $schema, ...settings } = read('shops/acme.json')
  t.strictSame(settings, {
    id: 'acme',
    name: 'Acme',
    publicUrl: '/acme',
    locale: 'en-GB',
    currencies: ['USD', 'JPY'],
    transfer: { option: '2B', path: '/cart' },
    catalogue: { feed: 'acme.tsv' },
    checkout: { path: '/checkout', continueShoppingUrl: 'acme://continue' }
  })
  t.match(JSON.parse(readFileSync(join(folder, 'shops', $schema), 'utf8')), { title: 'A merchant of cart-transfer' })
  const feed = readFileSync(join(folder, 'shops/acme.tsv'), 'utf8')
  t.match(feed, '\t12.50 USD\n')
  t.match(feed, '\t1250 JPY\n')
})

t.test('a feed beside the file is proposed as it is, and the id is what of the name may be in one', async t => {
  const { run, read, folder } = setUp(t, [''])
  writeFileSync(join(folder, 'My Bee.tsv'), exampleFeed(['EUR']))
  t.equal(
    (await run('My Bee.json', ...FLAGS, '--currencies', 'EUR')).stdout,
    "Product feed [My Bee.tsv]: Written: My Bee.json\n\nnpm start -- 'My Bee.json'\n"
  )
  t.match(read('My Bee.json'), { id: 'my-bee', catalogue: { feed: 'My Bee.tsv' } })
})

t.test('what could not be started is not written, and the command to correct is printed', async t => {
  const { run, folder, files } = setUp(t)
  const again = (feed: string, currencies: string) =>
    `Nothing was written. To try again:\nnpm run add-shop -- bee.json --name 'B & b' --feed ${feed} --currencies ` +
    `${currencies} --locale de-DE --option 2a --public-url https://b.example/app --continue-url bee://go`
  const wrong = async (feed: string, currencies: string) => {
    const flags = [...FLAGS.with(1, 'B & b'), '--feed', feed, '--currencies', currencies]
    const { code, stderr } = await run('bee.json', ...flags)
    t.equal(code, 1)
    return stderr
  }

  const file = join(folder, 'bee.json')
  t.equal(
    await wrong('bee.tsv', 'pounds'),
    `${file}:8: currencies[0]: it is "POUNDS"; give an ISO 4217 code such as "GBP"\n\n${again('bee.tsv', 'pounds')}\n`
  )
  t.strictSame(files(), [])
  const noFeed = await wrong('none.tsv', 'EUR')
  t.match(noFeed, join(folder, 'none.tsv'))
  t.match(noFeed, again('none.tsv', 'EUR'))
  writeFileSync(join(folder, 'bee.tsv'), exampleFeed(['EUR', 'JPY']))
  t.equal(
    await wrong('bee.tsv', 'GBP,USD'),
    `${join(folder, 'bee.tsv')}: its prices are in EUR, JPY; give --currencies as it has them\n\n` +
      `${again('bee.tsv', 'GBP,USD')}\n`
  )
  t.strictSame(files(), ['bee.tsv'], 'a feed that was there stays')
})

t.test('with all flags nothing is asked; a feed may be an address, which is tried and written as it is', async t => {
  const { run, read, files } = setUp(t)
  const { origin } = await listen(t, (_request, reply) => void reply.end(exampleFeed(['EUR'])))
  const feed = `${origin}/feed.tsv`
  t.match(await run('bee.json', ...FLAGS, '--feed', feed, '--currencies', 'EUR'), { stdout: 'Written: bee.json\n' })
  t.match(read('bee.json'), {
    ...{ name: 'Bee', publicUrl: 'https://b.example/app', locale: 'de-DE', transfer: { option: '2A' } },
    ...{ catalogue: { feed }, checkout: { continueShoppingUrl: 'bee://go' } }
  })
  t.strictSame(files(), ['bee.json'])
})

t.test('what the shop will lack of its feed is said at once', async t => {
  const { run, folder } = setUp(t)
  const bad = ['A\tT\tfree\t1 EUR', 'B\tT\tin_stock\t1.001 EUR']
  writeFileSync(join(folder, 'bee.tsv'), `${exampleFeed(['EUR'])}${bad.join('\n')}\n`)
  t.equal(
    (await run('bee.json', ...FLAGS, '--feed', 'bee.tsv', '--currencies', 'EUR,JPY')).stdout,
    'Written: bee.json\nNo product has a price in JPY: each bag in it is refused.\n' +
      '2 problems in the feed: the log names the products when you start it.\n\nnpm start -- bee.json\n'
  )
})

t.test('no file is overwritten, and every argument is checked before anything is asked', async t => {
  const { run, files, folder } = setUp(t)
  writeFileSync(join(folder, 'a.json'), '{}')
  const refused = async (args: string[], code: number, stderr: string) =>
    t.match(await run(...args), { code, stdout: '', stderr })
  await refused(['a.json'], 1, 'a.json is there already; give a file that is not')
  await refused(['shops'], 2, 'shops: give a merchant file the ending .json')
  await refused([], 2, 'give one merchant file')
  t.match(await run('b.json'), { code: 2, stderr: 'the input ended before "Name that shoppers see"; give --name' })
  t.strictSame(files(), ['a.json'])
})

t.test('the example feed is that of config/minimal.json', async t => {
  t.equal(exampleFeed(['GBP']), readFileSync(join(import.meta.dirname, '../../config/minimal.tsv'), 'utf8'))
})
