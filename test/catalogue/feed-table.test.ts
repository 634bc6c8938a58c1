// Feeds with commas or semicolons, and feeds packed with gzip.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import t from 'tap'
import { FeedError, readFeed } from '../../src/catalogue/feed.ts'

async function read(bytes: Uint8Array | string, maxBytes?: number, chunk = 1000) {
  const all = Buffer.from(bytes as string)
  function* chunks(): Generator<Uint8Array> {
    for (let at = 0; at < all.length; at += chunk) yield all.subarray(at, at + chunk)
  }
  const { products, problems } = await readFeed(chunks(), maxBytes === undefined ? {} : { maxBytes })
  return { products: [...products.values()], problems }
}

const HEADER = 'id,title,description,price,availability'

t.test('columns are separated by tabs, commas or semicolons, whichever the first line has', async t => {
  const headers = [
    HEADER,
    HEADER.replaceAll(',', ';'),
    HEADER.replaceAll(',', '\t'),
    '"id","title","description","price","availability"',
    `\ufeff${HEADER}\r`,
    'id;title;"a,b";price;availability'
  ]
  for (const header of headers) {
    const delimiter = /[\t;]/.exec(header)?.[0] ?? ','
    const row = ['MUG', '"Mug, cup; 12"" tall"', '"a, b; c\n"', '1 GBP', 'in_stock'].join(delimiter)
    const { products, problems } = await read(`${header}\n${row}\n`)
    t.match(products, [{ sku: 'MUG', title: 'Mug, cup; 12" tall', offers: { GBP: { price: 100 } } }], header)
    t.strictSame(problems, [], header)
  }
})

t.test('a text in CSV may have as many commas and lines as it likes', async t => {
  const text = `"${'many, many, commas,\t\t\t\t\t\r\n\r\n'.repeat(50)}"`
  const rows = [`A,T,${text},1 GBP,in_stock`, `B,"T",${text},1 GBP,in_stock`, 'C,T,,free,in_stock']
  for (const chunk of [1, 100, 65_521]) {
    const { products, problems } = await read([HEADER, ...rows].join('\r\n'), undefined, chunk)
    t.strictSame(
      products.map(({ sku }) => sku),
      ['A', 'B']
    )
    t.match(problems, [{ line: 204, reason: /^price "free"/ }])
  }
})

t.test('a misplaced quotation mark in CSV costs only its own line', async t => {
  const rows = [
    'A,"12" tablet",x,1 GBP,in_stock', // 2
    'B,12" tablet,x,1 GBP,in_stock', // 3
    'C,"Cup,x,1 GBP,in_stock', // 4
    'D,"Dish",x,1 GBP,in_stock', // 5
    'E,"Egg,x,1 GBP,in_stock' // 6
  ]
  const { products, problems } = await read([HEADER, ...rows].join('\n'))
  t.strictSame(
    products.map(({ title }) => title),
    ['12" tablet', 'Dish']
  )
  t.strictSame(problems, [
    { line: 2, reason: 'a quotation mark within a quoted field is not doubled' },
    { line: 4, reason: 'a quotation mark is opened and never closed' },
    { line: 6, reason: 'a quotation mark is opened and never closed' }
  ])
})

t.test('the examples in config/README.md are feeds without a problem', async t => {
  const manual = readFileSync(join(import.meta.dirname, '../../config/README.md'), 'utf8')
  const examples = [...manual.matchAll(/^```\w*\n((?:id\t|<rss)[^`]*)^```/gm)].map(([, text]) => String(text))
  t.equal(examples.length, 3)
  t.equal(examples[0]?.trim().split('\n').length, 10)
  for (const text of examples) t.strictSame((await read(text)).problems, [], text)
  t.strictSame((await read(String(examples[1]))).products, (await read(String(examples[0]))).products.slice(4, 5))
})

t.test('a feed may be packed with gzip, whatever its format', async t => {
  const csv = `${HEADER}\nMUG,Mug,,1 GBP,in_stock\n`
  const xml = `<rss xmlns:g="http://base.google.com/ns/1.0"><item><g:id>MUG</g:id><title>Mug</title>
    <g:price>1 GBP</g:price><g:availability>in_stock</g:availability></item></rss>`
  const packed = { csv, tsv: csv.replaceAll(',', '\t'), xml }
  for (const [format, text] of Object.entries(packed)) {
    for (const chunk of [1, 1000]) {
      t.match((await read(gzipSync(text), undefined, chunk)).products, [{ sku: 'MUG', title: 'Mug' }], format)
    }
  }
  const whole = gzipSync(csv)
  await t.rejects(read(whole.subarray(0, -9)), new FeedError('its gzip is broken: unexpected end of file'))
  await t.rejects(read(Buffer.concat([whole.subarray(0, 3), Buffer.alloc(50, 255)])), {
    message: /^its gzip is broken: /
  })
})

t.test('a feed is read up to a size, which counts when it is unpacked', async t => {
  const text = `${HEADER}\nMUG,Mug,${'x'.repeat(500_000)},1 GBP,in_stock\n`
  const message = 'it is larger than 100000 bytes; raise catalogue.maxMegabytes'
  const packed = gzipSync(text)
  t.ok(packed.length < 10_000)
  await t.rejects(read(packed, 100_000), new FeedError(message))
  await t.rejects(read(text, 100_000), new FeedError(message))
  const short = `${HEADER}\nMUG,Mug,,1 GBP,in_stock\n`
  t.match((await read(short, short.length)).products, [{ sku: 'MUG' }])
})

t.test('an error of the file is not taken for one of gzip, and ends the reading', async t => {
  const packed = gzipSync(`${HEADER}\nMUG,Mug,${'x'.repeat(100_000)},1 GBP,in_stock\n`, { level: 0 })
  let isClosed = false
  function* chunks(): Generator<Uint8Array> {
    try {
      yield packed.subarray(0, 80_000)
      throw new RangeError('the disk is gone')
    } finally {
      isClosed = true
    }
  }
  await t.rejects(readFeed(chunks()), new RangeError('the disk is gone'))
  t.ok(isClosed)
})
