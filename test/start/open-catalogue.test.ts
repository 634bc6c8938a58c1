// What an operator reads about a feed: in the log, and if the server cannot start with it.
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Logger, pino } from 'pino'
import t, { type Test } from 'tap'
import { destinations } from '../../src/integrations/destination/index.ts'
import { paymentProviders } from '../../src/integrations/payment/index.ts'
import type { FeedCatalogue } from '../../src/merchant/catalogue/followed-feed.ts'
import type { Merchant } from '../../src/merchant/merchant.ts'
import { MerchantFileError } from '../../src/merchant/merchant-file.ts'
import { findPageMistakes } from '../../src/pages/check-pages.ts'
import { openCatalogue, openMerchants } from '../../src/start/open-catalogue.ts'
import { transferOptions } from '../../src/transfer/index.ts'
import type { ReportError } from '../../src/transfer/option.ts'
import { type MerchantChanges, merchantFile } from '../build.ts'
import { listen } from '../listen.ts'
import { readMerchantFiles } from '../read-merchants.ts'
import { until } from '../until.ts'

/** Only feeds by address have something beside it. */
const FOLDER = '/nowhere'

/** A merchant as its file says, with these feeds in its folder. */
function merchantOf(folder: string, feed: unknown, changes: object = {}, login?: string): Merchant {
  const file = join(folder, 'shop.json')
  const catalogue = { feed, ...(login && { credentialsVariable: 'FEED_LOGIN' }) }
  writeFileSync(file, JSON.stringify({ ...merchantFile('1', { publicUrl: '/shop', ...changes }), catalogue }, null, 2))
  const variables = { FEED_LOGIN: login }
  return readMerchantFiles([file], {
    options: transferOptions,
    destinations,
    providers: paymentProviders,
    variables
  })[0] as Merchant
}

/** A merchant as its file says, next to a feed. */
function merchantWith(t: Test, feed: string, changes: MerchantChanges): Merchant {
  const folder = t.testdir({ 'feed.tsv': feed })
  const file = join(folder, 'shop.json')
  writeFileSync(file, JSON.stringify(merchantFile('1', changes), null, 2))
  const [merchant] = readMerchantFiles([file], { options: transferOptions, destinations, providers: paymentProviders })
  return merchant as Merchant
}

/** Of a feed that is of use. */
async function open(merchant: Merchant, logger: Logger, folder: string): Promise<FeedCatalogue> {
  const refuse: ReportError = (key, problem) => {
    throw new Error(`${key.join('.')}: ${problem}`)
  }
  return (await openCatalogue(merchant, refuse, logger, folder)) as FeedCatalogue
}

function newLog() {
  const lines: Record<string, unknown>[] = []
  return { lines, logger: pino({ base: null, timestamp: false }, { write: line => void lines.push(JSON.parse(line)) }) }
}

t.test('the log says what is not served, what is served without a part, and which currency has no price', async t => {
  const feed = [
    'id\ttitle\tprice\tavailability\timage_link',
    'A\tT\t1 GBP\tin_stock\thttp://images.example/a.jpg',
    'B\tT\tfree\tin_stock\t'
  ]
  const changes = { publicUrl: 'https://shop.example', currencies: ['GBP', 'EUR'] }
  const merchant = merchantWith(t, feed.join('\n'), changes)
  const { lines, logger } = newLog()
  const catalogue = await open(merchant, logger, FOLDER)
  await catalogue.close()
  const common = { merchant: 'shop', feed: merchant.catalogue?.feeds[0]?.address }
  const withoutPicture = { reason: /^image_link "http:/, msg: 'feed line served without its picture or variant' }
  t.match(lines, [
    { level: 40, ...common, line: 2, id: 'A', ...withoutPicture },
    { level: 40, ...common, line: 3, id: 'B', reason: /^price "free"/, msg: 'feed line not served' },
    { level: 40, merchant: 'shop', currency: 'EUR', msg: 'no product has a price in this currency' },
    { level: 30, ...common, products: 1, problems: 2, msg: 'feed loaded' }
  ])
  t.equal(lines.length, 4)
})

t.test('a merchant without a feed has a catalogue that knows nothing', async t => {
  const { lines, logger } = newLog()
  const { catalogue: _, ...merchant } = merchantWith(t, 'no feed', { publicUrl: '/shop' })
  const catalogue = await open(merchant, logger, FOLDER)
  t.equal(catalogue.product('MUG'), undefined)
  t.strictSame([...catalogue.products()], [])
  await catalogue.close()
  t.strictSame(lines, [])
})

const FEED = 'id\ttitle\tprice\tavailability\nA\tT\t1 GBP\tin_stock\nB\tT\t1 EUR\tin_stock\n'

/** What a start with these files in one folder prints, without the folder; their settings by name. */
async function startWith(t: Test, files: Record<string, object | string>, logger = newLog().logger): Promise<string[]> {
  const texts = Object.entries(files).map(([name, content]) => {
    const isText = typeof content === 'string'
    return [name, isText ? content : JSON.stringify(content, null, 2)]
  })
  const folder = t.testdir(Object.fromEntries(texts))
  const names = Object.keys(files).filter(name => name.endsWith('.json'))
  const settings = { options: transferOptions, destinations, providers: paymentProviders, findPageMistakes }
  const paths = names.map(name => join(folder, name))
  try {
    for (const { catalogue } of await openMerchants(paths, settings, logger, FOLDER)) await catalogue.close()
    return []
  } catch (error) {
    if (!(error instanceof MerchantFileError)) throw error
    return error.message.replaceAll(`${folder}/`, '').split('\n')
  }
}

t.test('a feed that is of no use is refused with the file and line that name it', async t => {
  const changes = { publicUrl: '/shop' }
  const shop = merchantFile('1', changes)
  const refused = (text: string) => startWith(t, { 'shop.json': shop, 'feed.tsv': text })
  const right = 'give a product feed that can be read'
  t.match(await refused('no feed'), [
    /^shop\.json:14: catalogue\.feed: feed\.tsv: the first line names no id, [^;]*; [^;]*$/
  ])
  t.strictSame(await refused('[]'), ['shop.json:14: catalogue.feed: feed.tsv: it is JSON; give a table or XML'])
  t.strictSame(await startWith(t, { 'shop.json': shop }), [
    `shop.json:14: catalogue.feed: feed.tsv: there is no such file; ${right}`
  ])
  const francs = { ...merchantFile('1', { ...changes, currencies: ['CHF', 'USD'] }) }
  t.strictSame(await startWith(t, { 'shop.json': francs, 'feed.tsv': FEED }), [
    'shop.json:6: currencies: feed.tsv: it has no price in CHF, USD, only in GBP, EUR; give those, or another feed'
  ])
  const several = { ...francs, catalogue: { feed: ['feed.tsv', 'euro.tsv'] } }
  t.strictSame(await startWith(t, { 'shop.json': several, 'feed.tsv': FEED, 'euro.tsv': FEED }), [
    'shop.json:6: currencies: no feed has a price in CHF, USD, only in GBP, EUR; give those, or other feeds'
  ])
  t.strictSame(await refused(FEED), [])
})

t.test('a start finds what no schema can know in every file and every feed, whatever is wrong besides', async t => {
  const { lines, logger } = newLog()
  const shop = (id: string, feed: string, changes: MerchantChanges = {}) => ({
    ...merchantFile('1', { id, publicUrl: `/${id}`, ...changes }),
    catalogue: { feed },
    views: 'nowhere'
  })
  const files = {
    'a.json': shop('a', 'a.tsv'),
    'b.json': shop('b', 'feed.tsv', { currencies: ['CHF'] }),
    'c.json': shop('c', 'http://127.0.0.1:9/feed'),
    'd.json': shop('d', 'feed.tsv', { publicUrl: '/a/d' }),
    'e.json': {
      ...shop('e', ''),
      catalogue: undefined,
      checkout: { continueShoppingUrl: 'e://go', destination: { type: 'woocommerce', url: 'https://shop.example' } }
    },
    'feed.tsv': FEED
  }
  const found = await startWith(t, files, logger)
  t.match(found, [
    /^a\.json:14: catalogue\.feed: a\.tsv: there is no such file/,
    /^a\.json:20: views: /,
    /^b\.json:6: currencies: feed\.tsv: it has no price in CHF/,
    /^b\.json:20: views: /,
    /^c\.json:20: views: /,
    /^d\.json:4: publicUrl: /,
    /^d\.json:20: views: /,
    /^e\.json:\d+: views: /
  ])
  t.equal(found.length, 8)
  t.strictSame(lines, [], 'nothing is logged about feeds')
  const typo = await startWith(t, { ...files, 'f.json': { ...merchantFile('1'), colour: 1 } })
  t.match(typo, [/^f\.json:\d+: colour: /], 'but for what is wrong by the schema, which comes first')
  t.equal(typo.length, 1)
})

t.test('if anything is wrong, no address is asked, and no currency is missed that one may have', async t => {
  let asked = 0
  const { origin } = await listen(t, (_request, reply) => {
    asked += 1
    reply.end(FEED)
  })
  const changes = { publicUrl: '/shop', currencies: ['CHF'] }
  const shop = (feed: unknown) => ({ ...merchantFile('1', changes), catalogue: { feed } })
  const other = {
    ...merchantFile('1', { id: 'b', publicUrl: '/b' }),
    catalogue: { feed: 'feed.tsv' },
    views: 'nowhere'
  }
  for (const feed of [`${origin}/feed`, ['feed.tsv', `${origin}/feed`], ['feed.tsv', { feed: 'feed.tsv' }]]) {
    const found = await startWith(t, { 'a.json': shop(feed), 'b.json': other, 'feed.tsv': FEED })
    t.match(found.at(-1), /^b\.json:\d+: views: /)
    t.strictSame(
      found.filter(line => /currencies|127/.test(line)),
      [],
      String(feed)
    )
  }
  t.equal(asked, 0)
})

t.test('no login and no query is logged; a feed that is not fetched is logged with its age', async t => {
  const folder = mkdtempSync(join(tmpdir(), 'cart-transfer-feed-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  let status = 200
  const { origin } = await listen(t, (request, reply) => {
    const isKnown = request.headers.authorization === `Basic ${Buffer.from('ada:s3cret').toString('base64')}`
    reply.writeHead(isKnown ? status : 401).end('id\ttitle\tprice\tavailability\nA\tT\t1 GBP\tin_stock')
  })
  const address = `${origin}/feed`
  const file = join(folder, 'shop.json')
  const catalogue = { feed: `${address}?token=t0ken#part`, credentialsVariable: 'FEED_LOGIN' }
  writeFileSync(file, JSON.stringify({ ...merchantFile('1', { publicUrl: '/shop' }), catalogue }))
  const openAs = (login: string, dataFolder = join(folder, 'data')) => {
    const [merchant] = readMerchantFiles([file], {
      options: transferOptions,
      destinations,
      providers: paymentProviders,
      variables: { FEED_LOGIN: login }
    })
    return open(merchant as Merchant, logger, dataFolder)
  }
  const { lines, logger } = newLog()
  const place = `catalogue.feed: ${address}?…`
  const wrong = `${place}: answered 401: set catalogue.credentialsVariable; give a product feed that can be read`
  await t.rejects(openAs('ada:wr0ng'), { message: wrong })
  const noCopy = `; let this user write to ${file}/feeds, where copies of feeds are kept`
  const unkept = await openAs('ada:s3cret', file).catch(error => error)
  t.equal(unkept.message, `${place}: ENOTDIR: not a directory, mkdir '${file}/feeds'${noCopy}`)
  const first = await openAs('ada:s3cret')
  t.match(first.product('A'), { sku: 'A' })
  await first.close()
  status = 503
  const second = await openAs('ada:s3cret')
  await until('the warning', () => lines.some(({ level }) => level === 40))
  await second.close()
  const common = { merchant: 'shop', feed: `${address}?…` }
  const msg = 'feed not fetched; the last good one stays in use'
  const notFetched = { reason: 'answered 503', ageMinutes: 0, msg }
  t.match(lines, [
    { level: 30, ...common, products: 1, msg: 'feed loaded', keptSince: undefined },
    { level: 30, ...common, products: 1, msg: 'feed loaded', keptSince: /^20\d\d-.*Z$/ },
    { level: 40, ...common, ...notFetched }
  ])
  t.notMatch(JSON.stringify(lines), /ada|s3cret|t0ken/)
})

t.test('of several feeds, each is logged by itself, and currencies and differences over all of them', async t => {
  const row = (title: string, price: string) => `id\ttitle\tprice\tavailability\nA\t${title}\t${price}\tin_stock`
  const folder = mkdtempSync(join(tmpdir(), 'cart-transfer-feed-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  const asked: (string | undefined)[] = []
  const { origin } = await listen(t, ({ url, headers }, reply) => {
    asked.push(`${url} ${headers.authorization}`)
    reply.end(url === '/chf?key=s3cret' ? row('Tasse', '2 CHF') : row('Becher', '3 CHF'))
  })
  writeFileSync(join(folder, 'eur.tsv'), row('Mug', '1 EUR'))
  const feed = ['eur.tsv', `${origin}/chf?key=s3cret`, { feed: `${origin}/de`, language: 'de' }]
  const merchant = merchantOf(folder, feed, { currencies: ['EUR', 'CHF', 'USD'], locales: ['de-DE'] }, 'ada:s3cret')
  const { lines, logger } = newLog()
  const catalogue = await open(merchant, logger, folder)
  t.match(catalogue.product('A'), { title: 'Mug', texts: { de: { title: 'Becher' } }, offers: { EUR: {}, CHF: {} } })
  await until('the comparison', () => lines.length === 6)
  await catalogue.close()
  const [eur, chf, de] = [join(folder, 'eur.tsv'), `${origin}/chf?…`, `${origin}/de`]
  const loaded = { level: 30, merchant: 'shop', products: 1, problems: 0, msg: 'feed loaded' }
  t.match(lines, [
    { ...loaded, feed: eur },
    { ...loaded, feed: chf },
    { level: 40, merchant: 'shop', feed: undefined, currency: 'USD', msg: 'no product has a price in this currency' },
    { ...loaded, feed: de },
    {
      ...{ level: 40, merchant: 'shop', field: 'title', products: 1, id: 'A', used: 'Mug', other: 'Tasse', feed: chf },
      ...{ remedy: 'if its titles are in another language, say which in catalogue.feed[1].language' },
      msg: 'feeds differ; the first that has the product counts'
    },
    { level: 40, field: 'price', feed: de, remedy: undefined, msg: /^feeds differ/ }
  ])
  t.equal(lines.length, 6)
  const authorization = `Basic ${Buffer.from('ada:s3cret').toString('base64')}`
  t.strictSame(asked, [`/chf?key=s3cret ${authorization}`, `/de ${authorization}`], 'the login is for every address')
  const copies = readdirSync(join(folder, 'feeds')).sort()
  t.match(copies, [/^shop\.[0-9a-f]{16}\.feed$/, /^shop\.[0-9a-f]{16}\.feed$/])

  const swiss = { currencies: ['CHF'], locales: ['de-DE'] }
  const others = merchantOf(folder, [feed[2], { feed: feed[1], language: 'de' }], swiss, 'eva:other')
  const again = await open(others, logger, folder)
  await again.close()
  const kept = lines.filter(({ keptSince }) => keptSince !== undefined).map(({ feed }) => feed)
  t.strictSame(kept, [de, chf], 'the copy of an address stays when the rest changes')
  t.strictSame(readdirSync(join(folder, 'feeds')).sort(), copies)
  const alone = await open(merchantOf(folder, `${origin}/de`, { currencies: ['CHF'] }), logger, join(folder, 'other'))
  await alone.close()
  t.strictSame(readdirSync(join(folder, 'other/feeds')), ['shop.feed'])
})

t.test('feeds that cannot be compared are served all the same, and the log says why', async t => {
  const row = (title: string) => `id\ttitle\tprice\tavailability\nA\t${title}\t1 GBP\tin_stock`
  const folder = t.testdir({ 'a.tsv': row('Mug'), 'b.tsv': row('Cup') })
  const lines: Record<string, unknown>[] = []
  const write = (line: string) => {
    if (line.includes('feeds differ')) throw new Error('the disk is full')
    lines.push(JSON.parse(line))
  }
  const catalogue = await open(merchantOf(folder, ['a.tsv', 'b.tsv']), pino({ base: null }, { write }), folder)
  await until('the line', () => lines.length === 3)
  const err = { message: 'the disk is full' }
  t.match(lines[2], { level: 50, merchant: 'shop', err, msg: 'feeds not compared' })
  t.match(catalogue.product('A'), { title: 'Mug' })
  await catalogue.close()
})

t.test('free products are served if the merchant file says so; sale prices of 0 are logged once', async t => {
  const feed = [
    'id\ttitle\tprice\tavailability\tsale_price',
    'GIFT\tGift\t0.00 GBP\tin_stock\t',
    'A\tT\t1 GBP\tin_stock\t0.00 GBP',
    'B\tT\t1 GBP\tin_stock\t0'
  ].join('\n')
  const noSale = { level: 40, rows: 2, line: 3, id: 'A', msg: 'sale_price of 0 not used; price is charged' }
  for (const freeProducts of [undefined, false, true]) {
    const { lines, logger } = newLog()
    const merchant = merchantWith(t, feed, freeProducts === undefined ? {} : { catalogue: { freeProducts } })
    const catalogue = await open(merchant, logger, FOLDER)
    await catalogue.close()
    t.equal(catalogue.product('GIFT')?.offers.GBP?.price, freeProducts ? 0 : undefined)
    const refused = {
      level: 40,
      line: 2,
      id: 'GIFT',
      msg: 'feed line not served',
      reason: /^price "0\.00 GBP": it is free/
    }
    const loaded = { level: 30, products: freeProducts ? 3 : 2, problems: freeProducts ? 0 : 1, msg: 'feed loaded' }
    t.match(lines, freeProducts ? [noSale, loaded] : [refused, noSale, loaded])
    t.equal(lines.length, freeProducts ? 2 : 3)
  }
})

t.test('of several feeds, each that cannot be opened is named, whatever is wrong besides', async t => {
  const right = 'there is no such file; give a product feed that can be read'
  const feeds = (feed: unknown[], more: object = {}) => {
    const shop = { ...merchantFile('1', { publicUrl: '/shop', locales: ['de-DE'] }), ...more, catalogue: { feed } }
    return startWith(t, { 'shop.json': shop, 'feed.tsv': FEED })
  }
  const missing = ['x.tsv', 'feed.tsv', { feed: 'y.tsv', language: 'de' }]
  const both = [/json:\d+: catalogue\.feed\[0\]: x\.tsv: there is/, /json:\d+: catalogue\.feed\[2\]: y\.tsv: there is/]
  t.match(await feeds(missing), both)
  const [first] = await feeds(['x.tsv'])
  t.match(first, new RegExp(`: catalogue\\.feed\\[0\\]: x\\.tsv: ${right}$`))
  const wrong = await feeds([
    ...missing,
    'http://cdn.example/',
    { feed: 'feed.tsv' },
    { feed: 'z.tsv', language: 'fr' }
  ])
  t.match(wrong, [
    ...both,
    /feed\[3\]: use https/,
    /feed\[4\]: it is catalogue/,
    /feed\[5\].*z\.tsv: there/,
    /language: it is "fr"/
  ])
})

t.test('a fetched feed in other currencies is not kept: once it is put right, the shop starts', async t => {
  const folder = mkdtempSync(join(tmpdir(), 'cart-transfer-feed-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  let currency = 'EUR'
  const { origin } = await listen(t, (_request, reply) => {
    reply.end(`id\ttitle\tprice\tavailability\nA\tT\t1 ${currency}\tin_stock`)
  })
  const file = join(folder, 'shop.json')
  writeFileSync(file, JSON.stringify({ ...merchantFile('1'), catalogue: { feed: `${origin}/feed` } }))
  const settings = { options: transferOptions, destinations, providers: paymentProviders, findPageMistakes }
  const start = () => openMerchants([file], settings, newLog().logger, folder)
  const problem = `${origin}/feed: it has no price in GBP, only in EUR; give those, or another feed`
  await t.rejects(start(), { constructor: MerchantFileError, message: `${file}:1: currencies: ${problem}` })
  currency = 'GBP'
  for (const { catalogue } of await start()) {
    t.match(catalogue.product('A'), { sku: 'A' })
    await catalogue.close()
  }
  currency = 'EUR'
  for (const { catalogue } of await start()) await catalogue.close()
})

t.test('a feed that loses all prices of a currency is not loaded, in a list either', async t => {
  const folder = mkdtempSync(join(tmpdir(), 'cart-transfer-feed-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  const row = (...prices: string[]) =>
    ['id\ttitle\tprice\tavailability', ...prices.map(price => `A\tT\t${price}\tin_stock`)].join('\n')
  let text = ''
  const { origin } = await listen(t, (_request, reply) => reply.end(text))
  const { lines, logger } = newLog()
  /** What becomes of a change, after a start with the copy of the feed before. */
  const change = async (feed: string | string[], after: string) => {
    text = row('1 GBP', '2 EUR')
    const openAgain = () => open(merchantOf(folder, feed, { currencies: ['GBP', 'EUR'] }), logger, folder)
    await (await openAgain()).close()
    text = after
    lines.length = 0
    const catalogue = await openAgain()
    const ofFirst = () => lines.filter(line => line.feed === `${origin}/first` && line.level !== 40)
    await until('the change', () => ofFirst().length === 2)
    await catalogue.close()
    return ofFirst()[1]
  }
  const msg = 'changed feed not loaded; the last good one stays in use'
  const reason = 'it has no price in EUR any more; if that is right, take EUR out of currencies and restart'
  const [alone, list] = [`${origin}/first`, [`${origin}/first`, `${origin}/second`]]
  t.match(await change(alone, row('1 GBP')), { level: 50, msg, reason })
  t.match(await change(alone, row('1 GBP', '2 EUR', '3 USD')), { level: 30, msg: 'feed loaded' })
  const inList = /^of the 1 products that can be bought in EUR, 0 would keep a price/
  t.match(await change(list, row('1 GBP')), { level: 50, msg, reason: inList })
})
