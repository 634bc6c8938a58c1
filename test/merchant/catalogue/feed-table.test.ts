// Tables: quotation marks, line ends and line numbers for messages; commas, semicolons and tabs; feeds packed with gzip.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import t from 'tap'
import { readFeed } from '../../../src/merchant/catalogue/feed.ts'
import {
  FeedError,
  LONGEST_ROW,
  readFeedRow,
  readImage,
  readVariant
} from '../../../src/merchant/catalogue/feed-row.ts'
import { readRows } from '../../../src/merchant/catalogue/feed-table.ts'
import { chunksOf, readProducts } from './read-products.ts'

const CHUNK = 65_521

type Read = { rows: [line: number, ...fields: string[]][]; skipped: number[] }

type Problem = [line: number, reason: string]

async function read(text: string, size = CHUNK): Promise<Read> {
  const { rows, problems } = await readChunks(text, size)
  return { rows, skipped: problems.map(([line]) => line) }
}

async function readChunks(text: string, size: number): Promise<{ rows: Read['rows']; problems: Problem[] }> {
  const rows: Read['rows'] = []
  const problems: Problem[] = []
  await readRows(
    chunksOf(text, size),
    (line, fields) => rows.push([line, ...fields]),
    (line, reason) => problems.push([line, reason])
  )
  return { rows, problems }
}

t.test('rows are read with fields and line; a quotation mark that is never closed loses its own', async t => {
  const cases: [rule: string, text: string, rows: string[], skipped?: number[]][] = [
    ['an empty file', '', []],
    ['one row', 'a\tb', ['1 a|b']],
    ['both kinds of line end', 'a\tb\r\n1\t2\n3\t4\n', ['1 a|b', '2 1|2', '3 3|4']],
    ['only a byte order mark', '\ufeff', []],
    ['a byte order mark before a quotation mark', '\ufeff"a"\tb', ['1 a|b']],
    ['a first row of several lines', '"a\nb"\tc\n1\t2', ['1 a\nb|c', '3 1|2']],
    ['empty lines', '\n\na\tb\n\r\n\n1\t2\n\n', ['3 a|b', '6 1|2']],
    ['empty fields', 'a\tb\tc\n\t\t\n', ['1 a|b|c', '2 ||']],
    ['spaces stay', ' a \tb\n', ['1  a |b']],
    ['too few and too many fields', 'a\tb\n1\n1\t2\t3', ['1 a|b', '2 1', '3 1|2|3']],
    ['unnecessary quotation marks', 'a\t"x"\t""', ['1 a|x|']],
    ['quotation marks, doubled', '1\t"17"" screen"\tz', ['1 1|17" screen|z']],
    ['anywhere else', '17" screen\ta "b" c\t"Captain" mug\t "x"', ['1 17" screen|a "b" c|"Captain" mug| "x"']],
    ['a tab and a line break', '1\t"x\r\n\ty"\tz\n2\tx\tz', ['1 1|x\r\n\ty|z', '3 2|x|z']],
    ['a tab in one field, a line break in another', '1\t"x\ny"\t"\tz"\n2\tx\tz', ['1 1|x\ny|\tz', '3 2|x|z']],
    ['unclosed to the end of the file', '1\t"x\tz\n2\tx\tz\n', ['2 2|x|z'], [1]],
    ['unclosed in the last row', '1\tx\tz\n2\t"x\tz', ['1 1|x|z'], [2]],
    ['unclosed in the last field', '1\tx\t"z\n2\tx\tz', ['2 2|x|z'], [1]],
    ['unclosed on a line of its own', '1\tx\tz\n"\n2\tx\tz', ['1 1|x|z', '3 2|x|z'], [2]],
    ['unclosed, with CRLF, after empty lines', '\n\n1\t"x\tz\r\n\n2\tx\tz\r\n', ['5 2|x|z'], [3]],
    ['unclosed before another', 'a\tb\n1\t"x\n2\tx\n3\t"y\n4\tx', ['1 a|b', '3 2|x', '5 4|x'], [2, 4]],
    ['unclosed in consecutive rows', 'a\tb\n1\t"x\n2\t"y\n3\t"y\n4\tx', ['1 a|b', '5 4|x'], [2, 3, 4]],
    ['before a field that ends with one', 'a\tb\n1\t"x\n2\tx\n3\ty"', ['1 a|b', '3 2|x', '4 3|y"'], [2]],
    ['closed in another column', 'a\tb\tc\n1\t"x\tz\n2\tx\tz"', ['1 a|b|c', '3 2|x|z"'], [2]],
    ['after a field with CRLF', '1\t"x\r\ny"\tz\r\n2\t"x\tz\r\n3\tx\tz', ['1 1|x\r\ny|z', '4 3|x|z'], [3]]
  ]
  for (const [rule, text, rows, skipped = []] of cases) {
    const found = await read(text)
    const shown = found.rows.map(([line, ...fields]) => `${line} ${fields.join('|')}`)
    t.strictSame({ rows: shown, skipped: found.skipped }, { rows, skipped }, rule)
  }
})

const TOO_LONG = `it is longer than ${LONGEST_ROW} characters`
const LONG_OR_UNCLOSED = `${TOO_LONG}, or a quotation mark is opened and never closed`

t.test('a row that is too long is skipped, wherever the chunks of the file end', async t => {
  const fits = 'カ'.repeat(LONGEST_ROW - 4)
  const cases: [rule: string, rest: string, problems: Problem[], lines: number[]][] = [
    ['as long as may be', `1\t${fits}\tz\n2\tx\tz`, [], [1, 2, 3]],
    ['one character more', `1\t${fits}x\tz\n2\tx\tz`, [[2, TOO_LONG]], [1, 3]],
    ['without a line end', `1\tx\tz\n2\t${fits.repeat(3)}`, [[3, TOO_LONG]], [1, 2]],
    ['several', `${`${fits.repeat(2)}\n`.repeat(3)}2\tx\tz`, [2, 3, 4].map(line => [line, TOO_LONG]), [1, 5]],
    ['in quotation marks', `1\t"${fits}x"\tz\n2\tx\tz`, [[2, TOO_LONG]], [1, 3]],
    ['in quotation marks, two lines', `1\t"\n${fits}"\tz\n2\tx\tz`, [[2, LONG_OR_UNCLOSED]], [1, 3, 4]],
    ['not even one line end', `1\t"${fits}\tz\n2\tx\tz`, [[2, LONG_OR_UNCLOSED]], [1, 3]],
    [
      'behind a quotation mark that is open',
      `1\t"x\tz\n${fits.repeat(4)}\n2\tx\tz`,
      [
        [2, LONG_OR_UNCLOSED],
        [3, TOO_LONG]
      ],
      [1, 4]
    ]
  ]
  for (const [rule, rest, problems, lines] of cases) {
    for (const size of [9973, CHUNK, 10_000_000]) {
      const found = await readChunks(`a\tb\tc\n${rest}`, size)
      const read = { problems: found.problems, lines: found.rows.map(([line]) => line) }
      t.strictSame(read, { problems, lines }, `${rule}, in chunks of ${size}`)
    }
  }
})

t.test('what csv-parse reads is read the same, except that an unclosed quotation mark swallows no rows', async () => {
  const text = fc.string({
    unit: fc.constantFrom('a', 'é', '𝒜', ' ', '"', '""', '\t"', '"\t', '\t', '\n', '\r', '\r\n'),
    maxLength: 40
  })
  await fc.assert(
    fc.asyncProperty(text, async rest => {
      const parsed = parsedByLibrary(rest)
      fc.pre(parsed?.flat().every(field => !field.includes('\n')) ?? false)
      const { rows, skipped } = await read(rest)
      const found = rows.map(([, ...fields]) => fields)
      return skipped.length === 0 && JSON.stringify(found) === JSON.stringify(parsed)
    }),
    { numRuns: 2000, maxSkipsPerRun: 1000 }
  )
})

/** Undefined if csv-parse finds a quotation mark that is not closed. */
function parsedByLibrary(text: string): string[][] | undefined {
  try {
    const options = { delimiter: '\t', record_delimiter: ['\r\n', '\n'], relax_quotes: true, relax_column_count: true }
    const rows: string[][] = parse(text, options)
    return rows.filter(fields => fields.length > 1 || fields[0] !== '')
  } catch {
    return undefined
  }
}

const COLUMNS = 5

/** Text that makes TSV hard; with fewer tabs than a row has, so that no cell could be mistaken for whole rows. */
const cell = fc
  .string({ unit: fc.constantFrom('a', 'é', '☕', '𝒜', ' ', '"', '\t', '\n', '\r', '\r\n'), maxLength: 8 })
  .filter(text => text.split('\t').length < COLUMNS)
const table = fc.array(fc.array(cell, { minLength: COLUMNS, maxLength: COLUMNS }), { maxLength: 8 })

t.test('any table written with quotation marks is read back unchanged, each row with its line', async () => {
  const quoted = (text: string) => (/["\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)
  await fc.assert(
    fc.asyncProperty(
      table,
      fc.constantFrom('\n', '\r\n'),
      fc.integer({ min: 1, max: 50 }),
      async (cells, lineEnd, size) => {
        const all = [['a', 'b', 'c', 'd', 'e'], ...cells]
        const text = all.map(row => row.map(quoted).join('\t')).join(lineEnd)
        let line = 1
        const rows = all.map(row => {
          const at = line
          line += 1 + row.join('').split('\n').length - 1
          return [at, ...row]
        })
        return JSON.stringify(await read(text, size)) === JSON.stringify({ rows, skipped: [] })
      }
    ),
    { numRuns: 300 }
  )
})

t.test('other work gets its turn while a part of a file is read', async t => {
  let rows = 0
  let isReading = true
  /** How many rows were read in each turn of the event loop. */
  const turns: number[] = []
  const watch = () => {
    turns.push(rows - turns.reduce((sum, count) => sum + count, 0))
    if (isReading) setImmediate(watch)
  }
  setImmediate(watch)
  const row = `${'a'.repeat(63)}\t${'b'.repeat(63)}\n`
  await readRows(
    [Buffer.from(row.repeat(1000))],
    () => rows++,
    (_, reason) => t.fail(reason)
  )
  isReading = false
  t.equal(rows, 1000)
  t.ok(Math.max(...turns) <= 130, 'no more than some 16 kB at a time')
})

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
    const { products, problems } = await readProducts(`${header}\n${row}\n`)
    t.match(products, [{ sku: 'MUG', title: 'Mug, cup; 12" tall', offers: { GBP: { price: 100 } } }], header)
    t.strictSame(problems, [], header)
  }
})

t.test('a text in CSV may have as many commas and lines as it likes', async t => {
  const text = `"${'many, many, commas,\t\t\t\t\t\r\n\r\n'.repeat(50)}"`
  const rows = [`A,T,${text},1 GBP,in_stock`, `B,"T",${text},1 GBP,in_stock`, 'C,T,,free,in_stock']
  for (const chunk of [1, 100, 65_521]) {
    const { products, problems } = await readProducts([HEADER, ...rows].join('\r\n'), chunk)
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
  const { products, problems } = await readProducts([HEADER, ...rows].join('\n'))
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

t.test(
  'rows between two stray quotation marks in the same column of CSV are not one product with the price of another',
  async t => {
    for (const header of [
      'id,title,price,availability',
      'title,id,price,availability',
      'id,price,availability,title'
    ]) {
      for (const delimiter of [',', ';']) {
        const rowOf = (fields: Record<string, string>) =>
          header
            .split(',')
            .map(name => fields[name])
            .join(delimiter)
        const rows = [
          { id: 'A', title: '"Captain mug', price: '10 GBP', availability: 'in_stock' },
          { id: 'B', title: 'Cup', price: '7 GBP', availability: 'in_stock' },
          { id: 'C', title: 'Rope 9"', price: '5 GBP', availability: 'in_stock' }
        ]
        const lines = [header.replaceAll(',', delimiter), ...rows.map(rowOf)]
        const { products, problems } = await readProducts(lines.join('\n'))
        t.match(products, [
          { sku: 'B', offers: { GBP: { price: 700 } } },
          { sku: 'C', offers: { GBP: { price: 500 } } }
        ])
        t.strictSame(problems, [{ line: 2, reason: 'a quotation mark is opened and never closed' }], header)
      }
    }
  }
)

t.test('what surrounds a value does not count, as in XML', async t => {
  const space = ' \t\u00a0\u3000\r\n'
  const fields = ['MUG', 'Mug', '12.00 GBP', 'in stock', '9.00 GBP']
  const padded = fields.map(text => `"${space}${text}${space}"`)
  const empty = fields.map((text, i) => (i === 4 ? '   ' : ` ${text} `))
  for (const delimiter of ['\t', ',', ';']) {
    const header = ['id', 'title', 'price', 'availability', 'sale_price'].join(delimiter)
    const read = (row: string[]) => readProducts(`${header}\n${row.join(delimiter)}\n`)
    const product = { sku: 'MUG', title: 'Mug', offers: { GBP: { availability: 'in_stock', price: 1200 } } }
    t.strictSame(await read(empty), { products: [product], problems: [] })
    const onSale = { ...product, offers: { GBP: { ...product.offers.GBP, sale: { price: 900 } } } }
    t.strictSame(await read(padded), { products: [onSale], problems: [] })
  }
  const inner = await readProducts('id\ttitle\tprice\tavailability\nA  B\tT\t1 GBP\tin_stock')
  t.match(inner.products, [{ sku: 'A  B' }])
})

t.test('a column that is read and there twice, in whatever spelling, is refused', async t => {
  /** The columns that a row is asked for. */
  const asked = new Set<string>()
  const row = (name: string) => {
    asked.add(name)
    return { price: '2 GBP', sale_price: '1 GBP', availability: 'in_stock' }[name] ?? 'x'
  }
  readVariant(row)
  t.throws(() => readImage(row))
  t.throws(() => readFeedRow(row))
  t.equal(asked.size, 10)
  const header = [...asked].join('\t')
  for (const name of asked) {
    const spellings = [name, name.toUpperCase(), ` ${name} `, name.replaceAll('_', ' '), name.replaceAll('_', '\u00a0')]
    for (const again of spellings) {
      const message = `the first line names ${name} more than once (${JSON.stringify(name)}, ${JSON.stringify(again)}); leave one of them`
      await t.rejects(readProducts(`${header}\t${again}\n`), new FeedError(message))
    }
  }
  const others = 'additional_image_link\tadditional_image_link\t\t'
  const { products } = await readProducts(`id\ttitle\tprice\tavailability\t${others}\nA\tT\t1 GBP\tin_stock\t\t\t\t`)
  t.equal(products.length, 1, 'what is not read may be there twice')
})

t.test('surplus empty cells at the end of a row are no reason to lose it', async t => {
  const cases: [rule: string, header: string, row: string, isServed: boolean][] = [
    ['one', 'id,title,availability,price', 'MUG,Mug,in stock,12.00 GBP,', true],
    ['several, with spaces', 'id,title,availability,price', 'MUG,Mug,in stock,12.00 GBP, ,,', true],
    ['behind a text of two lines', 'id,title,availability,price', 'MUG,"Mug\nblue",in stock,12.00 GBP,,', true],
    ['quoted', 'id,title,availability,price', 'MUG,Mug,in stock,12.00 GBP,"",', true],
    ['in the first line only', 'id,title,availability,price,,', 'MUG,Mug,in stock,12.00 GBP', true],
    ['fewer than the first line has', 'id,title,availability,price,,', 'MUG,Mug,in stock,12.00 GBP,', true],
    ['something in a column without a name', 'id,title,availability,price,', 'MUG,Mug,in stock,12.00 GBP,x', true],
    ['something beyond', 'id,title,availability,price', 'MUG,Mug,in stock,12.00 GBP,,x', false],
    ['a shift', 'id,title,availability,price', 'MUG,Mug, blue,in stock,12.00 GBP,', false],
    ['a cell too few', 'id,title,availability,price,size', 'MUG,Mug,in stock,12.00 GBP', false]
  ]
  for (const [rule, header, row, isServed] of cases) {
    for (const delimiter of [',', ';', '\t']) {
      const text = `${header}\n${row}\nROPE,Rope,in stock,20.00 GBP${header.includes('size') ? ',' : ''}`
      const { products, problems } = await readProducts(text.replaceAll(',', delimiter))
      const skus = products.map(({ sku }) => sku)
      t.strictSame(skus, isServed ? ['MUG', 'ROPE'] : ['ROPE'], `${rule}: ${JSON.stringify(delimiter)}`)
      if (isServed) t.strictSame(problems, [])
      else t.match(problems, [{ line: 2, reason: /^\d fields where the first line names \d$/ }])
    }
  }
})

t.test('the examples in config/README.md are feeds without a problem', async t => {
  const manual = readFileSync(join(import.meta.dirname, '../../../config/README.md'), 'utf8')
  const examples = [...manual.matchAll(/^```\w*\n((?:id\t|<rss)[^`]*)^```/gm)].map(([, text]) => String(text))
  t.equal(examples.length, 3)
  t.equal(examples[0]?.trim().split('\n').length, 10)
  for (const text of examples) t.strictSame((await readProducts(text)).problems, [], text)
  t.strictSame(
    (await readProducts(String(examples[1]))).products,
    (await readProducts(String(examples[0]))).products.slice(4, 5)
  )
})

t.test('a feed may be packed with gzip, whatever its format', async t => {
  const csv = `${HEADER}\nMUG,Mug,,1 GBP,in_stock\n`
  const xml = `<rss xmlns:g="http://base.google.com/ns/1.0"><item><g:id>MUG</g:id><title>Mug</title>
    <g:price>1 GBP</g:price><g:availability>in_stock</g:availability></item></rss>`
  const packed = { csv, tsv: csv.replaceAll(',', '\t'), xml }
  for (const [format, text] of Object.entries(packed)) {
    for (const chunk of [1, 1000]) {
      t.match((await readProducts(gzipSync(text), chunk)).products, [{ sku: 'MUG', title: 'Mug' }], format)
    }
  }
  const whole = gzipSync(csv)
  await t.rejects(readProducts(whole.subarray(0, -9)), new FeedError('its gzip is broken: unexpected end of file'))
  await t.rejects(readProducts(Buffer.concat([whole.subarray(0, 3), Buffer.alloc(50, 255)])), {
    message: /^its gzip is broken: /
  })
})

t.test('a feed is read up to a size, which counts when it is unpacked', async t => {
  const text = `${HEADER}\nMUG,Mug,${'x'.repeat(500_000)},1 GBP,in_stock\n`
  const message = 'it is larger than 100000 bytes; raise catalogue.maxMegabytes'
  const packed = gzipSync(text)
  t.ok(packed.length < 10_000)
  await t.rejects(readProducts(packed, 1000, { maxBytes: 100_000 }), new FeedError(message))
  await t.rejects(readProducts(text, 1000, { maxBytes: 100_000 }), new FeedError(message))
  const short = `${HEADER}\nMUG,Mug,,1 GBP,in_stock\n`
  t.match((await readProducts(short, 1000, { maxBytes: short.length })).products, [{ sku: 'MUG' }])
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
