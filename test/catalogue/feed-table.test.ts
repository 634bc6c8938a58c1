// Tables: quotation marks, line ends and line numbers for messages; commas, semicolons and tabs; feeds packed with gzip.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import t from 'tap'
import { FeedError, readFeed } from '../../src/catalogue/feed.ts'
import { LONGEST_ROW } from '../../src/catalogue/feed-row.ts'
import { readRows } from '../../src/catalogue/feed-table.ts'

const CHUNK = 65_521

type Read = { rows: [line: number, ...fields: string[]][]; skipped: number[] }

async function read(text: string, size = CHUNK): Promise<Read> {
  const { rows, problems } = await readChunks(text, size)
  return { rows, skipped: problems.map(([line]) => line) }
}

type Problem = [line: number, reason: string]

async function readChunks(text: string, size: number): Promise<{ rows: Read['rows']; problems: Problem[] }> {
  const rows: Read['rows'] = []
  const problems: Problem[] = []
  await readRows(
    chunks(Buffer.from(text), size),
    (line, fields) => rows.push([line, ...fields]),
    (...problem) => problems.push(problem)
  )
  return { rows, problems }
}

/** What is read of a text: each row as its line and its fields between bars, and the lines that are skipped. */
async function shown(text: string): Promise<{ rows: string[]; skipped: number[] }> {
  const { rows, skipped } = await read(text)
  return { rows: rows.map(([line, ...fields]) => `${line} ${fields.join('|')}`), skipped }
}

/** As a file is read, but with chunks that end anywhere. */
function* chunks(bytes: Buffer, size: number): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

t.test('rows are read with their fields and the line on which they begin', async t => {
  const cases: [rule: string, text: string, rows: string[]][] = [
    ['an empty file', '', []],
    ['one row', 'a\tb', ['1 a|b']],
    ['a trailing line end', 'a\tb\n1\t2\n', ['1 a|b', '2 1|2']],
    ['CRLF', 'a\tb\r\n1\t2\r\n', ['1 a|b', '2 1|2']],
    ['both kinds of line end', 'a\tb\r\n1\t2\n3\t4', ['1 a|b', '2 1|2', '3 3|4']],
    ['a byte order mark', '\ufeffa\tb\n1\t2', ['1 a|b', '2 1|2']],
    ['only a byte order mark', '\ufeff', []],
    ['a byte order mark before a quotation mark', '\ufeff"a"\tb', ['1 a|b']],
    ['empty lines', '\n\na\tb\n\n\n1\t2\n\n', ['3 a|b', '6 1|2']],
    ['empty lines with CRLF', 'a\tb\r\n\r\n1\t2\r\n', ['1 a|b', '3 1|2']],
    ['empty fields', 'a\tb\tc\n\t\t\n', ['1 a|b|c', '2 ||']],
    ['spaces stay', ' a \tb\n', ['1  a |b']],
    ['too few and too many fields', 'a\tb\n1\n1\t2\t3', ['1 a|b', '2 1', '3 1|2|3']]
  ]
  for (const [rule, text, rows] of cases) t.strictSame(await shown(text), { rows, skipped: [] }, rule)
})

t.test('quotation marks may enclose a field', async t => {
  const cases: [rule: string, rest: string, rows: string[]][] = [
    ['unnecessarily', '1\t"x"\tz\n2\tx\tz', ['2 1|x|z', '3 2|x|z']],
    ['an empty field', '1\t""\tz', ['2 1||z']],
    ['quotation marks, doubled', '1\t"17"" screen"\tz', ['2 1|17" screen|z']],
    ['a tab', '1\t"x\ty"\tz\n2\tx\tz', ['2 1|x\ty|z', '3 2|x|z']],
    ['a line break', '1\t"x\ny"\tz\n2\tx\tz', ['2 1|x\ny|z', '4 2|x|z']],
    ['a line break in the last field', '1\tx\t"z\n"\n2\tx\tz', ['2 1|x|z\n', '4 2|x|z']],
    ['CRLF', '1\t"x\r\ny"\tz\r\n2\tx\tz', ['2 1|x\r\ny|z', '4 2|x|z']],
    ['empty lines', '1\t"x\n\n\ny"\tz\n2\tx\tz', ['2 1|x\n\n\ny|z', '6 2|x|z']],
    ['a carriage return', '1\t"x\ry"\tz\n2\tx\tz', ['2 1|x\ry|z', '3 2|x|z']],
    ['a tab and a line break', '1\t"x\n\ty"\tz\n2\tx\tz', ['2 1|x\n\ty|z', '4 2|x|z']],
    ['a tab in one field, a line break in another', '1\t"x\ny"\t"\tz"\n2\tx\tz', ['2 1|x\ny|\tz', '4 2|x|z']]
  ]
  for (const [rule, rest, rows] of cases) {
    t.strictSame(await shown(`a\tb\tc\n${rest}`), { rows: ['1 a|b|c', ...rows], skipped: [] }, rule)
  }
})

t.test('the first row may be of several lines', async t => {
  const rows = ['1 a\nb|c', '3 1|2']
  t.strictSame(await shown('"a\nb"\tc\n1\t2'), { rows, skipped: [] })
})

t.test('anywhere else a quotation mark is an ordinary character', async t => {
  const cases: [field: string][] = [['17" screen'], ['a "b" c'], ['x"'], ['"Captain" mug'], [' "x"']]
  for (const [field] of cases) {
    const rows = ['1 a|b|c', `2 1|${field}|z`, '3 2|x|z']
    t.strictSame(await shown(`a\tb\tc\n1\t${field}\tz\n2\tx\tz`), { rows, skipped: [] }, field)
  }
})

t.test('an unclosed quotation mark loses its own row and no other', async t => {
  const cases: [rule: string, rest: string, skipped: number[], rows: string[]][] = [
    ['to the end of the file', '1\t"x\tz\n2\tx\tz\n', [2], ['3 2|x|z']],
    ['in the last row', '1\tx\tz\n2\t"x\tz', [3], ['2 1|x|z']],
    ['in the last field', '1\tx\t"z\n2\tx\tz', [2], ['3 2|x|z']],
    ['on a line of its own', '1\tx\tz\n"\n2\tx\tz', [3], ['2 1|x|z', '4 2|x|z']],
    ['with CRLF', '1\t"x\tz\r\n2\tx\tz\r\n', [2], ['3 2|x|z']],
    ['after empty lines', '\n\n1\t"x\tz\n\n2\tx\tz', [4], ['6 2|x|z']],
    ['before another unclosed one', '1\t"x\tz\n2\tx\tz\n3\t"y\tz\n4\tx\tz', [2, 4], ['3 2|x|z', '5 4|x|z']],
    ['in consecutive rows', '1\t"x\tz\n2\t"y\tz\n3\t"y\tz\n4\tx\tz', [2, 3, 4], ['5 4|x|z']],
    [
      'before a field that ends with a quotation mark',
      '1\t"x\tz\n2\tx\tz\n3\ty"\tz\n4\tx\tz',
      [2],
      ['3 2|x|z', '4 3|y"|z', '5 4|x|z']
    ],
    ['closed only in another column', '1\t"x\tz\n2\tx\tz"\n3\tx\tz', [2], ['3 2|x|z"', '4 3|x|z']],
    ['after a field with a line break', '1\t"x\ny"\tz\n2\t"x\tz\n3\tx\tz', [4], ['2 1|x\ny|z', '5 3|x|z']],
    ['after a field with CRLF', '1\t"x\r\ny"\tz\r\n2\t"x\tz\r\n3\tx\tz', [4], ['2 1|x\r\ny|z', '5 3|x|z']]
  ]
  for (const [rule, rest, skipped, rows] of cases) {
    t.strictSame(await shown(`a\tb\tc\n${rest}`), { rows: ['1 a|b|c', ...rows], skipped }, rule)
  }
})

t.test('rows and characters across the chunks of a large file are complete', async t => {
  const count = 30_000
  const rows = Array.from({ length: count }, (_, i) => `${i}\t"☕ ""${i}""\nカップ"\t𝒜`)
  const found = await read(['a\tb\tc', ...rows].join('\n'))
  t.equal(found.rows.length, count + 1)
  const wrong = found.rows.slice(1).findIndex((row, i) => row.join('|') !== `${2 + 2 * i}|${i}|☕ "${i}"\nカップ|𝒜`)
  t.strictSame({ wrong, skipped: found.skipped }, { wrong: -1, skipped: [] })
})

t.test(
  'only rows with quotation marks, and those close to them, are read differently, in a large file too',
  async t => {
    const row = (i: number, cell: string) => `${i}\t${cell}\tz`
    const cases: [rule: string, cell: string, skipped: number[], read: string | undefined][] = [
      ['a long field', `"${'x'.repeat(200_000)}"`, [], 'x'.repeat(200_000)],
      ['many lines', `"${'x\n'.repeat(100_000)}"`, [], 'x\n'.repeat(100_000)],
      ['a quotation mark that is never closed', '"x', [1002, 3002], undefined]
    ]
    for (const [rule, cell, skipped, value] of cases) {
      const lines = Array.from({ length: 20_000 }, (_, i) => row(i, i === 1000 || i === 3000 ? cell : 'カップ'))
      const found = await read(['a\tb\tc', ...lines].join('\n'))
      t.strictSame(found.skipped, skipped, rule)
      const cells = new Map(found.rows.map(([, id, title]) => [id, title]))
      t.equal(cells.get('1000'), value, rule)
      t.equal(cells.size, value === undefined ? 19_999 : 20_001, rule)
      t.equal(cells.get('19999'), 'カップ', rule)
    }
  }
)

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
      const foundLines = found.rows.map(([line]) => line)
      t.strictSame(
        { problems: found.problems, lines: foundLines },
        { problems, lines },
        `${rule}, in chunks of ${size}`
      )
    }
  }
})

t.test('quotation marks that would have the same text read again and again end the reading', async t => {
  const tooMany = new FeedError('too many quotation marks are never closed')
  await t.rejects(read(`a\tb\n${'A"\t"B\n'.repeat(100_000)}`), tooMany)
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

t.test('an error of whoever takes the rows ends the reading, whichever way they are read', async t => {
  const fail = () => {
    throw new RangeError('not this row')
  }
  for (const text of ['a\tb\n', '"a"\tb\n']) {
    await t.rejects(
      readRows([Buffer.from(text)], fail, () => {}),
      new RangeError('not this row'),
      text
    )
  }
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

async function readProducts(bytes: Uint8Array | string, maxBytes?: number, chunk = 1000) {
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
    const { products, problems } = await readProducts(`${header}\n${row}\n`)
    t.match(products, [{ sku: 'MUG', title: 'Mug, cup; 12" tall', offers: { GBP: { price: 100 } } }], header)
    t.strictSame(problems, [], header)
  }
})

t.test('a text in CSV may have as many commas and lines as it likes', async t => {
  const text = `"${'many, many, commas,\t\t\t\t\t\r\n\r\n'.repeat(50)}"`
  const rows = [`A,T,${text},1 GBP,in_stock`, `B,"T",${text},1 GBP,in_stock`, 'C,T,,free,in_stock']
  for (const chunk of [1, 100, 65_521]) {
    const { products, problems } = await readProducts([HEADER, ...rows].join('\r\n'), undefined, chunk)
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

t.test('the examples in config/README.md are feeds without a problem', async t => {
  const manual = readFileSync(join(import.meta.dirname, '../../config/README.md'), 'utf8')
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
      t.match((await readProducts(gzipSync(text), undefined, chunk)).products, [{ sku: 'MUG', title: 'Mug' }], format)
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
  await t.rejects(readProducts(packed, 100_000), new FeedError(message))
  await t.rejects(readProducts(text, 100_000), new FeedError(message))
  const short = `${HEADER}\nMUG,Mug,,1 GBP,in_stock\n`
  t.match((await readProducts(short, short.length)).products, [{ sku: 'MUG' }])
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
