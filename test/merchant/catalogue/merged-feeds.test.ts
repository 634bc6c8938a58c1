// Several feeds of one merchant: what a product has of which, that each is followed by itself, and what is reported.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { followFeed, followFeedUrl } from '../../../src/merchant/catalogue/feed-source.ts'
import type { FeedCatalogue } from '../../../src/merchant/catalogue/followed-feed.ts'
import { type FeedDifference, followFeeds, type ListedFeed } from '../../../src/merchant/catalogue/merged-feeds.ts'
import { type Availability, findProducts, type Product } from '../../../src/merchant/catalogue/product.ts'
import type { Language } from '../../../src/messages/messages.ts'
import { listen } from '../../listen.ts'
import { until } from '../../until.ts'
import { feedOf } from './read-products.ts'

type Row = [id: string, title: string, price: string, availability?: string, image?: string, color?: string]

function table(...rows: Row[]): string {
  const lines = rows.map(([id, title, price, availability = 'in_stock', image = '', color = '']) =>
    [id, title, price, availability, image, color].join('\t')
  )
  return ['id\ttitle\tprice\tavailability\timage_link\tcolor', ...lines].join('\n')
}

type Listed = { text: string; language?: Language }

const events = { onLoad: () => {}, onFailure: () => {} }

/** Feeds that are of use. */
async function open(listed: ListedFeed[], onDiffer: (difference: FeedDifference) => void = () => {}) {
  const onFailure = (error: unknown) => t.fail(String(error))
  return (await followFeeds(listed, onDiffer, onFailure)) as FeedCatalogue
}

/** Follows files with these texts; `write` replaces one of them. */
async function follow(t: Test, feeds: (string | Listed)[]) {
  // Not tap's own folder, which is deleted while feeds are still followed.
  const folder = mkdtempSync(join(tmpdir(), 'cart-transfer-feeds-'))
  const differences: FeedDifference[] = []
  const write = (i: number, text: string) => {
    writeFileSync(join(folder, `${i}.tsv`), text)
  }
  const listed = feeds.map((feed, i) => {
    const { text, language } = typeof feed === 'string' ? { text: feed } : feed
    write(i, text)
    return { language, follow: (onUse: () => void) => followFeed(join(folder, `${i}.tsv`), events, 5, { onUse }) }
  })
  const catalogue = await open(listed, difference => differences.push(difference))
  t.teardown(async () => {
    await catalogue.close()
    rmSync(folder, { recursive: true })
  })
  const skus = () => [...catalogue.products()].flatMap(product => product?.sku ?? []).join()
  return { catalogue, write, differences, skus }
}

t.test('two feeds by currency are one catalogue: a product has the prices of both', async t => {
  const eur = table(['MUG', 'Becher', '12.50 EUR', 'in_stock', 'https://a.example/m.jpg', 'Blau'], ['EU', 'E', '1 EUR'])
  const chf = table(['CH', 'C', '2 CHF'], ['MUG', 'Becher', '14.00 CHF'], ['MUG', 'Becher', '15.00 USD'])
  const { catalogue, skus, differences } = await follow(t, [eur, chf])
  t.strictSame(catalogue.product('MUG'), {
    sku: 'MUG',
    title: 'Becher',
    variant: 'Blau',
    image: 'https://a.example/m.jpg',
    offers: {
      EUR: { availability: 'in_stock', price: 1250 },
      CHF: { availability: 'in_stock', price: 1400 },
      USD: { availability: 'in_stock', price: 1500 }
    },
    texts: {}
  })
  t.match([catalogue.product('EU')?.offers, catalogue.product('CH')?.offers], [{ EUR: {} }, { CHF: {} }])
  t.equal(catalogue.product('NOBODY'), undefined)
  t.equal(skus(), 'MUG,EU,CH', 'each once: the first feed, then what it lacks')
  t.match(catalogue.status?.(), { products: 3, problems: 0 })
  t.strictSame(differences, [])
})

t.test('title and variant are in every language that there is, and found in any', async t => {
  const own = table(['MUG', 'Blue mug', '1 GBP', 'in_stock', '', 'Blue'], ['BOX', 'Box', '1 GBP'])
  const german = table(['MUG', 'Becher', '1 GBP', 'in_stock', '', 'Blau'], ['HUT', 'Hut', '1 GBP'])
  const austrian = table(['MUG', 'Häferl', '2 EUR'], ['BOX', 'Schachtel', '2 EUR'])
  const { catalogue, differences } = await follow(t, [
    { text: german, language: 'de' },
    own,
    { text: austrian, language: 'de' }
  ])
  t.match(catalogue.product('MUG'), {
    ...{ title: 'Blue mug', variant: 'Blue', language: undefined },
    texts: { de: { title: 'Becher', variant: 'Blau' } }
  })
  t.match(catalogue.product('BOX'), { title: 'Box', language: undefined, texts: { de: { title: 'Schachtel' } } })
  const germanOnly = { title: 'Hut', language: 'de', texts: { de: { title: 'Hut' } } }
  t.match(catalogue.product('HUT'), germanOnly, 'the language of a title that the own language lacks')
  for (const words of ['blau becher', 'MUG blue', 'mug blau']) {
    t.match(await findProducts(catalogue, words, 10), [{ sku: 'MUG' }], words)
  }
  t.match(differences, [{ field: 'title', products: 1, id: 'MUG', used: 'Becher', other: 'Häferl', at: 2 }])
})

t.test('one feed is followed as it is, unless it is in another language', async t => {
  const alone = await follow(t, [feedOf('A')])
  t.notOk('texts' in (alone.catalogue.product('A') ?? {}))
  t.equal(alone.catalogue.product('A'), alone.catalogue.product('A'), 'nothing is put together')
  const german = await follow(t, [{ text: feedOf('A'), language: 'de' }])
  t.match(german.catalogue.product('A'), { language: 'de', texts: { de: { title: 'T' } } })
})

t.test('what feeds say differently follows the first that has it, and is reported with an example', async t => {
  const first = table(
    ['MUG', 'Mug', '1 GBP', 'out_of_stock'],
    ['POT', 'Pot', '1 GBP', 'in_stock', 'https://a.example/1.jpg'],
    ['PAN', 'Pan', '1 GBP', 'preorder'],
    ['PAN', 'Pan', '1 USD', 'in_stock'],
    ['JUG', 'Jug', '1 GBP']
  )
  const second = table(
    ['MUG', 'Mug', '2 EUR', 'in_stock', 'https://b.example/2.jpg'],
    ['POT', 'Pot', '3 GBP', 'in_stock', 'https://b.example/1.jpg'],
    ['PAN', 'Pan', '1 USD', 'preorder'],
    ['PAN', 'Pan', '1 EUR', 'preorder'],
    ['JUG', 'Krug', '1 EUR', 'backorder']
  )
  const { catalogue, differences } = await follow(t, [first, second, second])
  const available = (sku: string) =>
    Object.entries(catalogue.product(sku)?.offers ?? {}).map(([currency, { availability }]) => [currency, availability])
  t.strictSame(available('MUG'), [
    ['GBP', 'out_of_stock'],
    ['EUR', 'out_of_stock']
  ])
  t.strictSame(
    available('PAN'),
    [
      ['GBP', 'preorder'],
      ['USD', 'in_stock'],
      ['EUR', 'preorder']
    ],
    'within one feed each currency has its own'
  )
  t.match(catalogue.product('MUG'), { image: 'https://b.example/2.jpg' }, 'the first that has a picture')
  t.match(catalogue.product('POT'), { image: 'https://a.example/1.jpg', offers: { GBP: { price: 100 } } })
  t.equal(catalogue.product('JUG')?.title, 'Jug')
  t.strictSame(differences, [
    { field: 'availability', products: 3, id: 'MUG', used: 'out_of_stock', other: 'in_stock', at: 1 },
    {
      ...{ field: 'price', products: 1, id: 'POT', at: 1 },
      ...{ used: { currency: 'GBP', availability: 'in_stock', price: 100 } },
      other: { currency: 'GBP', availability: 'in_stock', price: 300 }
    },
    {
      ...{ field: 'picture', products: 1, id: 'POT', at: 1 },
      ...{ used: 'https://a.example/1.jpg', other: 'https://b.example/1.jpg' }
    },
    { field: 'title', products: 1, id: 'JUG', used: 'Jug', other: 'Krug', at: 1 }
  ])
})

t.test('each feed is followed by itself; a difference is reported again when its number changes', async t => {
  const { catalogue, write, differences, skus } = await follow(t, [
    table(['A', 'A', '1 EUR'], ['B', 'B', '1 EUR'], ['C', 'C', '1 EUR']),
    table(['A', 'A', '1 CHF', 'backorder'])
  ])
  const counts = () => differences.map(({ field, products }) => `${field} ${products}`).join()
  t.equal(counts(), 'availability 1')
  write(1, table(['A', 'A', '1 CHF', 'preorder'], ['NEW', 'N', '1 CHF']))
  await until('the new product', () => catalogue.status?.().products === 4)
  t.equal(counts(), 'availability 1', 'still as many')
  t.equal(skus(), 'A,B,C,NEW')
  write(1, table(['A', 'A', '1 CHF', 'preorder'], ['B', 'B', '1 CHF', 'preorder'], ['B', 'B', '2 EUR']))
  await until('the report', () => differences.length === 3)
  t.equal(counts(), 'availability 1,availability 2,price 1')
  write(1, 'no feed any more')
  write(0, table(['A', 'A', '5 EUR', 'preorder']))
  await until('the other feed', () => skus() === 'A,B')
  t.match(catalogue.product('A')?.offers, { EUR: { price: 500 }, CHF: { availability: 'preorder', price: 100 } })
  await until('the survey', () => catalogue.status?.().products === 2)
  write(0, table(['A', 'A', '1 EUR'], ['B', 'B', '1 EUR']))
  await until('what is new again', () => differences.length === 5)
  t.equal(counts(), 'availability 1,availability 2,price 1,availability 2,price 1')
})

/** Feeds of many products, which change when a test says so. */
function scripted(count: number) {
  const skus = new Set(Array.from({ length: count }, (_, i) => `SKU-${i}`))
  let availability: Availability = 'in_stock'
  let onUse = () => {}
  const closed: number[] = []
  const product = (sku: string, at: number): Product => {
    const offer = { price: 100, availability: at === 0 ? 'in_stock' : availability }
    return { sku, title: 'T', offers: { GBP: offer } }
  }
  const feedAt = (at: number): ListedFeed => ({
    follow: async use => {
      onUse = use
      return {
        product: sku => (skus.has(sku) ? product(sku, at) : undefined),
        products: () => Array.from(skus, sku => product(sku, at)),
        status: () => ({ products: count, problems: 0, age: 0, isNewestRefused: false }),
        close: async () => void closed.push(at)
      }
    }
  })
  const change = (changed: Availability) => {
    availability = changed
    onUse()
  }
  return { feeds: [feedAt(0), feedAt(1)], change, closed }
}

/** Longer than it takes to compare all products of a test. */
async function severalTurns(): Promise<void> {
  for (let turn = 0; turn < 50; turn++) await setImmediate()
}

t.test('a change while products are compared begins anew, and after the end nothing is reported', async t => {
  const { feeds, change, closed } = scripted(1000)
  const reports: string[] = []
  const catalogue = await open(feeds, ({ products, other }) => reports.push(`${products} ${other}`))
  t.equal(catalogue.status?.().products, 1000, 'before they are counted')
  change('preorder')
  change('backorder')
  await severalTurns()
  t.strictSame(reports, ['1000 backorder'])
  change('in_stock')
  await severalTurns()
  change('preorder')
  await catalogue.close()
  change('backorder')
  await severalTurns()
  t.strictSame(reports, ['1000 backorder'])
  t.strictSame(closed, [0, 1])
})

t.test(
  'while all products are compared or searched, also those that several feeds have, others have their turn',
  async t => {
    let turns = 0
    let isOver = false
    const count = async () => {
      for (; !isOver; turns++) await setImmediate()
    }
    const counting = count()
    const catalogue = await open(scripted(3000).feeds)
    await severalTurns()
    t.ok(turns >= 6000 / 200, `${turns} turns`)
    turns = 0
    t.strictSame(await findProducts(catalogue, 'nobody has it', 1), [])
    t.ok(turns >= 6000 / 1000 - 1, `${turns} turns`)
    isOver = true
    await counting
  }
)

t.test('if one of them is of no use, all are tried, and none is followed', async t => {
  const { feeds, closed } = scripted(1)
  const useless = { follow: async () => undefined }
  t.equal(await open([useless, ...feeds]), undefined)
  t.strictSame(closed, [0, 1])
})

t.test('any other error ends it, whatever is of no use besides', async t => {
  const { feeds, closed } = scripted(1)
  const useless = { follow: async () => undefined }
  const gone = { follow: () => Promise.reject(new Error('gone')) }
  await t.rejects(open([useless, ...feeds, gone]), { message: 'gone' })
  t.strictSame(closed, [0, 1])
})

t.test('feeds that cannot be compared are followed all the same', async t => {
  const { feeds, change } = scripted(1)
  change('preorder')
  const full = new Error('the log is full')
  const errors: unknown[] = []
  const onDiffer = () => {
    throw full
  }
  const catalogue = await followFeeds(feeds, onDiffer, error => errors.push(error))
  await severalTurns()
  t.strictSame(errors, [full])
  t.match(catalogue?.product('SKU-0'), { sku: 'SKU-0' })
  await catalogue?.close()
})

t.test('the products of fetched feeds are known at once after a restart, when each is fetched anew', async t => {
  const folder = mkdtempSync(join(tmpdir(), 'cart-transfer-feeds-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  const skus = Array.from({ length: 5000 }, (_, i) => `SKU-${i}`)
  const { origin } = await listen(t, ({ url }, reply) => void reply.end(feedOf(...skus, String(url).slice(1))))
  const follows = ['a', 'b'].map(name => ({
    follow: (onUse: () => void) =>
      followFeedUrl(
        {
          ...{ url: `${origin}/${name}`, copy: join(folder, name), onUse },
          ...{ timeout: 60_000, maxBytes: 1e6, interval: 1e9 }
        },
        { ...events, onUnreachable: () => {} }
      )
  }))
  for (let starts = 0; starts < 3; starts++) {
    const catalogue = await open(follows)
    t.equal(catalogue.status?.().products, 5001, 'as many as the largest has')
    await until('the survey', () => catalogue.status?.().products === 5002)
    await catalogue.close()
  }
})

t.test('problems are added up, and the age is that of the oldest feed', async t => {
  const { origin } = await listen(t, (_request, reply) => void reply.end(`${feedOf('A', 'B')}\nbroken`))
  const folder = mkdtempSync(join(tmpdir(), 'cart-transfer-feeds-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'feed.tsv')
  writeFileSync(file, `${feedOf('A', 'C')}\nbroken\nbroken`)
  const noon = Date.parse('2026-11-20T12:00:00Z')
  let now = noon
  const clock = () => new Date(now)
  const address = { url: `${origin}/feed`, timeout: 60_000, maxBytes: 1e6, copy: join(folder, 'x.feed'), interval: 1e9 }
  const catalogue = await open([
    { follow: onUse => followFeed(file, events, 1e6, { onUse, clock: () => new Date(now - 5000) }) },
    {
      language: 'de',
      follow: onUse => followFeedUrl({ ...address, onUse, clock }, { ...events, onUnreachable: () => {} })
    }
  ])
  await until('the survey', () => catalogue.status?.().products === 3)
  now += 60_000
  t.strictSame(catalogue.status?.(), { products: 3, problems: 3, age: 60_000, isNewestRefused: false })
  await catalogue.close()
})
