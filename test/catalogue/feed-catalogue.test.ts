// Following a feed: a changed file is reloaded while the server runs, and an unreadable one never replaces the last
// good one. Here the file is polled every few milliseconds.
import { appendFileSync, mkdirSync, renameSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { type FeedCatalogue, followFeed } from '../../src/catalogue/feed-catalogue.ts'
import { until } from '../until.ts'
import { generateFeed } from './generated-feed.ts'

const INTERVAL = 5
/** Time for several polls, in milliseconds. */
const SEVERAL_POLLS = 100

function feedOf(...skus: string[]): string {
  return ['id\ttitle\tprice\tavailability', ...skus.map(sku => `${sku}\tT\t1 GBP\tin_stock`)].join('\n')
}

type Followed = {
  file: string
  catalogue: FeedCatalogue
  loads: { products: number; problems: object[]; milliseconds: number }[]
  failures: Error[]
  /** The SKUs that the catalogue has now. */
  skus: () => string[]
}

/** Follows a feed file with this text until the test ends. */
async function follow(t: Test, text: string, interval = INTERVAL): Promise<Followed> {
  const file = join(t.testdir({ 'feed.tsv': text }), 'feed.tsv')
  const loads: Followed['loads'] = []
  const failures: Error[] = []
  const events = {
    onLoad: (loaded: Followed['loads'][number]) => loads.push(loaded),
    onFailure: failures.push.bind(failures)
  }
  const catalogue = await followFeed(file, events, interval)
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
  await t.rejects(followFeed(join(folder, 'gone.tsv'), events, INTERVAL), { code: 'ENOENT' })
  await t.rejects(followFeed(join(folder, 'empty.tsv'), events, INTERVAL), { message: 'the file is empty' })
})

t.test('a changed file is reloaded without a restart', async t => {
  const { file, loads, skus, failures } = await follow(t, feedOf('A'))
  writeFileSync(file, feedOf('A', 'B'))
  await until('the rewritten file', () => skus().join() === 'A,B')
  writeFileSync(`${file}.new`, feedOf('C'))
  renameSync(`${file}.new`, file)
  await until('the replaced file', () => skus().join() === 'C')
  await pause(SEVERAL_POLLS)
  t.strictSame({ loads: loads.length, failures }, { loads: 3, failures: [] }, 'each is loaded once')
})

t.test('a file that is still being written is not loaded', async t => {
  const { file, loads, skus } = await follow(t, feedOf('A'), 50)
  writeFileSync(file, feedOf('B'))
  for (let i = 0; i < 200; i++) {
    appendFileSync(file, `\nB${i}\tT\t1 GBP\tin_stock`)
    await pause(1)
  }
  t.strictSame(skus(), ['A'], 'the last good one stays while the new one grows')
  await until('the whole file', () => skus().length === 201)
  t.strictSame(
    loads.map(({ products }) => products),
    [1, 201],
    'it was never loaded in part'
  )
})

t.test('a broken file never replaces the good one, and is reported once', async t => {
  const broken = ['', 'no feed', feedOf(), 'id\ttitle\tprice\tavailability\nA\tT\tfree\tin_stock']
  for (const text of broken) {
    const { file, failures, skus, loads } = await follow(t, feedOf('A'))
    writeFileSync(file, text)
    await until('the report', () => failures.length > 0)
    await pause(SEVERAL_POLLS)
    t.strictSame(
      { skus: skus(), failures: failures.length, loads: loads.length },
      { skus: ['A'], failures: 1, loads: 1 }
    )
    writeFileSync(file, feedOf('A', 'B'))
    await until('the fixed file', () => skus().join() === 'A,B')
    writeFileSync(file, text)
    await until('the second report', () => failures.length === 2)
    t.strictSame(skus(), ['A', 'B'], JSON.stringify(text))
  }
})

t.test('if the file disappears, the last good one stays in use, and it is reported once', async t => {
  const { file, failures, skus } = await follow(t, feedOf('A'))
  rmSync(file)
  await until('the report', () => failures.length > 0)
  await pause(SEVERAL_POLLS)
  t.match(failures, [{ code: 'ENOENT' }])
  t.strictSame({ failures: failures.length, skus: skus() }, { failures: 1, skus: ['A'] })

  writeFileSync(file, feedOf('B'))
  await until('the restored file', () => skus().join() === 'B')
  rmSync(file)
  await until('the second report', () => failures.length === 2)
  t.strictSame(skus(), ['B'])
})

t.test('a broken file that then disappears is reported twice', async t => {
  const { file, failures, skus } = await follow(t, feedOf('A'))
  writeFileSync(file, 'no feed')
  await until('the first report', () => failures.length === 1)
  await pause(SEVERAL_POLLS)
  rmSync(file)
  await until('the second report', () => failures.length === 2)
  t.strictSame(skus(), ['A'])
})

t.test('a file that cannot be read is retried, and reported once', async t => {
  const { file, failures, skus } = await follow(t, feedOf('A'))
  rmSync(file)
  mkdirSync(file)
  await until('the failure', () => failures.some(({ message }) => message.startsWith('EISDIR')))
  await pause(SEVERAL_POLLS)
  t.equal(failures.filter(({ message }) => message.startsWith('EISDIR')).length, 1)
  t.strictSame(skus(), ['A'], 'the last good one stays in use')
  rmdirSync(file)
  writeFileSync(file, feedOf('A', 'B'))
  await until('the new file', () => skus().length === 2)
})

t.test('the good file is reloaded when it is put back', async t => {
  const { file, failures, skus, loads } = await follow(t, feedOf('A'))
  renameSync(file, `${file}.old`)
  writeFileSync(file, 'no feed')
  await until('the report', () => failures.length === 1)
  renameSync(`${file}.old`, file)
  await until('the file', () => loads.length === 2)
  t.strictSame(skus(), ['A'])
})

t.test('after close nothing is loaded or reported', async t => {
  const { file, catalogue, loads, failures, skus } = await follow(t, feedOf('A'), 1)
  await pause(20)
  await catalogue.close()
  writeFileSync(file, feedOf('B'))
  await pause(SEVERAL_POLLS)
  rmSync(file)
  await pause(SEVERAL_POLLS)
  t.strictSame({ loads: loads.length, failures, skus: skus() }, { loads: 1, failures: [], skus: ['A'] })
  await catalogue.close()
})

t.test('close waits for a load in progress', async t => {
  const { file, catalogue, loads } = await follow(t, feedOf('A'), 1)
  writeFileSync(file, generateFeed(2000))
  await pause(12)
  await catalogue.close()
  const atClose = loads.length
  await pause(4 * SEVERAL_POLLS)
  t.equal(loads.length, atClose)
})

t.test('following a feed does not keep the process alive', async t => {
  const before = process.getActiveResourcesInfo().filter(name => name === 'Timeout').length
  await follow(t, feedOf('A'))
  t.equal(process.getActiveResourcesInfo().filter(name => name === 'Timeout').length, before)
})
