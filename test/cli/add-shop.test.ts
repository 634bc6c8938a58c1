// `npm run add-shop`: what it asks, what it writes, and that it writes nothing that could not be started.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { addShop } from '../../src/cli/add-shop.ts'
import { exampleFeed } from '../../src/cli/shop-files.ts'
import { isAny } from '../../src/errors.ts'
import { transferOptions } from '../../src/transfer/index.ts'
import { HOME, OTHER, openWooCommerce } from '../integrations/destination/woocommerce/woocommerce-shop.ts'
import { listen } from '../listen.ts'
import { runHere } from './run-here.ts'

/** Runs the command in an empty folder, where these answers are typed. */
function setUp(t: Test, answers: string[] = []) {
  const folder = t.testdir({})
  const run = (...args: string[]) => runHere(addShop, args, { INIT_CWD: folder }, answers)
  const read = (name: string) => JSON.parse(readFileSync(join(folder, name), 'utf8'))
  return { folder, run, read, files: () => readdirSync(folder, { recursive: true }).sort() }
}

const FLAGS =
  '--checkout page --name Bee --locale de-DE --option 2a --public-url https://b.example/app --continue-url bee://go'.split(
    ' '
  )

t.test('what no flag gives is asked for, with a proposal that an empty answer takes', async t => {
  const { run, read, folder } = setUp(t, ['', '', '', ' usd, jpy ', '', '2b', '', ''])
  const options = transferOptions.map(({ name, title }) => `${name} (${title})`).join(', ')
  const asked = [
    'Where shoppers check out: page (ours) or woocommerce (your shop) [page]: ',
    'Name that shoppers see [Acme]: ',
    'Product feed [shops/acme.tsv, with two example products]: ',
    'Currencies that it sells in, with commas between them [GBP]: ',
    'Language and country, which also decide how prices are written [en-GB]: ',
    `How bags arrive, with commas between several ways: ${options} [1]: `,
    'Address under which this server is reached, or only a path, to try it on this machine [/acme]: ',
    'Address that leads back to the app, or to your shop if you have no app [acme://continue]: '
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

t.test(
  'what could not be started is not written; every mistake is told, and a command that repeats what was right',
  async t => {
    const { run, folder, files } = setUp(t)
    const wrong = async (file: string, ...flags: string[]) => {
      const { code, stdout, stderr } = await run(file, ...FLAGS.with(3, 'B & b'), ...flags)
      t.strictSame({ code, stdout }, { code: 1, stdout: '' })
      return stderr.split('\n')
    }
    const again = (file: string, flags: string) => [
      '',
      'Nothing was written. To try again, and be asked for what was wrong:',
      `npm run add-shop -- ${file} --checkout page --name 'B & b' ${flags}`,
      ''
    ]
    const rest = '--locale de-DE --option 2a --public-url https://b.example/app --continue-url bee://go'

    t.strictSame(await wrong('new/shops/bee.json', '--feed', 'shops/bee.tsv', '--currencies', 'pounds'), [
      '--currencies: it is "POUNDS"; give an ISO 4217 code such as "GBP"',
      ...again('new/shops/bee.json', `--feed shops/bee.tsv ${rest}`)
    ])
    t.strictSame(await wrong('new/shops/bee.json', '--feed', 'shops/bee.tsv', '--currencies', 'GBP'), [
      `--feed: ${join(folder, 'shops/bee.tsv')}: there is no such file; give a product feed that can be read`,
      ...again('new/shops/bee.json', `--currencies GBP ${rest}`)
    ])
    t.strictSame(files(), [], 'nor is a folder')
    t.strictSame(await wrong('new/bee.json', '--feed', 'new/bee.tsv', '--currencies', 'pounds'), [
      '--currencies: it is "POUNDS"; give an ISO 4217 code such as "GBP"',
      ...again('new/bee.json', `--feed new/bee.tsv ${rest}`)
    ])
    t.strictSame(files(), [], 'nor is the example feed')
    writeFileSync(join(folder, 'bee.tsv'), exampleFeed(['EUR', 'JPY']))
    const currencies = `--currencies: ${join(folder, 'bee.tsv')}`
    t.strictSame(await wrong('bee.json', '--feed', 'bee.tsv', '--currencies', 'GBP,USD'), [
      `${currencies}: it has no price in GBP, USD, only in EUR, JPY; give those, or another feed`,
      ...again('bee.json', `--feed bee.tsv ${rest}`)
    ])
    t.strictSame(files(), ['bee.tsv'], 'a feed that was there stays')

    const flags = {
      ...{ name: ' ', feed: 'ftp://x', currencies: 'EUR,X', locale: 'de_DE', option: '3' },
      ...{ 'public-url': 'http://ada:s3cret@b.example', 'continue-url': 'javascript:alert(1)' }
    }
    const all = await run('bee.json', ...Object.entries(flags).flatMap(([name, value]) => [`--${name}`, value]))
    t.strictSame(all.stderr.split('\n'), [
      '--public-url: it is "http://…@b.example"; use https: http is for loopback and private addresses only, and "b.example" is neither',
      '--locale: it is "de_DE"; did you mean "de-DE"?',
      '--currencies: it is "X"; give an ISO 4217 code such as "GBP"',
      `--option: it is "3"; give one of ${transferOptions.map(({ name }) => `"${name}"`).join(', ')}`,
      '--continue-url: it is "javascript:alert(1)"; "javascript:" could run script in the page; give an address such as "harbour://continue"',
      '',
      'Nothing was written. To try again, and be asked for what was wrong:',
      "npm run add-shop -- bee.json --checkout page --name ' ' --feed ftp://x",
      ''
    ])
  }
)

t.test('several ways in are written as a list, each with a path', async t => {
  const { run, read } = setUp(t)
  const flags = FLAGS.with(7, '2a, 1')
  t.match(await run('bee.json', ...flags, '--feed', 'bee.tsv', '--currencies', 'EUR'), { code: 0 })
  t.strictSame(read('bee.json').transfer, [
    { option: '2A', path: '/cart' },
    { option: '1', path: '/1' }
  ])
  const ucp = FLAGS.with(7, 'ucp')
  t.match(await run('bee3.json', ...ucp, '--feed', 'bee.tsv', '--currencies', 'EUR'), { code: 0 })
  t.strictSame(read('bee3.json').transfer, { option: 'ucp', path: '/ucp' }, 'its carts are at /ucp/carts')
  const wrong = await run('bee2.json', ...FLAGS.with(7, '2a,3'), '--feed', 'bee2.tsv', '--currencies', 'EUR')
  t.match(wrong.stderr, /^--option: it is "3"; give one of "1", "2A"/)
})

t.test('what no flag is for is told with its file; what keeps the file from being written, as it is', async t => {
  const { run, folder, files } = setUp(t)
  writeFileSync(join(folder, 'a-file'), '')
  const right = `--currencies EUR --locale de-DE --option 2a --public-url https://b.example/app --continue-url bee://go`
  const long = `https://b.example/${'x'.repeat(2040)}`
  const tooLong = await run('bee.json', ...FLAGS.with(7, '1').with(9, long), '--feed', 'bee.tsv', '--currencies', 'EUR')
  t.match(tooLong.stderr, /^\/.*\/bee\.json:10: transfer\.description: the described URL could have 2067 characters/)
  const { code, stderr } = await run('a-file/bee.json', ...FLAGS, '--feed', 'bee.tsv', '--currencies', 'EUR')
  t.equal(code, 1)
  t.match(stderr, /^E(EXIST|NOTDIR): .*a-file/)
  t.ok(
    stderr.endsWith(
      `\n\nNothing was written. To try again:\nnpm run add-shop -- a-file/bee.json --checkout page --name Bee --feed bee.tsv ${right}\n`
    )
  )
  t.strictSame(files(), ['a-file'])
})

t.test('without any input, what is in brackets is taken, and told', async t => {
  const { run, files } = setUp(t)
  const { code, stdout } = await run('shops/bee.json', ...FLAGS)
  const currencies = 'Currencies that it sells in, with commas between them [GBP]: GBP'
  t.strictSame(
    [code, ...stdout.split('\n')],
    [
      0,
      'Product feed [shops/bee.tsv, with two example products]: shops/bee.tsv',
      currencies,
      'Written: shops/bee.json, shops/bee.tsv',
      '',
      'npm start -- shops/bee.json',
      ''
    ]
  )
  t.strictSame(files(), ['shops', 'shops/bee.json', 'shops/bee.tsv'])
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
  t.strictSame(files(), ['a.json'])
})

t.test('of a WooCommerce shop, its address is enough: name, currency and language are what it says', async t => {
  const { run, read, files } = setUp(t, ['woocommerce', '', '', ''])
  const url = await openWooCommerce(t)
  const { code, stdout, stderr } = await run('bee.json', '--shop-url', url)
  t.strictSame([code, stderr], [0, ''])
  t.notMatch(stdout, /Name|feed|Currencies|Language/, 'nor is there a feed')
  t.match(
    stdout,
    "Written: bee.json\nRead from the shop: Ada & Bee's, EUR, de-DE\nOrders come back by secretVariable and two webhooks"
  )
  const { $schema: _, ...settings } = read('bee.json')
  t.strictSame(settings, {
    ...{ id: 'bee', name: "Ada & Bee's", publicUrl: '/bee', locale: 'de-DE', currencies: ['EUR'] },
    transfer: { option: '1', path: '/cart' },
    checkout: { destination: { type: 'woocommerce', url }, continueShoppingUrl: 'bee://continue' }
  })
  t.strictSame(files(), ['bee.json'])
  const all = `--checkout woocommerce --shop-url ${url} --option 1 --public-url /bee --continue-url bee://go --name Bee --feed bee.tsv`
  const flags = all.split(' ')
  t.match(await run('other.json', ...flags), { code: 1, stderr: /^--feed: .*bee.tsv: there is no such file/ })
  t.match(await run('other.json', ...flags.slice(0, -2)), { code: 0, stdout: 'Written: other.json\nRead from' })
  t.match(read('other.json'), { name: 'Bee', locale: 'de-DE' }, 'flags count more')
})

t.test('a language that a shop does not say is asked for; a shop that cannot take bags is refused at once', async t => {
  const { run, read, files } = setUp(t, ['en-IE'])
  const url = await openWooCommerce(t, { [HOME]: '<html><head></head></html>' })
  const flags = ['--checkout', 'woocommerce', '--option', '1', '--public-url', '/bee', '--continue-url', 'bee://go']
  t.match(await run('bee.json', ...flags, '--shop-url', url), {
    stdout: /^Language.*Written: bee.json\nRead from the shop: Ada & Bee's, EUR\n.*\nIt does not say which WooCommerce/s
  })
  t.match(read('bee.json'), { locale: 'en-IE' })

  const refused = async (shopUrl: string, problem: string, ...more: string[]) => {
    const { code, stderr } = await run('no.json', ...(isAny(more) ? more : flags), '--shop-url', shopUrl)
    t.equal(code, 1)
    t.match(stderr, problem)
    t.match(
      stderr,
      '\n\nNothing was written. To try again, and be asked for what was wrong:\nnpm run add-shop -- no.json'
    )
  }
  const { origin: other } = await listen(t, (_request, response) => void response.writeHead(404).end())
  await refused(other, `--shop-url: it answered 404${OTHER}`)
  await refused(
    'http://shop.example',
    '--shop-url: it is http, which is for loopback and private addresses only; give one'
  )
  await refused('http://127.0.0.1:9', '--shop-url: no connection: ECONNREFUSED')
  await refused(url, '--shop-url: only a shop with its own checkout has one; leave it out', '--checkout', 'page')
  await refused(
    url,
    '--checkout: it is "shopify"; give page (ours) or woocommerce (your shop); for another shop, write checkout.destination',
    '--checkout',
    'shopify'
  )
  t.strictSame(files(), ['bee.json'])
})

t.test('a shop that cannot take bags hides no other mistake, and what was right is repeated', async t => {
  const { folder, run, files } = setUp(t, ['never read'])
  const wrong = '--feed no.tsv --currencies pounds --locale de_DE'.split(' ')
  const right = ['--name', 'Bee', '--option', '2A']
  const answer = async (flags: string[], told: (string | RegExp)[], again: string, file = 'bee.json') => {
    const how = 'Nothing was written. To try again, and be asked for what was wrong:'
    const { code, stdout, stderr } = await run(file, ...flags)
    t.strictSame([code, stdout], [1, ''])
    const lines = [...told, '', how, `npm run add-shop -- ${file} ${again}`.trim(), '']
    const isAs = (line: string, i: number) => (lines[i] instanceof RegExp ? lines[i].test(line) : line === lines[i])
    const found = stderr.split('\n').map((line, i) => (isAs(line, i) ? lines[i] : line))
    t.strictSame(found, lines)
  }
  const others = [
    '--locale: it is "de_DE"; did you mean "de-DE"?',
    '--currencies: it is "POUNDS"; give an ISO 4217 code such as "GBP"'
  ]
  const unknown =
    '--checkout: it is "shopify"; give page (ours) or woocommerce (your shop); for another shop, write checkout.destination ' +
    'as src/integrations/destination/README.md has it'
  await answer(
    ['--checkout', 'shopify', ...wrong, ...right],
    [unknown, ...others],
    '--name Bee --feed no.tsv --option 2A'
  )
  const missing = `--feed: ${join(t.testdirName, 'no.tsv')}: there is no such file; give a product feed that can be read`
  await answer(['--checkout', 'shopify', '--feed', 'no.tsv', ...right], [unknown, missing], '--name Bee --option 2A')
  const url = ['--shop-url', 'http://shop.example']
  const unsafe =
    '--shop-url: it is http, which is for loopback and private addresses only; give one such as "https://shop.example"'
  await answer(['--checkout', 'shopify', ...url, ...right], [unknown, unsafe], '--name Bee --option 2A')
  const shop = ['--shop-url', 'https://shop.example']
  await answer(['--checkout', 'shopify', ...shop, ...right], [unknown], `${shop.join(' ')} --name Bee --option 2A`)
  await answer(
    ['--checkout', 'woocommerce', ...url, ...wrong, ...right],
    [unsafe, ...others],
    '--checkout woocommerce --name Bee --feed no.tsv --option 2A'
  )
  writeFileSync(join(folder, 'bee.tsv'), 'no feed')
  await answer(['--checkout', 'woocommerce', ...url], [unsafe], '--checkout woocommerce')
  writeFileSync(join(folder, 'bee.tsv'), exampleFeed(['GBP']))
  await answer(['--checkout', 'shopify', '--feed', 'bee.tsv'], [unknown], '--feed bee.tsv')
  rmSync(join(folder, 'bee.tsv'))
  // Its proposed address would be the server's own.
  await answer(['--checkout', 'shopify'], [unknown], '', 'simulator.json')
  writeFileSync(join(folder, 'file'), '')
  await answer(['--checkout', 'shopify'], [unknown, /EEXIST|ENOTDIR/], '', 'file/bee.json')
  rmSync(join(folder, 'file'))
  t.strictSame(files(), [])
})

t.test('the example feed is that of config/minimal.json', async t => {
  t.equal(exampleFeed(['GBP']), readFileSync(join(import.meta.dirname, '../../config/minimal.tsv'), 'utf8'))
})
