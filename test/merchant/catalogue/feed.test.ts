// A whole feed: every usable product, and every unusable line with its number and reason.
import { gzipSync, zstdCompressSync } from 'node:zlib'
import t from 'tap'
import { readFeed } from '../../../src/merchant/catalogue/feed.ts'
import { CurrencyError, FeedError } from '../../../src/merchant/catalogue/feed-row.ts'
import { chunksOf, readProducts } from './read-products.ts'

const HEADER = 'id\ttitle\tprice\tavailability\timage_link'
const MUG = { sku: 'MUG', title: 'Mug', offers: { GBP: { availability: 'in_stock', price: 100 } } }

/** Reads a feed with these lines. */
const read = (...lines: string[]) => readProducts(lines.join('\n'))

t.test('the first line names the columns, in any order and any spelling that Google accepts', async t => {
  const cases: [header: string, row: string][] = [
    ['id\ttitle\tprice\tavailability', 'MUG\tMug\t1 GBP\tin_stock'],
    ['availability\tid\tprice\ttitle', 'in_stock\tMUG\t1 GBP\tMug'],
    ['ID\tTitle\tPRICE\tAvailability', 'MUG\tMug\t1 GBP\tin_stock'],
    [' id \ttitle\tprice\t availability', 'MUG\tMug\t1 GBP\tin_stock'],
    ['"id"\t"title"\t"price"\t"availability"', 'MUG\tMug\t1 GBP\tin_stock'],
    ['id\ttitle\tdescription\tprice\tavailability', 'MUG\tMug\t"two\nlines"\t1 GBP\tin_stock']
  ]
  for (const [header, row] of cases) {
    t.strictSame(await read(header, row), { products: [MUG], problems: [] }, JSON.stringify(header))
  }
  const spaced = await read(
    'id\ttitle\tprice\tavailability\tSale Price\tImage Link',
    'A\tA\t2 GBP\tin_stock\t1 GBP\thttps://a/b'
  )
  t.match(spaced.products, [{ image: 'https://a/b', offers: { GBP: { sale: { price: 100 } } } }], 'spelled with spaces')
})

t.test('rows with one id in several currencies are one product with several prices', async t => {
  const { products, problems } = await read(
    HEADER,
    'MUG\tMug\t1 GBP\tin_stock\tpictures/a.svg',
    'CUP\tCup\t3 GBP\tin_stock\t',
    'MUG\tMug in dollars\t2 USD\tout_of_stock\tpictures/b.svg',
    'MUG\tMug in yen\t300 JPY\tpreorder\t'
  )
  const offers = {
    GBP: { availability: 'in_stock', price: 100 },
    USD: { availability: 'out_of_stock', price: 200 },
    JPY: { availability: 'preorder', price: 300 }
  }
  t.strictSame(products[0], { sku: 'MUG', title: 'Mug', image: '/pictures/a.svg', offers })
  t.strictSame([products.length, problems], [2, []])
})

t.test('of two rows with the same id and currency the first is used and the second reported', async t => {
  const rows = ['MUG\tMug\t1 GBP\tin_stock\t', 'CUP\tCup\t1 GBP\tin_stock\t', 'MUG\tOther\t2 GBP\tout_of_stock\t']
  const { products, problems } = await read(HEADER, ...rows)
  t.strictSame(products[0], MUG)
  t.strictSame(problems, [{ line: 4, id: 'MUG', reason: 'id "MUG" in GBP is in an earlier line, which is kept' }])
})

t.test('a broken row is reported with line, id and reason, and the others are used', async t => {
  const { products, problems } = await read(
    HEADER, // 1
    '\t\t\t\t', // 2
    'A\tfour\tfields\there', // 3
    'A\tT\t1 GBP\tin_stock\t\tsix', // 4
    '', // 5
    'A\t"T\n\nT"\tfree\tin_stock\t', // 6 to 8
    'MUG\tMug\t1 GBP\tin_stock\t', // 9
    'A\t"T\t1 GBP\tin_stock\t', // 10
    'A\tT\t1 GBP\tsold\t', // 11
    'CUP\tCup\t1 GBP\tin_stock\tcup.svg' // 12
  )
  t.strictSame(
    products.map(({ sku }) => sku),
    ['MUG', 'CUP']
  )
  t.strictSame(problems, [
    { line: 2, reason: 'id is empty' },
    { line: 3, reason: '4 fields where the first line names 5' },
    { line: 4, reason: '6 fields where the first line names 5' },
    { line: 6, id: 'A', reason: 'price "free": give an amount and an ISO 4217 code, such as "15.00 GBP"' },
    { line: 10, reason: 'a quotation mark is opened and never closed' },
    { line: 11, id: 'A', reason: 'availability "sold": give in_stock, out_of_stock, preorder or backorder' },
    {
      line: 12,
      id: 'CUP',
      reason: 'image_link "cup.svg": give an http(s) address or a path below "pictures/"',
      isServed: true
    }
  ])
})

t.test('a product with an unusable variant is used without it, and each of its problems is reported', async t => {
  const rows = ['A\tT\t1 GBP\tin_stock\tpictures/a.svg\tRed', 'MUG\tMug\t1 GBP\tin_stock\tftp://a/b\tRed']
  const { products, problems } = await read(
    `${HEADER}\tsize\tcolor`,
    ...rows.map(row => row.replace(/Red$/, `${'X'.repeat(101)}\tRed`))
  )
  t.match(products[0], { image: '/pictures/a.svg', variant: undefined })
  t.strictSame(products[1], MUG)
  t.match(problems, [
    { line: 2, reason: /^size "X{40}": at most 100 characters$/, isServed: true },
    { line: 3, reason: /^size /, isServed: true },
    { line: 3, reason: /^image_link /, isServed: true }
  ])
})

t.test('a shop over https does without http pictures, and each is reported', async t => {
  const text = `${HEADER}\nMUG\tMug\t1 GBP\tin_stock\thttp://images.example/mug.jpg`
  const reason = 'image_link "http://images.example/mug.jpg": a page over https cannot show it; give an https address'
  const problems = [{ line: 2, id: 'MUG', reason, isServed: true }]
  t.strictSame(await readProducts(text, 1000, { isHttps: true }), { products: [MUG], problems })
  t.match(await readProducts(text), { products: [{ image: 'http://images.example/mug.jpg' }] })
})

t.test('the currencies of a feed are those of the prices that can be used', async t => {
  const rows = ['A\tT\t1 GBP\tin_stock\t', 'A\tT\t1 USD\tin_stock\t', 'B\tT\t1 EUR\tsold\t', 'C\tT\t2 GBP\tin_stock\t']
  const { currencies } = await readFeed([Buffer.from([HEADER, ...rows].join('\n'))])
  t.strictSame([...currencies], ['GBP', 'USD'])
})

t.test('a feed without a price in any currency that is sold is refused', async t => {
  const rows = ['A\tT\t1 GBP\tin_stock\t', 'B\tT\t1 USD\tin_stock\t']
  const readFor = (...sold: string[]) => readFeed([Buffer.from([HEADER, ...rows].join('\n'))], { sold })
  await t.rejects(readFor('EUR', 'CHF'), new CurrencyError('it has no price in EUR, CHF, only in GBP, USD'))
  t.equal((await readFor('EUR', 'USD')).products.size(), 2)
  t.equal((await readFor()).products.size(), 2, 'if it is not known what is sold')
})

t.test('of many problems the first are kept, and all are counted', async t => {
  const rows = Array.from({ length: 1000 }, (_, i) => `x${i}`)
  const feed = await readFeed([Buffer.from([HEADER, 'MUG\tMug\t1 GBP\tin_stock\t', ...rows].join('\n'))])
  t.match(feed, { problemCount: 1000, problems: { length: 100, 0: { line: 3 }, 99: { line: 102 } } })
})

t.test('a row with invalid UTF-8 is broken: no title has replacement characters', async t => {
  const latin1 = Buffer.from(`${HEADER}\nCAFE\tCaf\u00e9\t1 GBP\tin_stock\t\nMUG\tMug\t1 GBP\tin_stock\t\n`, 'latin1')
  const problems = [{ line: 2, reason: 'it holds bytes that are not UTF-8' }]
  t.strictSame(await readProducts(latin1), { products: [MUG], problems })
})

t.test('a file that is not a feed is refused with what is missing', async t => {
  const row = 'MUG\tMug\t1 GBP\tin_stock\t'
  const columns = 'it must name the columns, separated by tabs or commas'
  const cases: [rule: string, text: string, message: string][] = [
    ['an empty file', '', 'the file is empty'],
    ['a byte order mark', '\ufeff', 'the file is empty'],
    ['empty lines', '\r\n\n\n', 'the file is empty'],
    ['only columns', HEADER, 'it holds no product that can be read'],
    [
      'no valid row',
      `${HEADER}\nA\nB`,
      'it holds no product that can be read; line 2: 1 fields where the first line names 5'
    ],
    ['no columns', row, `the first line names no id, title, price, availability; ${columns}`],
    ['a missing column', `id\ttitle\tprice\n${row}`, `the first line names no availability; ${columns}`],
    ['a web page', '<!doctype html>\n<h1>404</h1>', 'it is a web page, not a feed'],
    ['a web page without a doctype', '\n<HTML lang="en">', 'it is a web page, not a feed'],
    ['XHTML', '<?xml version="1.0"?>\n<!-- a > b -->\n<!DOCTYPE\n html>', 'it is a web page, not a feed'],
    ['a part of one', '<!-- 1 --><!-- 2 --> <head>', 'it is a web page, not a feed'],
    ['JSON', '[{"id":"MUG"}]', 'it is JSON; give a table or XML'],
    ['an object in JSON', '\ufeff {\n"products": []}', 'it is JSON; give a table or XML']
  ]
  for (const [rule, text, message] of cases) {
    await t.rejects(readFeed([Buffer.from(text)]), new FeedError(message), rule)
  }
  const noText = { message: 'the first line holds NUL: the file is UTF-16, or no text; save it as UTF-8' }
  for (const start of ['\ufeff', '']) {
    for (const text of [`${HEADER}\n${row}`, '<?xml version="1.0" encoding="utf-16"?>\n<rss/>']) {
      const utf16 = Buffer.from(`${start}${text}`, 'utf16le')
      await t.rejects(readFeed([utf16]), noText, 'UTF-16')
      await t.rejects(readFeed([Buffer.from(utf16).swap16()]), noText, 'UTF-16, big-endian')
    }
  }
  const tooMany = { message: 'the first line names 1001 columns; at most 1000 are read' }
  await t.rejects(readFeed([Buffer.from(`${HEADER}${'\tx'.repeat(996)}\n${row}`)]), tooMany)
  t.equal((await read(`${HEADER}${'\tx'.repeat(995)}`, `${row}${'\t'.repeat(995)}`)).products.length, 1)
  const unclosed = { message: 'line 2, which must name the columns: a quotation mark is opened and never closed' }
  await t.rejects(readFeed([Buffer.from(`\n"${HEADER}\n${row}`)]), unclosed)
})

t.test('what a feed is packed in is named, and what to give instead', async t => {
  const text = Buffer.from(`${HEADER}\nMUG\tMug\t1 GBP\tin_stock\t`)
  const file = (name: string) => Buffer.concat([Buffer.from('PK\x03\x04\x14\0\x08\0'), Buffer.from(name), text])
  const tar = Buffer.alloc(512)
  tar.write('feed.tsv')
  tar.write('ustar', 257)
  const packed = 'pack it with gzip, or not at all'
  const archive = 'give the file in it, as it is or packed with gzip'
  const workbook = 'it is a workbook; save its sheet as CSV in UTF-8'
  const cases: [name: string, bytes: Buffer, message: string][] = [
    ['gzip, twice', gzipSync(gzipSync(text)), 'it is packed with gzip twice; pack it once'],
    ['zip', file('feed.xml'), `it is a zip archive; ${archive}`],
    ['an empty zip', Buffer.from('PK\x05\x06'.padEnd(22, '\0')), 'it is a zip archive with nothing in it'],
    ['an .xlsx of Excel', file('[Content_Types].xml'), workbook],
    ['one of a library', file('docProps/app.xml'), workbook],
    ['an .ods', file('mimetypeapplication/vnd.oasis.opendocument.spreadsheet'), workbook],
    ['an .xls', Buffer.from('d0cf11e0a1b11ae1', 'hex'), workbook],
    ['bzip2', Buffer.from('BZh91AY&SY'), `it is packed with bzip2; ${packed}`],
    ['compress', Buffer.from('1f9d90', 'hex'), `it is packed with compress; ${packed}`],
    ['xz', Buffer.from('fd377a585a000004', 'hex'), `it is packed with xz; ${packed}`],
    ['Zstandard', zstdCompressSync(text), `it is packed with Zstandard; ${packed}`],
    ['LZ4', Buffer.from('04224d186440', 'hex'), `it is packed with LZ4; ${packed}`],
    ['7z', Buffer.from('377abcaf271c0004', 'hex'), `it is a 7z archive; ${archive}`],
    ['RAR', Buffer.from('526172211a0701', 'hex'), `it is a RAR archive; ${archive}`],
    ['tar', tar, `it is a tar archive; ${archive}`],
    ['a PDF', Buffer.from('%PDF-1.7'), 'it is a PDF; give a table or XML']
  ]
  for (const [name, bytes, message] of cases) {
    await t.rejects(readFeed([bytes]), new FeedError(message), name)
    await t.rejects(readFeed(chunksOf(gzipSync(bytes), 7)), new FeedError(message), `${name}, in gzip`)
  }
})

t.test('products that cost nothing are not served unless they are meant; a sale price of 0 is counted', async t => {
  const text = [
    'id\ttitle\tavailability\tprice\tsale_price',
    'MUG\tMug\tin_stock\t12 GBP\t0.00 GBP',
    'GIFT\tGift\tin_stock\t0 GBP\t',
    'ROPE\tRope\tin_stock\t20 GBP\t0',
    'ROPE\tRope\tin_stock\t20 GBP\t0'
  ].join('\n')
  const read = (hasFreeProducts?: boolean) =>
    readFeed([Buffer.from(text)], { ...(hasFreeProducts && { hasFreeProducts }) })
  const strict = await read()
  const reason = /^price "0 GBP": it is free; give a price, or set catalogue\.freeProducts to true/
  t.match(strict.problems, [{ line: 3, id: 'GIFT', reason }, { line: 5 }])
  t.strictSame(strict.noSales, { rows: 2, line: 2, id: 'MUG' })
  t.match(
    [...strict.products.values()],
    [
      { sku: 'MUG', offers: { GBP: { price: 1200, sale: undefined } } },
      { sku: 'ROPE', offers: { GBP: { price: 2000, sale: undefined } } }
    ]
  )
  t.match((await read(true)).products.get('GIFT'), { offers: { GBP: { price: 0 } } })
})

t.test('a feed that is refused at its beginning is closed, packed or not', async t => {
  const rest = Buffer.alloc(200_000, 'x')
  for (const start of ['<html>', '<?xml version="1.0" encoding="klingon"?>', 'no feed\n']) {
    const text = Buffer.concat([Buffer.from(start), rest])
    for (const bytes of [text, gzipSync(text, { level: 0 })]) {
      const { promise: closed, resolve: close } = Promise.withResolvers<void>()
      async function* chunks(): AsyncGenerator<Uint8Array> {
        try {
          yield* chunksOf(bytes, 1000)
          t.fail('it is read to its end')
        } finally {
          close()
        }
      }
      t.match(await readFeed(chunks()).catch(error => error), { constructor: FeedError }, start)
      await closed
    }
  }
})
