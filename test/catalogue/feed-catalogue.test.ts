// Following a feed: a changed file is reloaded while the server runs, and an unreadable one never replaces the last
// good one. Here the file is polled when a test says so.
import { appendFileSync, mkdirSync, renameSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { mock } from 'node:test'
import t, { type Test } from 'tap'
import { type FeedCatalogue, followFeed } from '../../src/catalogue/feed-catalogue.ts'
import { until } from '../until.ts'
import { generateFeed } from './generated-feed.ts'

const INTERVAL = 1000

mock.timers.enable({ apis: ['setInterval'] })

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
async function follow(t: Test, text: string): Promise<Followed> {
  const file = join(t.testdir({ 'feed.tsv': text }), 'feed.tsv')
  const loads: Followed['loads'] = []
  const failures: Error[] = []
  const events = {
    onLoad: (loaded: Followed['loads'][number]) => loads.push(loaded),
    onFailure: failures.push.bind(failures)
  }
  const catalogue = await followFeed(file, events, INTERVAL)
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
  await poll('the rewritten file', () => skus().join() === 'A,B')
  writeFileSync(`${file}.new`, feedOf('C'))
  renameSync(`${file}.new`, file)
  await poll('the replaced file', () => skus().join() === 'C')
  await severalPolls()
  t.strictSame({ loads: loads.length, failures }, { loads: 3, failures: [] }, 'each is loaded once')
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

t.test('a broken file never replaces the good one, and is reported once', async t => {
  const broken = ['', 'no feed', feedOf(), 'id\ttitle\tprice\tavailability\nA\tT\tfree\tin_stock']
  for (const text of broken) {
    const { file, failures, skus, loads } = await follow(t, feedOf('A'))
    writeFileSync(file, text)
    await poll('the report', () => failures.length > 0)
    await severalPolls()
    t.strictSame(
      { skus: skus(), failures: failures.length, loads: loads.length },
      { skus: ['A'], failures: 1, loads: 1 }
    )
    writeFileSync(file, feedOf('A', 'B'))
    await poll('the fixed file', () => skus().join() === 'A,B')
    writeFileSync(file, text)
    await poll('the second report', () => failures.length === 2)
    t.strictSame(skus(), ['A', 'B'], JSON.stringify(text))
  }
})

t.test('if the file disappears, the last good one stays in use, and it is reported once', async t => {
  const { file, failures, skus } = await follow(t, feedOf('A'))
  rmSync(file)
  await poll('the report', () => failures.length > 0)
  await severalPolls()
  t.match(failures, [{ code: 'ENOENT' }])
  t.strictSame({ failures: failures.length, skus: skus() }, { failures: 1, skus: ['A'] })

  writeFileSync(file, feedOf('B'))
  await poll('the restored file', () => skus().join() === 'B')
  rmSync(file)
  await poll('the second report', () => failures.length === 2)
  t.strictSame(skus(), ['B'])
})

t.test('a broken file that then disappears is reported twice', async t => {
  const { file, failures, skus } = await follow(t, feedOf('A'))
  writeFileSync(file, 'no feed')
  await poll('the first report', () => failures.length === 1)
  await severalPolls()
  rmSync(file)
  await poll('the second report', () => failures.length === 2)
  t.strictSame(skus(), ['A'])
})

t.test('a file that cannot be read is retried, and reported once', async t => {
  const { file, failures, skus } = await follow(t, feedOf('A'))
  rmSync(file)
  mkdirSync(file)
  await poll('the failure', () => failures.some(({ message }) => message.startsWith('EISDIR')))
  await severalPolls()
  t.equal(failures.filter(({ message }) => message.startsWith('EISDIR')).length, 1)
  t.strictSame(skus(), ['A'], 'the last good one stays in use')
  rmdirSync(file)
  writeFileSync(file, feedOf('A', 'B'))
  await poll('the new file', () => skus().length === 2)
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

t.test('close waits for a load in progress', async t => {
  const { file, catalogue, loads } = await follow(t, feedOf('A'))
  writeFileSync(file, generateFeed(20_000))
  await severalPolls()
  await catalogue.close()
  t.match(loads[1], { products: Number })
})

t.test('following a feed does not keep the process alive', async t => {
  mock.timers.reset()
  const before = process.getActiveResourcesInfo().filter(name => name === 'Timeout').length
  await follow(t, feedOf('A'))
  t.equal(process.getActiveResourcesInfo().filter(name => name === 'Timeout').length, before)
})
