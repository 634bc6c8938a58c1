// Following a feed: a changed file is reloaded while the server runs, and an unreadable one never replaces the last
// good one. Here the file is polled when a test says so.
import { execFileSync } from 'node:child_process'
import { appendFileSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { mock } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { followFeed } from '../../../src/merchant/catalogue/feed-source.ts'
import {
  type FeedCatalogue,
  type FollowFeedOptions,
  followSource
} from '../../../src/merchant/catalogue/followed-feed.ts'
import { until } from '../../until.ts'
import { feedOf } from './read-products.ts'

const INTERVAL = 1000

/** Polls every feed, some more times than it takes to notice and load a change. */
async function severalPolls(): Promise<void> {
  for (let poll = 0; poll < 10; poll++) {
    mock.timers.tick(INTERVAL)
    // A poll reads the state of its file; so does this, behind it.
    await stat(import.meta.filename)
  }
}

/** Polls every feed until something comes true. */
function poll(what: string, isTrue: () => boolean): Promise<void> {
  return until(what, async () => {
    await severalPolls()
    return isTrue()
  })
}

type Followed = {
  file: string
  catalogue: FeedCatalogue
  loads: { products: number; problems: object[]; milliseconds: number }[]
  failures: Error[]
  /** The SKUs that the catalogue has now. */
  skus: () => string[]
}

/** Follows a feed file with this text until the test ends; time passes only when the test says so. */
async function follow(t: Test, text: string, options: FollowFeedOptions = {}): Promise<Followed> {
  mock.timers.reset()
  mock.timers.enable({ apis: ['setTimeout'] })
  t.teardown(() => mock.timers.reset())
  const file = join(t.testdir({ 'feed.tsv': text }), 'feed.tsv')
  const loads: Followed['loads'] = []
  const failures: Error[] = []
  const events = {
    onLoad: (loaded: Followed['loads'][number]) => loads.push(loaded),
    onFailure: (error: Error) => failures.push(error)
  }
  const catalogue = await followFeed(file, events, INTERVAL, options)
  t.teardown(() => catalogue.close())
  return { file, catalogue, loads, failures, skus: () => [...catalogue.products()].map(({ sku }) => sku) }
}

t.test('the feed is loaded at the start, and the load is reported', async t => {
  const { catalogue, loads, failures } = await follow(t, `${feedOf('A', 'B')}\nbroken`)
  t.match(catalogue.product('A'), { sku: 'A', title: 'T' })
  t.match(catalogue.product('B'), { sku: 'B' })
  for (const sku of ['a', 'A ', 'C', '__proto__', '']) t.equal(catalogue.product(sku), undefined, JSON.stringify(sku))
  t.match(loads, [{ products: 2, problems: [{ line: 4, reason: String }], milliseconds: Number }])
  t.strictSame(failures, [])
})

t.test('a file that cannot be read at the start is refused', async t => {
  const events = { onLoad: () => t.fail('nothing is loaded'), onFailure: () => t.fail('it is thrown, not reported') }
  const folder = t.testdir({ 'empty.tsv': '' })
  const pipe = join(folder, 'pipe')
  execFileSync('mkfifo', [pipe])
  await t.rejects(followFeed(join(folder, 'gone.tsv'), events, INTERVAL), { code: 'ENOENT' })
  await t.rejects(followFeed(join(folder, 'empty.tsv'), events, INTERVAL), { message: 'the file is empty' })
  const notAFile = { message: 'it is not a regular file' }
  await t.rejects(followFeed(folder, events, INTERVAL), notAFile, 'a folder')
  await t.rejects(followFeed(pipe, events, INTERVAL), notAFile, 'a named pipe that nobody writes to')
})

t.test('a changed file is reloaded without a restart', async t => {
  const { file, loads, skus, failures } = await follow(t, feedOf('A'))
  writeFileSync(file, feedOf('A', 'B'))
  await poll('the rewritten file', () => skus().join() === 'A,B')
  writeFileSync(`${file}.new`, feedOf('C'))
  renameSync(`${file}.new`, file)
  await poll('the replaced file', () => skus().join() === 'C')
  await severalPolls()
  t.strictSame({ loads: loads.length, failures }, { loads: 3, failures: [] }, 'each is loaded once')
})

t.test('the age of the feed in use grows while the file is gone, or holds what was refused', async t => {
  let later = 0
  const HOUR = 3_600_000
  const { file, catalogue, failures, skus } = await follow(t, `${feedOf('A')}\nbroken`, {
    clock: () => new Date(later)
  })
  const hours = () => Math.floor(Number(catalogue.status?.().age) / HOUR)
  t.match(catalogue.status?.(), { products: 1, problems: 1 })
  later += HOUR
  await poll('a look at the file', () => hours() === 0)
  writeFileSync(file, 'no feed')
  await poll('the refusal', () => failures.length === 1)
  later += HOUR
  await severalPolls()
  t.equal(hours(), 1)
  rmSync(file)
  later += HOUR
  await poll('the missing file', () => failures.length === 2)
  t.equal(hours(), 2)
  writeFileSync(file, feedOf('A', 'B', 'C'))
  await poll('the new file', () => skus().length === 3)
  t.match([catalogue.status?.(), hours()], [{ products: 3, problems: 0 }, 0])
})

t.test('a file that is still being written is not loaded', async t => {
  const { file, loads, skus } = await follow(t, feedOf('A'))
  writeFileSync(file, feedOf('B'))
  for (let i = 0; i < 200; i++) {
    appendFileSync(file, `\nB${i}\tT\t1 GBP\tin_stock`)
    mock.timers.tick(INTERVAL)
    await stat(file)
  }
  t.strictSame(skus(), ['A'], 'the last good one stays while the new one grows')
  await poll('the whole file', () => skus().length === 201)
  t.strictSame(
    loads.map(({ products }) => products),
    [1, 201],
    'it was never loaded in part'
  )
})

t.test('whatever becomes of the file, the last good feed stays in use, and it is reported once', async t => {
  const write = (text: string) => (file: string) => writeFileSync(file, text)
  const inEuros = (...skus: string[]) => `${feedOf(...skus)}\n${skus[0]}\tT\t2 EUR\tin_stock`
  const cases: [spoil: (file: string) => void, message: RegExp][] = [
    [write(''), /^the file is empty$/],
    [write('no feed'), /^the first line names no id/],
    [write(feedOf()), /^it holds no product/],
    [write('id\ttitle\tprice\tavailability\nA\tT\tfree\tin_stock'), /^it holds no product .* price "free"/],
    [write('id\ttitle\tprice\tavailability\nA\tT\t1 CHF\tin_stock'), /^it has no price in GBP, EUR, USD, only in CHF$/],
    [
      write(inEuros('A')),
      /^of the 4 products that can be bought in GBP, 1 would keep a price, and maxShrink is 50 %; if that is right, restart$/
    ],
    [
      write(feedOf('A', 'B', 'C', 'D')),
      /^it has no price in EUR any more; if that is right, take EUR out of currencies and restart$/
    ],
    [rmSync, /^ENOENT/],
    [
      file => {
        rmSync(file)
        mkdirSync(file)
      },
      /^it is not a regular file$/
    ]
  ]
  for (const [spoil, message] of cases) {
    const { file, failures, skus, loads } = await follow(t, inEuros('A', 'B', 'C', 'D'), {
      maxShrink: 50,
      sold: ['GBP', 'EUR', 'USD']
    })
    spoil(file)
    const reports = () => failures.filter(failure => message.test(failure.message)).length
    await poll(`the report ${message}`, () => reports() > 0)
    await severalPolls()
    t.strictSame([skus().join(), reports(), loads.length], ['A,B,C,D', 1, 1], String(message))
    rmSync(file, { recursive: true, force: true })
    writeFileSync(file, inEuros('A', 'B'))
    await poll('the fixed file', () => skus().join() === 'A,B')
    if (spoil !== rmSync) continue
    rmSync(file)
    await poll('the second report', () => reports() === 2)
    t.equal(skus().join(), 'A,B')
  }
})

t.test('a feed that takes most of what can be bought away, or its price, is held back', async t => {
  const table = (rows: string) =>
    ['id\ttitle\tprice\tavailability', ...rows.split(', ').map(row => row.replace(' ', '\tT\t'))]
      .map(row => row.replace(/ (\w+_stock)$/, '\t$1').replace(/^(\S+\tT\t[^\t]*)$/, '$1\tin_stock'))
      .join('\n')
  const options = { maxShrink: 50, sold: ['GBP', 'EUR'], hasFreeProducts: true }
  const ten = 'A 1 GBP, B 1 GBP, C 1 GBP, D 1 GBP'
  const cases: [rule: string, before: string, after: string, refusal: [lost: string] | undefined, more?: object][] = [
    ['half of them are gone', ten, 'A 1 GBP, B 1 GBP', undefined],
    ['more than half', ten, 'A 1 GBP', ['of the 4 products that can be bought in GBP, 1 ']],
    ['as many others', ten, 'A 1 GBP, W 1 GBP, X 1 GBP, Y 1 GBP', ['of the 4 products that can be bought in GBP, 1 ']],
    ['every price is 0', ten, ten.replaceAll('1 GBP', '0 GBP'), ['of the 4 products that can be bought in GBP, 0 ']],
    [
      'no price is left in one currency',
      'A 1 GBP, A 2 EUR, B 1 GBP, B 2 EUR, C 2 EUR',
      'A 1 GBP, B 1 GBP, C 2 EUR',
      ['of the 3 products that can be bought in EUR, 1 ']
    ],
    ['in one that nobody is sold in', 'A 1 GBP, A 2 USD', 'A 1 GBP', undefined],
    ['what cannot be bought', `A 1 GBP, B 1 GBP out_of_stock, C 1 GBP out_of_stock`, 'A 1 GBP', undefined],
    [
      'what can, of much that cannot',
      `A 1 GBP, B 1 GBP out_of_stock, C 1 GBP out_of_stock`,
      'B 1 GBP, C 1 GBP',
      ['of the 1 products that can be bought in GBP, 0 ']
    ],
    ['all is out of stock', ten, ten.replaceAll('GBP', 'GBP out_of_stock'), undefined],
    ['what was free', 'A 0 GBP, B 1 GBP', 'B 1 GBP', undefined],
    ['another limit', ten, 'A 1 GBP', undefined, { maxShrink: 75 }],
    [
      'it is not known what is sold',
      'A 1 CHF, B 1 CHF',
      'A 1 EUR, B 1 EUR',
      ['of the 2 products that can be bought in CHF, 0 '],
      { sold: undefined }
    ]
  ]
  for (const [rule, before, after, refusal, more] of cases) {
    const { file, failures, loads, catalogue } = await follow(t, table(before), { ...options, ...more })
    writeFileSync(file, table(after))
    await poll(rule, () => failures.length + loads.length === 2)
    const end = 'would keep a price, and maxShrink is 50 %; if that is right, restart'
    t.strictSame(
      failures.map(({ message }) => message),
      refusal ? [refusal[0] + end] : [],
      rule
    )
    t.equal(catalogue.status?.().isNewestRefused, refusal !== undefined, rule)
    writeFileSync(file, `${table(before)}\nNEW\tT\t1 GBP\tin_stock`)
    if (refusal) await poll('a good one', () => loads.length === 2 && !catalogue.status?.().isNewestRefused)
    await catalogue.close()
  }
})

t.test('a feed of thousands of products is compared in parts; a close ends that', async t => {
  const many = Array.from({ length: 1001 }, (_, i) => `SKU-${i}`)
  let text = feedOf(...many)
  let reads = 0
  const find = async () => {
    reads += 1
    return { chunks: Readable.from([Buffer.from(text)]), settle: () => {} }
  }
  const failures: string[] = []
  const events = { onLoad: () => {}, onFailure: ({ message }: Error) => failures.push(message) }
  const catalogue = await followSource({ isFile: true, find }, events, 1, { maxShrink: 50 })
  text = feedOf(...many.slice(0, 500))
  await until('the refusal', () => failures.length > 0)
  t.match(failures, [/^of the 1001 products .*, 500 would keep a price/])
  text = feedOf(...many.slice(0, 501))
  const before = reads
  await until('another read', () => reads > before)
  await catalogue.close()
  t.ok(catalogue.product('SKU-1000'))
})

t.test('the good file is reloaded when it is put back', async t => {
  const { file, failures, skus, loads } = await follow(t, feedOf('A'))
  renameSync(file, `${file}.old`)
  writeFileSync(file, 'no feed')
  await poll('the report', () => failures.length === 1)
  renameSync(`${file}.old`, file)
  await poll('the file', () => loads.length === 2)
  t.strictSame(skus(), ['A'])
})

t.test('after close nothing is loaded or reported', async t => {
  const { file, catalogue, loads, failures, skus } = await follow(t, feedOf('A'))
  await severalPolls()
  await catalogue.close()
  writeFileSync(file, feedOf('B'))
  await severalPolls()
  rmSync(file)
  await severalPolls()
  t.strictSame({ loads: loads.length, failures, skus: skus() }, { loads: 1, failures: [], skus: ['A'] })
  await catalogue.close()
})

t.test('close abandons a load that hangs, as on a network mount that is gone, and does not wait for it', async t => {
  const { promise, resolve: release } = Promise.withResolvers<void>()
  let reads = 0
  async function* read(): AsyncGenerator<Uint8Array> {
    reads += 1
    if (reads > 1) await promise
    yield Buffer.from(feedOf('A', 'B'.repeat(reads)))
  }
  const find = async () => ({ chunks: read(), settle: () => {} })
  const events = { onLoad: () => t.equal(reads, 1), onFailure: () => t.fail('nothing is wrong') }
  const catalogue = await followSource({ isFile: true, find }, events, 1, {})
  await until('the second read', () => reads === 2)
  await catalogue.close()
  release()
  await setImmediate()
  t.strictSame([catalogue.product('B')?.sku, catalogue.product('BB')], ['B', undefined])
})

t.test('following a feed does not keep the process alive', async t => {
  const timers = () => process.getActiveResourcesInfo().filter(name => name === 'Timeout').length
  const before = timers()
  const file = join(t.testdir({ 'feed.tsv': feedOf('A') }), 'feed.tsv')
  const catalogue = await followFeed(file, { onLoad: () => {}, onFailure: () => {} }, INTERVAL)
  t.equal(timers(), before)
  await catalogue.close()
})
