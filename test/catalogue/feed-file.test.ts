// Following a feed: a changed file is reloaded while the server runs, and an unreadable one never replaces the last
// good one. Here the file is polled when a test says so.
import { execFileSync } from 'node:child_process'
import { appendFileSync, mkdirSync, renameSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { mock } from 'node:test'
import t, { type Test } from 'tap'
import { followFeed } from '../../src/catalogue/feed-file.ts'
import type { FeedCatalogue, FollowFeedOptions } from '../../src/catalogue/followed-feed.ts'
import { until } from '../until.ts'

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
async function follow(
  t: Test,
  text: string,
  { read, ...options }: FollowFeedOptions & { read?: (file: string) => AsyncIterable<Uint8Array> } = {}
): Promise<Followed> {
  const file = join(t.testdir({ 'feed.tsv': text }), 'feed.tsv')
  const loads: Followed['loads'] = []
  const failures: Error[] = []
  const events = {
    onLoad: (loaded: Followed['loads'][number]) => loads.push(loaded),
    onFailure: failures.push.bind(failures)
  }
  const catalogue = await followFeed(file, events, INTERVAL, options, read)
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
  const now = performance.now.bind(performance)
  let later = 0
  performance.now = () => now() + later
  t.teardown(() => {
    performance.now = now
  })
  const HOUR = 3_600_000
  const { file, catalogue, failures, skus } = await follow(t, `${feedOf('A')}\nbroken`)
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

t.test('a feed that loses more products than allowed is not taken up, and the report says how many', async t => {
  const { file, failures, skus, loads } = await follow(t, feedOf('A', 'B', 'C', 'D'), { maxShrink: 50 })
  writeFileSync(file, feedOf('A'))
  await poll('the report', () => failures.length > 0)
  await severalPolls()
  t.match(failures, {
    length: 1,
    0: /^Error: products fell from 4 to 1, by more than 50 %; if that is right, raise/
  })
  t.strictSame({ skus: skus(), loads: loads.length }, { skus: ['A', 'B', 'C', 'D'], loads: 1 })
  writeFileSync(file, feedOf('E', 'F'))
  await poll('the half', () => skus().join() === 'E,F')
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
  const isReported = ({ message }: Error) => message === 'it is not a regular file'
  await poll('the failure', () => failures.some(isReported))
  await severalPolls()
  t.equal(failures.filter(isReported).length, 1)
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

/** Reads a feed as it is at first, and from then on until it is released, as on a network mount that is gone. */
function hangingRead() {
  const { promise, resolve: release } = Promise.withResolvers<void>()
  const state = { reads: 0, release }
  async function* read(file: string): AsyncGenerator<Uint8Array> {
    state.reads += 1
    const isFirst = state.reads === 1
    yield await readFile(file)
    if (!isFirst) await promise
  }
  return { state, read }
}

t.test('a read that hangs is reported once, and the last good feed stays until it ends', async t => {
  const { state, read } = hangingRead()
  const { file, failures, skus } = await follow(t, feedOf('A'), { read })
  writeFileSync(file, feedOf('A', 'B'))
  await poll('the failure', () => failures.length > 0)
  for (let i = 0; i < 5; i++) await severalPolls()
  t.match(failures, { length: 1, 0: { message: 'a look at it has taken 15 s so far; its file system may hang' } })
  t.strictSame({ skus: skus(), reads: state.reads }, { skus: ['A'], reads: 2 })
  state.release()
  await poll('the changed file', () => skus().join() === 'A,B')
  t.strictSame({ failures: failures.length, reads: state.reads }, { failures: 1, reads: 2 })
})

t.test('close abandons a load in progress, and does not wait for it', async t => {
  const { state, read } = hangingRead()
  const { file, catalogue, loads, failures, skus } = await follow(t, feedOf('A'), { read })
  writeFileSync(file, feedOf('B'))
  await poll('the read', () => state.reads === 2)
  await catalogue.close()
  state.release()
  await severalPolls()
  t.strictSame({ loads: loads.length, failures, skus: skus() }, { loads: 1, failures: [], skus: ['A'] })
})

t.test('following a feed does not keep the process alive', async t => {
  mock.timers.reset()
  const before = process.getActiveResourcesInfo().filter(name => name === 'Timeout').length
  await follow(t, feedOf('A'))
  t.equal(process.getActiveResourcesInfo().filter(name => name === 'Timeout').length, before)
})
