// A feed is input: whatever is in it costs about as much time and memory as an honest feed of the same size, and nothing
// of it breaks out of a page.
import t, { type Test } from 'tap'
import { readFeed } from '../../src/catalogue/feed.ts'
import { LONGEST_ROW } from '../../src/catalogue/feed-row.ts'
import { isCurrency } from '../../src/money.ts'
import { uuid } from '../build.ts'
import { elements, malformedTags, readPolicy, valuesOf } from '../pages/read-page.ts'
import { openShop } from '../pages/shopper.ts'

const HEADER = 'id\ttitle\tprice\tavailability\timage_link\n'
const CHUNK = 64 * 1024
const SIZE = 512 * 1024

/** Rows up to a size, in characters. */
function feedOf(row: (i: number) => string, header = HEADER): Buffer {
  let text = header
  for (let i = 0; text.length < SIZE; i++) text += row(i)
  return Buffer.from(text)
}

type Cost = { cpu: number; memory: number; result: string }

/** CPU time in seconds, and the largest growth of memory outside of the heap, in bytes. */
async function costOf(bytes: Buffer): Promise<Cost> {
  const before = process.memoryUsage().arrayBuffers
  const started = process.cpuUsage()
  let memory = 0
  function* chunks(): Generator<Uint8Array> {
    for (let at = 0; at < bytes.length; at += CHUNK) {
      yield bytes.subarray(at, at + CHUNK)
      memory = Math.max(memory, process.memoryUsage().arrayBuffers - before)
    }
  }
  let result: string
  try {
    const { products, problems, problemCount } = await readFeed(chunks())
    const [first] = problems
    result = `${products.size()} products, ${problemCount} problems, first ${first?.line}: ${first?.reason}`
  } catch (error) {
    result = (error as Error).message
  }
  const { user, system } = process.cpuUsage(started)
  return { cpu: (user + system) / 1e6, memory, result }
}

const TAIL = 'T\t1 GBP\tin_stock\t\n'
const LONG = 'x'.repeat(200_000)
const PRODUCTS = 300
const CURRENCIES = Intl.supportedValuesOf('currency').filter(isCurrency)
function manyCurrencies(i: number): string {
  const title = i < PRODUCTS ? 'x'.repeat(500) : 'T'
  return `${i % PRODUCTS}\t${title}\t1 ${CURRENCIES[Math.floor(i / PRODUCTS)]}\tin_stock\t\n`
}

const tooLong = `it is longer than ${LONGEST_ROW} characters`

const FEEDS: [what: string, feed: () => Buffer, result: RegExp][] = [
  ['a line without an end', () => feedOf(() => LONG), new RegExp(`line 2: ${tooLong}$`)],
  ['a line of tabs', () => feedOf(() => '\t'), new RegExp(`line 2: ${tooLong}$`)],
  ['half a million columns', () => feedOf(() => '\tx', HEADER.trim()), new RegExp(`^line 1.*: ${tooLong}$`)],
  ['a quotation mark before one long line', () => feedOf(() => LONG, `${HEADER}A\t"`), new RegExp(tooLong)],
  ['a quotation mark before short lines', () => feedOf(() => 'x\n', `${HEADER}A\t"`), new RegExp(`line 2: ${tooLong}`)],
  ['short lines', () => feedOf(() => 'x\n'), /line 2: 1 fields where the first line names 5$/],
  ['empty lines', () => feedOf(() => '\n'), /^it holds no product/],
  [
    'an unclosed quotation mark on each line',
    () => feedOf(i => `${i}\t"${TAIL}`),
    /line 2: a quotation mark is opened/
  ],
  [
    'one on every other line',
    () => feedOf(i => `${i}\t"${TAIL}-${i}\t${TAIL}`),
    /^\d+ products, \d+ problems, first 2/
  ],
  ['marks that close others', () => feedOf(() => 'A"\t"B\n'), /^too many quotation marks are never closed$/],
  [
    'the same id again and again',
    () => feedOf(() => `A\t${TAIL}`),
    /^1 products, \d+ problems, first 3: id "A" in GBP/
  ],
  [
    'bytes that are not UTF-8',
    () =>
      Buffer.from(
        feedOf(i => `${i}\t${TAIL}`)
          .toString()
          .replaceAll('T', 'é'),
        'latin1'
      ),
    /line 2: it holds bytes/
  ],
  ['many currencies, in turn', () => feedOf(manyCurrencies), /^300 products, \d+ problems/],
  ['long titles', () => feedOf(i => `${i}\t${LONG}${TAIL}`), /line 2: title "x{40}": at most 500 characters$/],
  ['long ids', () => feedOf(() => `${LONG}\t${TAIL}`), /line 2: id "x{40}": at most 128 characters/],
  [
    'long prices',
    () => feedOf(i => `${i}\tT\t${'9'.repeat(200_000)} GBP\tin_stock\t\n`),
    /line 2: price "9{40}": GBP takes/
  ],
  [
    'long hosts',
    () => feedOf(i => `${i}\tT\t1 GBP\tin_stock\thttps://${'é'.repeat(90_000)}/\n`),
    /image_link .* 2000 char/
  ],
  ['scripts as pictures', () => feedOf(i => `${i}\tT\t1 GBP\tin_stock\tjavascript:alert(1)\n`), /first 2: image_link/]
]

t.test('no feed costs much more than an honest one of its size', async t => {
  const honest = feedOf(i => `SKU-${i}\tA mug\t1.50 GBP\tin_stock\thttps://images.example/${i}.jpg\n`)
  await costOf(honest)
  const limit = await costOf(honest)
  t.match(limit.result, /^\d+ products, 0 problems/)
  for (const [what, feed, expected] of FEEDS) {
    const { cpu, memory, result } = await costOf(feed())
    t.match(result, expected, what)
    t.ok(cpu < limit.cpu * 10, `${what}: ${cpu} s, ${limit.cpu} s for an honest feed`)
    t.ok(memory < 16 * SIZE, `${what}: ${memory} bytes`)
  }
})

t.test('a line of 100 MB is skipped as it arrives, and the lines after it are read', async t => {
  const [x, before] = [Buffer.alloc(CHUNK, 'x'), process.memoryUsage().arrayBuffers]
  let most = 0
  function* chunks(): Generator<Uint8Array> {
    yield Buffer.from(`${HEADER}A\t${TAIL}B\t`)
    for (let i = 0; i < 1600; i++) {
      yield x
      most = Math.max(most, process.memoryUsage().arrayBuffers - before)
    }
    yield Buffer.from(`\nC\t${TAIL}broken`)
  }
  const { products, problems } = await readFeed(chunks())
  t.strictSame(
    [...products.values()].map(({ sku }) => sku),
    ['A', 'C']
  )
  t.strictSame(problems, [
    { line: 3, reason: tooLong },
    { line: 5, reason: '1 fields where the first line names 5' }
  ])
  t.ok(most < 16 * SIZE, `${most} bytes`)
})

const TITLES = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "' onmouseover='alert(1)",
  '</bdi></li></ul></title></textarea></style></script><svg onload=alert(1)>',
  '<!--',
  '--><![CDATA[',
  '<%= it.token %><% throw 1 %>',
  '{{7*7}}$' + '{7*7}',
  '&lt;script&gt;&#0;&amp',
  '\\u003cscript\\u003e',
  'javascript:alert(1)',
  '\u202e\u202dreversed',
  '\ufeff\u200b\u00ad'
]

function escaped(text: string): string {
  const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
  return text.replace(/[&<>"']/g, found => String(entities[found]))
}

/** Places an order. @returns the pages of it, and of a bag that is refused, without what differs from bag to bag */
async function pagesOf(t: Test, titles: string[]): Promise<string[][]> {
  const rows = titles.flatMap((title, i) => {
    const quoted = `"${title.replaceAll('"', '""')}"`
    return [`S${i}\t${quoted}\t1 GBP\tin_stock\t\t${quoted}`, `O${i}\t${quoted}\t1 GBP\tout_of_stock\t\t${quoted}`]
  })
  const { transfer, page, form, submit, send, app } = await openShop(
    t,
    '2A',
    {},
    { feed: `${HEADER.trim()}\tcolor\n${rows.join('\n')}` }
  )
  const all: string[][] = []
  for (const [i, title] of titles.entries()) {
    const token = await transfer([{ sku: `S${i}`, quantity: 1 }], uuid(2 * i))
    const checkout = await page(token)
    const placed = await submit(await form(token))
    const confirmation = await app.inject(String(placed.headers.location))
    const refusal = await send([{ sku: `O${i}`, quantity: 1 }], uuid(2 * i + 1))
    t.strictSame(
      [checkout, confirmation, refusal].map(({ statusCode }) => statusCode),
      [200, 200, 422]
    )
    const number = new URL(String(placed.headers.location), 'http://shop').searchParams.get('order')
    all.push(
      [checkout, confirmation, refusal].map(({ body }) => {
        t.ok(body.includes(escaped(title)), `${JSON.stringify(title)} is shown as it is`)
        t.strictSame(malformedTags(body), [])
        return body
          .replaceAll(`>${escaped(title)}<`, '>TITLE<')
          .replaceAll(`>${escaped(title.trim())}<`, '>TITLE<')
          .replace(/data-letter="\w?"/g, 'data-letter')
          .replaceAll(token, 'TOKEN')
          .replaceAll(String(number), 'NUMBER')
          .replaceAll(uuid(2 * i), 'REFERENCE')
          .replaceAll(uuid(2 * i + 1), 'REFERENCE')
          .replace(/\b([SO])\d+\b/g, '$1')
          .replace(/value="[A-Za-z0-9_-]{16,}"/g, 'value="DIGEST"')
      })
    )
  }
  return all
}

t.test(
  'markup in a title or a variant is text on every page: nothing else differs from the page of a plain title',
  async t => {
    const [plain = [], ...others] = await pagesOf(t, ['Plain', ...TITLES])
    for (const [i, pages] of others.entries()) t.strictSame(pages, plain, JSON.stringify(TITLES[i]))
  }
)

t.test('only http(s) addresses and paths of the merchant’s pictures are ever the source of a picture', async t => {
  const links = [
    'javascript:alert(1)',
    ' javascript:alert(1)',
    'java\u0000script:alert(1)',
    'JaVaScRiPt:alert(1)',
    'vbscript:x',
    'data:text/html,<script>alert(1)</script>',
    'blob:https://a/b',
    '//evil.example/a.jpg',
    '/\\evil.example/a.jpg',
    'pictures/../../secret',
    'pictures/" onerror="alert(1)',
    'https://a.example/" onerror="alert(1)',
    "https://a.example/'><script>alert(1)</script>",
    "https://a.example; script-src 'unsafe-inline'/x.jpg",
    'https://a.example, https://b.example/x.jpg',
    'https://user@a.example/x.jpg',
    'https://a.example\u0000/x.jpg',
    'https://a.example/x.jpg\u202e',
    'http://a.example/x.jpg'
  ]
  const rows = links.map((link, i) => `S${i}\tT\t1 GBP\tin_stock\t"${link.replaceAll('"', '""')}"`)
  const { transfer, page } = await openShop(t, '2A', {}, { feed: HEADER + rows.join('\n') })
  for (const [i, link] of links.entries()) {
    const { body, headers } = await page(await transfer([{ sku: `S${i}`, quantity: 1 }], uuid(i)))
    const allowed = /^(https?:\/\/[a-z.]+\/|\/shop\/pictures\/)[!#-;=?-~]*$/
    for (const source of valuesOf(body, 'src')) t.match(source, allowed, JSON.stringify(link))
    t.strictSame(malformedTags(body), [])
    t.notOk(elements(body).some(({ attributes }) => Object.keys(attributes).some(name => name.startsWith('on'))))
    const policy = readPolicy(headers['content-security-policy'])
    t.match(policy['img-src'], /^('none'|'self'|https?:\/\/[a-z.]+)$/, JSON.stringify(link))
    t.equal(policy['script-src'], undefined)
  }
})
