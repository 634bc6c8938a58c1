// A whole feed: every usable product, and every unusable line with its number and reason.
import { gzipSync } from 'node:zlib'
import t from 'tap'
import { FeedError, readFeed } from '../../src/catalogue/feed.ts'

const HEADER = 'id\ttitle\tprice\tavailability\timage_link'
const MUG = { sku: 'MUG', title: 'Mug', offers: { GBP: { availability: 'in_stock', price: 100 } } }

/** Reads a feed with these lines. */
async function read(...lines: string[]) {
  const { products, problems } = await readFeed([Buffer.from(lines.join('\n'))])
  return { products: [...products.values()], problems }
}

t.test('a product has the values of its row', async t => {
  const { products } = await read(
    'id\ttitle\tprice\tavailability\timage_link\tsale_price\tsale_price_effective_date\tbrand\tcolor\tsize',
    'MUG\tSea-glass mug\t12.50 GBP\tin stock\tpictures/mug.svg\t9.99 GBP\t2026-11-20T09:00+0100/2026-11-30T18:00+0100\tX\tGreen\tL'
  )
  const sale = { price: 999, from: Date.parse('2026-11-20T08:00Z'), until: Date.parse('2026-11-30T17:00Z') }
  t.strictSame(products, [
    {
      sku: 'MUG',
      title: 'Sea-glass mug',
      variant: 'Green · L',
      image: '/pictures/mug.svg',
      offers: { GBP: { availability: 'in_stock', price: 1250, sale } }
    }
  ])
})

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
  t.strictSame(
    { products: products[0], count: products.length, problems },
    {
      products: {
        sku: 'MUG',
        title: 'Mug',
        image: '/pictures/a.svg',
        offers: {
          GBP: { availability: 'in_stock', price: 100 },
          USD: { availability: 'out_of_stock', price: 200 },
          JPY: { availability: 'preorder', price: 300 }
        }
      },
      count: 2,
      problems: []
    }
  )
})

t.test('of two rows with the same id and currency the first is used and the second reported', async t => {
  const rows = ['MUG\tMug\t1 GBP\tin_stock\t', 'CUP\tCup\t1 GBP\tin_stock\t', 'MUG\tOther\t2 GBP\tout_of_stock\t']
  const { products, problems } = await read(HEADER, ...rows)
  t.strictSame(products[0], MUG)
  t.strictSame(problems, [{ line: 4, id: 'MUG', reason: 'id "MUG" in GBP is in an earlier line, which is kept' }])
})

t.test('ids are compared exactly', async t => {
  const ids = ['mug', 'MUG', 'MUG ', ' MUG', 'm\u00fcg', 'mu\u0308g', '__proto__', 'constructor']
  const { products, problems } = await read(HEADER, ...ids.map(id => `${id}\tT\t1 GBP\tin_stock\t`))
  t.strictSame(
    products.map(({ sku }) => sku),
    ids
  )
  t.strictSame(problems, [])
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

t.test('a product with an unusable picture is used without it, and reported', async t => {
  for (const link of ['../secret.svg', '//images.example/a.jpg', '//', 'ftp://a/b', 'https://[']) {
    t.strictSame(
      await read(HEADER, `MUG\tMug\t1 GBP\tin_stock\t${link}`),
      {
        products: [MUG],
        problems: [
          {
            line: 2,
            id: 'MUG',
            reason: `image_link ${JSON.stringify(link)}: give an http(s) address or a path below "pictures/"`,
            isServed: true
          }
        ]
      },
      link
    )
  }
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
  const { products, problems } = await readFeed([Buffer.from(text)], { isHttps: true })
  const reason = 'image_link "http://images.example/mug.jpg": a page over https cannot show it; give an https address'
  t.strictSame(
    { products: [...products.values()], problems },
    { products: [MUG], problems: [{ line: 2, id: 'MUG', reason, isServed: true }] }
  )
  t.match((await readFeed([Buffer.from(text)])).products.get('MUG'), { image: 'http://images.example/mug.jpg' })
})

t.test('the currencies of a feed are those of the prices that can be used', async t => {
  const rows = ['A\tT\t1 GBP\tin_stock\t', 'A\tT\t1 USD\tin_stock\t', 'B\tT\t1 EUR\tsold\t', 'C\tT\t2 GBP\tin_stock\t']
  const { currencies } = await readFeed([Buffer.from([HEADER, ...rows].join('\n'))])
  t.strictSame([...currencies], ['GBP', 'USD'])
})

t.test('of many problems the first are kept, and all are counted', async t => {
  const rows = Array.from({ length: 1000 }, (_, i) => `x${i}`)
  const feed = await readFeed([Buffer.from([HEADER, 'MUG\tMug\t1 GBP\tin_stock\t', ...rows].join('\n'))])
  t.match(feed, { problemCount: 1000, problems: { length: 100, 0: { line: 3 }, 99: { line: 102 } } })
})

t.test('a row with invalid UTF-8 is broken: no title has replacement characters', async t => {
  const latin1 = Buffer.from(`${HEADER}\nCAFE\tCaf\u00e9\t1 GBP\tin_stock\t\nMUG\tMug\t1 GBP\tin_stock\t\n`, 'latin1')
  const { products, problems } = await readFeed([latin1])
  t.strictSame(
    { products: [...products.values()], problems },
    { products: [MUG], problems: [{ line: 2, reason: 'it holds bytes that are not UTF-8' }] }
  )
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
    ['a web page without a doctype', '\n<HTML lang="en">', 'it is a web page, not a feed']
  ]
  for (const [rule, text, message] of cases) {
    await t.rejects(readFeed([Buffer.from(text)]), new FeedError(message), rule)
  }
  const noText = { message: 'the first line holds NUL: the file is UTF-16, or no text; save it as UTF-8' }
  for (const start of ['\ufeff', '']) {
    const utf16 = Buffer.from(`${start}${HEADER}\n${row}`, 'utf16le')
    await t.rejects(readFeed([utf16]), noText, 'UTF-16')
    await t.rejects(readFeed([Buffer.from(utf16).swap16()]), noText, 'UTF-16, big-endian')
  }
  await t.rejects(readFeed([Buffer.from([0x50, 0x4b, 3, 4, 0, 0xff, 0xfe, 0x0a, 0])]), noText, 'a zip file')
  const tooMany = { message: 'the first line names 1001 columns; at most 1000 are read' }
  await t.rejects(readFeed([Buffer.from(`${HEADER}${'\tx'.repeat(996)}\n${row}`)]), tooMany)
  t.equal((await read(`${HEADER}${'\tx'.repeat(995)}`, `${row}${'\t'.repeat(995)}`)).products.length, 1)
  const unclosed = { message: 'line 2, which must name the columns: a quotation mark is opened and never closed' }
  await t.rejects(readFeed([Buffer.from(`\n"${HEADER}\n${row}`)]), unclosed)
})

t.test('a feed that is refused at its beginning is closed, packed or not', async t => {
  const rest = Buffer.alloc(200_000, 'x')
  for (const start of ['<html>', '<?xml version="1.0" encoding="klingon"?>', 'no feed\n']) {
    const text = Buffer.concat([Buffer.from(start), rest])
    for (const bytes of [text, gzipSync(text, { level: 0 })]) {
      const { promise: closed, resolve: close } = Promise.withResolvers<void>()
      async function* chunks(): AsyncGenerator<Uint8Array> {
        try {
          for (let at = 0; at < bytes.length; at += 1000) yield bytes.subarray(at, at + 1000)
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
