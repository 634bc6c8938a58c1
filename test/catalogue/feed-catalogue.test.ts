// Following a feed: a changed file is reloaded while the server runs, and an unreadable one never replaces the last
// good one. Here the file is polled when a test says so.
import {
  appendFileSync,
  closeSync,
  createReadStream,
  mkdirSync,
  openSync,
  renameSync,
  rmdirSync,
  rmSync,
  writeFileSync,
  writeSync
} from 'node:fs'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { mock } from 'node:test'
import t, { type Test } from 'tap'
import { type FeedAccess, followFeed } from '../../src/catalogue/feed-catalogue.ts'
import type { FeedCatalogue, FollowFeedOptions } from '../../src/catalogue/followed-feed.ts'
import { runNode } from '../node-process.ts'
import { until } from '../until.ts'
import { makePipe } from './named-pipe.ts'

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
  { access, ...options }: FollowFeedOptions & { access?: FeedAccess } = {}
): Promise<Followed> {
  const file = join(t.testdir({ 'feed.tsv': text }), 'feed.tsv')
  const loads: Followed['loads'] = []
  const failures: Error[] = []
  const events = {
    onLoad: (loaded: Followed['loads'][number]) => loads.push(loaded),
    onFailure: failures.push.bind(failures)
  }
  const catalogue = await followFeed(file, events, INTERVAL, options, access)
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
  const notAFile = { message: 'it is not a regular file' }
  await t.rejects(followFeed(folder, events, INTERVAL), notAFile, 'a folder')
  await t.rejects(followFeed(makePipe(t), events, INTERVAL), notAFile, 'a named pipe that nobody writes to')
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

t.test('close abandons a load in progress', async t => {
  const reading = Promise.withResolvers<void>()
  const more = Promise.withResolvers<void>()
  let isChanged = false
  async function* read(): AsyncGenerator<Uint8Array> {
    yield Buffer.from(feedOf('A'))
    if (!isChanged) return
    reading.resolve()
    await more.promise
    yield Buffer.from('\nB\tT\t1 GBP\tin_stock')
  }
  const { file, catalogue, loads, failures } = await follow(t, feedOf('A'), {
    access: { stat, read, patience: 60_000 }
  })
  isChanged = true
  writeFileSync(file, feedOf('A', 'B'))
  await severalPolls()
  await reading.promise
  const closed = catalogue.close()
  more.resolve()
  await closed
  t.strictSame({ loads: loads.length, failures }, { loads: 1, failures: [] })
})

/** Reads files, or a named pipe instead, in which a thread hangs as on a network mount that is gone. */
function hangingAccess(t: Test, patience: number) {
  const pipe = makePipe(t)
  const state = { isHanging: false, reads: 0, release: () => {} }
  const read: FeedAccess['read'] = file => {
    state.reads += 1
    if (!state.isHanging) return createReadStream(file)
    // Opened for writing too, so that opening succeeds and reading waits.
    const writer = openSync(pipe, 'r+')
    state.release = () => {
      state.isHanging = false
      writeSync(writer, 'some of it')
      closeSync(writer)
    }
    return createReadStream(pipe, { flags: 'r+', highWaterMark: 1 })
  }
  return { state, access: { stat, read, patience } }
}

t.test('a read that hangs is given up and reported once; no other begins before it ends', async t => {
  const { state, access } = hangingAccess(t, 1000)
  const { file, failures, skus } = await follow(t, feedOf('A'), { access })
  state.isHanging = true
  writeFileSync(file, feedOf('A', 'B'))
  await poll('the failure', () => failures.length > 0)
  await severalPolls()
  t.match(failures, [{ message: 'the file system has not answered for 1 s' }])
  t.strictSame({ skus: skus(), failures: failures.length, reads: state.reads }, { skus: ['A'], failures: 1, reads: 2 })

  state.release()
  await poll('the changed file', () => skus().join() === 'A,B')
  t.strictSame({ failures: failures.length, reads: state.reads }, { failures: 1, reads: 3 })

  state.isHanging = true
  writeFileSync(file, feedOf('C'))
  await poll('the second failure', () => failures.length === 2)
  state.release()
  await poll('the file', () => skus().join() === 'C')
})

t.test('close does not wait for a read that hangs', async t => {
  const { state, access } = hangingAccess(t, 600_000)
  const { file, catalogue, failures } = await follow(t, feedOf('A'), { access })
  state.isHanging = true
  writeFileSync(file, feedOf('B'))
  await poll('the read', () => state.reads === 2)
  await catalogue.close()
  t.strictSame(failures, [])
  state.release()
})

t.test('after close nothing is read, not even by a load in progress', async t => {
  let isChanged = false
  let reads = 0
  const closed = Promise.withResolvers<void>()
  const read: FeedAccess['read'] = file => {
    if (!isChanged) return createReadStream(file)
    // Between two operations of a load.
    closed.resolve(followed.catalogue.close())
    const next = () => {
      reads++
      return new Promise<never>(() => {})
    }
    return { [Symbol.asyncIterator]: () => ({ next }) }
  }
  const followed = await follow(t, feedOf('A'), { access: { stat, read, patience: 600_000 } })
  isChanged = true
  writeFileSync(followed.file, feedOf('B'))
  await severalPolls()
  await closed.promise
  t.strictSame({ reads, failures: followed.failures }, { reads: 0, failures: [] })
})

t.test('a read that hangs does not keep the process from exiting', async t => {
  const pipe = makePipe(t)
  for (const [moment, stdout] of [
    ['given-up', 'the file system has not answered for 0.05 s\n'],
    ['under-way', '']
  ] as const) {
    let isLate = false
    const result = await runNode([join(import.meta.dirname, 'stuck-feed.ts'), pipe, moment], {}, child => {
      const timer = setTimeout(() => {
        isLate = true
        child.kill('SIGKILL')
      }, 60_000)
      child.on('close', () => clearTimeout(timer))
    })
    t.strictSame({ ...result, isLate }, { code: null, stdout, stderr: '', isLate: false }, moment)
  }
})

t.test('any number of feeds wait for the file system at a time, and leave no listener behind', async t => {
  const warnings: Error[] = []
  const onWarning = (warning: Error) => warnings.push(warning)
  process.on('warning', onWarning)
  t.teardown(() => process.off('warning', onWarning))
  const state = () => ({ listeners: process.listenerCount('exit'), max: process.getMaxListeners() })
  const before = state()
  const { file } = await follow(t, feedOf('A'))
  const events = { onLoad: () => {}, onFailure: () => {} }
  const feeds = await Promise.all(Array.from({ length: 50 }, () => followFeed(file, events, INTERVAL)))
  await Promise.all(feeds.map(feed => feed.close()))
  t.strictSame({ ...state(), warnings }, { ...before, warnings: [] })
})

t.test('following a feed does not keep the process alive', async t => {
  mock.timers.reset()
  const before = process.getActiveResourcesInfo().filter(name => name === 'Timeout').length
  await follow(t, feedOf('A'))
  t.equal(process.getActiveResourcesInfo().filter(name => name === 'Timeout').length, before)
})
