// The feed is followed: a changed file is taken up while the server runs, and nothing unreadable replaces the last
// good one. The file is looked at every few milliseconds here.
import { appendFileSync, mkdirSync, renameSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { type FeedCatalogue, followFeed } from '../../src/catalogue/feed-catalogue.ts'
import { until } from '../until.ts'
import { generateFeed } from './generated-feed.ts'

const INTERVAL = 5
/** Time for the file to be looked at several times. */
const SEVERAL_LOOKS = 100

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

/** Follows a feed file of this text until the test ends. */
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

t.test('the feed is there from the start, and its load is reported', async t => {
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

t.test('a changed file is taken up without a restart', async t => {
  const { file, loads, skus, failures } = await follow(t, feedOf('A'))
  writeFileSync(file, feedOf('A', 'B'))
  await until('the file written anew', () => skus().join() === 'A,B')
  writeFileSync(`${file}.new`, feedOf('C'))
  renameSync(`${file}.new`, file)
  await until('the file put in its place', () => skus().join() === 'C')
  await pause(SEVERAL_LOOKS)
  t.strictSame({ loads: loads.length, failures }, { loads: 3, failures: [] }, 'each is loaded once')
})

t.test('a file that is still being written is not taken up', async t => {
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
    'it was never taken in part'
  )
})

t.test('a broken new file never replaces the good one, and is reported once', async t => {
  const broken = ['', 'no feed', feedOf(), 'id\ttitle\tprice\tavailability\nA\tT\tfree\tin_stock']
  for (const text of broken) {
    const { file, failures, skus, loads } = await follow(t, feedOf('A'))
    writeFileSync(file, text)
    await until('the report', () => failures.length > 0)
    await pause(SEVERAL_LOOKS)
    t.strictSame(
      { skus: skus(), failures: failures.length, loads: loads.length },
      { skus: ['A'], failures: 1, loads: 1 }
    )
    writeFileSync(file, feedOf('A', 'B'))
    await until('the mended file', () => skus().join() === 'A,B')
    writeFileSync(file, text)
    await until('the report of another break', () => failures.length === 2)
    t.strictSame(skus(), ['A', 'B'], JSON.stringify(text))
  }
})

t.test('a file that vanishes leaves the last good one in use, and is reported once', async t => {
  const { file, failures, skus } = await follow(t, feedOf('A'))
  rmSync(file)
  await until('the report', () => failures.length > 0)
  await pause(SEVERAL_LOOKS)
  t.match(failures, [{ code: 'ENOENT' }])
  t.strictSame({ failures: failures.length, skus: skus() }, { failures: 1, skus: ['A'] })

  writeFileSync(file, feedOf('B'))
  await until('the file that came back', () => skus().join() === 'B')
  rmSync(file)
  await until('the report of its going again', () => failures.length === 2)
  t.strictSame(skus(), ['B'])
})

t.test('a broken file that then vanishes is two reports', async t => {
  const { file, failures, skus } = await follow(t, feedOf('A'))
  writeFileSync(file, 'no feed')
  await until('the first report', () => failures.length === 1)
  await pause(SEVERAL_LOOKS)
  rmSync(file)
  await until('the second report', () => failures.length === 2)
  t.strictSame(skus(), ['A'])
})

t.test('one that cannot be read is tried again, and reported once', async t => {
  const { file, failures, skus } = await follow(t, feedOf('A'))
  rmSync(file)
  mkdirSync(file)
  await until('the failure', () => failures.some(({ message }) => message.startsWith('EISDIR')))
  await pause(SEVERAL_LOOKS)
  t.equal(failures.filter(({ message }) => message.startsWith('EISDIR')).length, 1)
  t.strictSame(skus(), ['A'], 'the last good one stays in use')
  rmdirSync(file)
  writeFileSync(file, feedOf('A', 'B'))
  await until('the new file', () => skus().length === 2)
})

t.test('the good file put back is taken up', async t => {
  const { file, failures, skus, loads } = await follow(t, feedOf('A'))
  renameSync(file, `${file}.old`)
  writeFileSync(file, 'no feed')
  await until('the report', () => failures.length === 1)
  renameSync(`${file}.old`, file)
  await until('the file', () => loads.length === 2)
  t.strictSame(skus(), ['A'])
})

t.test('close stops it: nothing is loaded or reported any more', async t => {
  const { file, catalogue, loads, failures, skus } = await follow(t, feedOf('A'), 1)
  await pause(20)
  await catalogue.close()
  writeFileSync(file, feedOf('B'))
  await pause(SEVERAL_LOOKS)
  rmSync(file)
  await pause(SEVERAL_LOOKS)
  t.strictSame({ loads: loads.length, failures, skus: skus() }, { loads: 1, failures: [], skus: ['A'] })
  await catalogue.close()
})

t.test('close waits for a load that has begun', async t => {
  const { file, catalogue, loads } = await follow(t, feedOf('A'), 1)
  writeFileSync(file, generateFeed(2000))
  await pause(12)
  await catalogue.close()
  const atClose = loads.length
  await pause(4 * SEVERAL_LOOKS)
  t.equal(loads.length, atClose)
})

t.test('following a feed keeps no process alive', async t => {
  const before = process.getActiveResourcesInfo().filter(name => name === 'Timeout').length
  await follow(t, feedOf('A'))
  t.equal(process.getActiveResourcesInfo().filter(name => name === 'Timeout').length, before)
})
