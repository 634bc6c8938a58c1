// A row of a Google Merchant feed: what each attribute may hold, and the messages about rows that cannot be used.
import { equal, throws } from 'node:assert/strict'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import { RowError, readFeedRow, readImage, readVariant } from '../../../src/merchant/catalogue/feed-row.ts'
import { priceAt } from '../../../src/merchant/catalogue/product.ts'

const VALID = { id: 'MUG', title: 'Sea-glass mug', availability: 'in_stock', price: '12.50 GBP' }

/** A row with these attributes, and valid values for the others. */
function row(attributes: Record<string, string | undefined>): (name: string) => string | undefined {
  const all: Record<string, string | undefined> = { ...VALID, ...attributes }
  return name => all[name]
}

type Refused = [rule: string, attributes: Record<string, string | undefined>, message: string]

function refuses(t: Test, cases: Refused[]): void {
  for (const [rule, attributes, message] of cases) {
    t.throws(() => readFeedRow(row(attributes)), new RowError(message), rule)
  }
}

t.test('a row is a product in one currency', async t => {
  t.strictSame(readFeedRow(row({})), {
    sku: 'MUG',
    title: 'Sea-glass mug',
    currency: 'GBP',
    offer: { availability: 'in_stock', price: 1250 },
    isNoSale: false
  })
})

t.test('an empty required attribute is named', async t =>
  refuses(
    t,
    Object.keys(VALID).map(name => [name, { [name]: undefined }, `${name} is empty`])
  )
)

t.test('an id is used as the SKU unchanged', async t => {
  const accepted = [' a+b c ', 'ソ-☕', "it's", '"', '<b>', '0', '__proto__', '\u202e']
  accepted.push('☕'.repeat(128), '𝒜'.repeat(128))
  for (const id of accepted) t.match(readFeedRow(row({ id })), { sku: id }, JSON.stringify(id.slice(0, 20)))
  const limits = 'at most 128 characters, none of them a control character'
  refuses(t, [
    ['129 characters', { id: 'x'.repeat(129) }, `id "${'x'.repeat(40)}": ${limits}`],
    ['129 characters of two units each', { id: '𝒜'.repeat(129) }, `id "${'𝒜'.repeat(20)}": ${limits}`],
    ['a tab', { id: 'a\tb' }, `id "a\\tb": ${limits}`],
    ['a line break', { id: 'a\nb' }, `id "a\\nb": ${limits}`],
    ['NUL', { id: 'a\0' }, `id "a\\u0000": ${limits}`],
    ['a C1 control', { id: 'a\u0085' }, `id ${JSON.stringify('a\u0085')}: ${limits}`]
  ])
})

t.test('a title is one line of at most 500 characters, which cannot reorder the text around it', async t => {
  const cases: [text: string, title: string][] = [
    ['two\r\nlines', 'two lines'],
    ['a\ttab', 'a tab'],
    ['N\0U\0L', 'N U L'],
    ['\u0085next\u2028line\u2029', ' next line '],
    ['\u2069\u202eKO', '\u202eKO'],
    ['\u2066a\u2069 \u2067b\u2068', 'a b'],
    ['<b>', '<b>'],
    ['𝒜'.repeat(500), '𝒜'.repeat(500)]
  ]
  for (const [text, title] of cases) t.match(readFeedRow(row({ title: text })), { title }, JSON.stringify(title))
  refuses(t, [
    ['only spaces', { title: ' ' }, 'title is empty'],
    ['nothing that is shown', { title: '\0\u2069\n' }, 'title is empty'],
    ['501 characters', { title: 'x'.repeat(501) }, `title "${'x'.repeat(40)}": at most 500 characters`],
    ['501 of two units', { title: '𝒜'.repeat(501) }, `title "${'𝒜'.repeat(20)}": at most 500 characters`],
    ['a megabyte', { title: 'x'.repeat(1024 * 1024) }, `title "${'x'.repeat(40)}": at most 500 characters`]
  ])
})

t.test('a title or variant that was escaped once too often is shown as it is meant, if that is certain', async t => {
  const cases: [text: string, meant: string][] = [
    ['6&#039;lı set &amp; lid &#8211; blue', "6'lı set & lid – blue"],
    ['17&quot; screen &lt;new&gt;', '17" screen <new>'],
    ['Caf&eacute;&nbsp;&#xE9;&#x2615;', 'Café\u00a0é☕'],
    ['&amp;lt;', '&lt;'],
    ['line&#10;end', 'line end'],
    // A mark that is not escaped: somebody means what they write.
    ['Tom & Jerry: how to write &amp;', 'Tom & Jerry: how to write &amp;'],
    ['<b>&amp;</b>', '<b>&amp;</b>'],
    ['a &amp b', 'a &amp b'],
    ['&bogus; &amp;', '&bogus; &amp;'],
    ['&#x110000; &#xD800;', '&#x110000; &#xD800;'],
    ['&amp;&', '&amp;&']
  ]
  for (const [text, meant] of cases) {
    t.equal(readFeedRow(row({ title: text })).title, meant, text)
    t.equal(readVariant(row({ color: text })), meant, text)
  }
})

t.test('availability: the four values that Google defines, their words joined in any way', async t => {
  const accepted = {
    in_stock: ['in_stock', 'in stock', 'In Stock', 'in-stock', 'in  stock', 'in\u00a0stock'],
    out_of_stock: ['out_of_stock', 'out of stock', 'Out-Of-Stock', 'out-of_stock', 'out\u2011of\u2011stock'],
    preorder: ['preorder', 'pre order', 'pre_order', 'Pre-Order'],
    backorder: ['backorder', 'back order', 'BACK_ORDER', 'back-order']
  }
  for (const [availability, texts] of Object.entries(accepted)) {
    for (const text of texts) t.match(readFeedRow(row({ availability: text })), { offer: { availability } }, text)
  }
  refuses(
    t,
    ['available', 'instock', 'https://schema.org/InStock', 'on backorder', 'yes', 'in_stock!', 'discontinued', '-'].map(
      text => [
        JSON.stringify(text),
        { availability: text },
        `availability ${JSON.stringify(text)}: give in_stock, out_of_stock, preorder or backorder`
      ]
    )
  )
})

t.test('a price is an amount and a currency', async t => {
  const prices = {
    GBP: { '12.50 ': 1250, '12.50': 1250, '12.5 ': 1250, '12 ': 1200, '0.01 ': 1, '9999999.99 ': 999_999_999 },
    JPY: { '4500 ': 4500, '4500.00 ': 4500, '999999999 ': 999_999_999 },
    BHD: { '1.234 ': 1234 }
  }
  for (const [currency, amounts] of Object.entries(prices)) {
    for (const [amount, price] of Object.entries(amounts)) {
      t.match(readFeedRow(row({ price: amount + currency })), { currency, offer: { price } }, amount + currency)
    }
  }
  const form = 'give an amount and an ISO 4217 code, such as "15.00 GBP"'
  const wrong =
    '12.50|12.50  GBP| 12.50 GBP|.5 GBP|5. GBP| GBP|GBP|GBP 12.50|12.50 gbp|12.50 ZZZ|12,50 GBP|1,250.00 GBP'
  const texts = `${wrong}|-1 GBP|+1 GBP|£12.50|1e3 GBP|12.50 GBP |12.50 GBP/kg`.split('|')
  refuses(
    t,
    texts.map(text => [text, { price: text }, `price "${text}": ${form}`])
  )
  const space = `it has a no-break space; ${form}`
  refuses(t, [
    ['a no-break space', { price: '12.50\u00a0GBP' }, `price "12.50\\u00a0GBP": ${space}`],
    ['a figure space', { price: '12.50\u2007GBP' }, `price "12.50\\u2007GBP": ${space}`],
    ['a narrow one', { price: '1\u202f250.00 GBP' }, `price "1\\u202f250.00 GBP": ${space}`],
    [
      'what looks like nothing',
      { price: '12.50\u200b GBP\u{e0020}' },
      `price "12.50\\u200b GBP\\udb40\\udc20": ${form}`
    ]
  ])
  const limits = (currency: string, digits: number) =>
    `${currency} takes at most ${digits} decimals and 999999999 minor units`
  refuses(t, [
    ['a fraction of a penny', { price: '1.005 GBP' }, `price "1.005 GBP": ${limits('GBP', 2)}`],
    ['a fraction of a yen', { price: '4500.5 JPY' }, `price "4500.5 JPY": ${limits('JPY', 0)}`],
    ['above the maximum', { price: '10000000.00 GBP' }, `price "10000000.00 GBP": ${limits('GBP', 2)}`],
    ['above the maximum in yen', { price: '1000000000 JPY' }, `price "1000000000 JPY": ${limits('JPY', 0)}`]
  ])
})

t.test('a price of 0 is refused, unless free products are meant', async t => {
  const remedy = 'it is free; give a price, or set catalogue.freeProducts to true if that is meant'
  const zeros = ['0 GBP', '0.00 GBP', '000 GBP', '0GBP', '0 JPY', '0.000 BHD']
  refuses(
    t,
    zeros.map(price => [price, { price }, `price "${price}": ${remedy}`])
  )
  for (const price of zeros) t.equal(readFeedRow(row({ price }), true).offer.price, 0, price)
  const sold = { price: '0 GBP', sale_price: '0 GBP' }
  t.match(readFeedRow(row(sold), true), { offer: { price: 0, sale: undefined }, isNoSale: true })
})

t.test('a sale price of 0 is no sale, however it is written, and whatever its dates', async t => {
  const zeros = '0|0.00|0,00|0.00 GBP|0 GBP|0GBP|0,00 GBP|GBP 0.00|0.00 gbp|0 EUR|000.000'.split('|')
  for (const sale_price of zeros) {
    const found = readFeedRow(row({ sale_price, sale_price_effective_date: '/' }))
    t.strictSame(found.offer, { availability: 'in_stock', price: 1250 }, sale_price)
    t.equal(found.isNoSale, true)
  }
  t.match(readFeedRow(row({ sale_price: '0.01 GBP' })), { offer: { sale: { price: 1 } }, isNoSale: false })
  const form = 'give an amount and an ISO 4217 code, such as "15.00 GBP"'
  refuses(
    t,
    ['-0.00 GBP', 'free', '0%', '0 for members'].map(sale_price => [
      sale_price,
      { sale_price },
      `sale_price "${sale_price}": ${form}`
    ])
  )
})

t.test('a sale price has the same form, and the currency of the price', async t => {
  t.match(readFeedRow(row({ sale_price: '9.99 GBP' })), { offer: { price: 1250, sale: { price: 999 } } })
  t.strictSame(
    readFeedRow(row({ sale_price_effective_date: 'whenever' })).offer.sale,
    undefined,
    'a time alone is no sale'
  )
  t.match(readFeedRow(row({ sale_price: '12.50 GBP' })), { offer: { sale: { price: 1250 } } }, 'no more than the price')
  refuses(t, [
    ['above the price', { sale_price: '12.51 GBP' }, 'sale_price 12.51 GBP is above price 12.50 GBP'],
    ['another currency', { sale_price: '9.99 EUR' }, 'sale_price is in EUR and price in GBP'],
    [
      'no currency',
      { sale_price: '9.99' },
      'sale_price "9.99": give an amount and an ISO 4217 code, such as "15.00 GBP"'
    ]
  ])
})

t.test('a sale price applies from the first to the last moment of its effective date', async t => {
  const cases: [dates: string, first: string, last: string][] = [
    ['2026-11-20T09:00+0100/2026-11-30T18:00+0100', '2026-11-20T08:00:00Z', '2026-11-30T17:00:00Z'],
    ['2026-11-20T09:00+01:00/2026-11-30T18:00-05:30', '2026-11-20T08:00Z', '2026-11-30T23:30Z'],
    ['2026-11-20T09:00:30+0100/2026-11-30T18:00:59+0100', '2026-11-20T08:00:30Z', '2026-11-30T17:00:59Z'],
    ['2026-11-20T09:00Z/2026-11-30T18:00Z', '2026-11-20T09:00Z', '2026-11-30T18:00Z'],
    // Fractions and offsets as programs write them: JavaScript, PostgreSQL, .NET, Ruby; and the basic format.
    ['2026-11-20T00:00:00.000Z/2026-12-20T00:00:00.999Z', '2026-11-20T00:00Z', '2026-12-20T00:00:00.999Z'],
    ['2026-11-20T00:00:00,5Z/2026-12-20T00:00:00,25Z', '2026-11-20T00:00:00.500Z', '2026-12-20T00:00:00.250Z'],
    ['2026-11-20T00:00+01/2026-12-20T00:00-01', '2026-11-19T23:00Z', '2026-12-20T01:00Z'],
    ['2026-11-20 00:00:00.123456+01/2026-12-20 00:00:00+05:30', '2026-11-19T23:00:00.123Z', '2026-12-19T18:30Z'],
    ['2026-11-20T00:00:00.0000000Z/2026-12-20T23:59:59.9999999Z', '2026-11-20T00:00Z', '2026-12-20T23:59:59.999Z'],
    ['2026-11-20 09:00:00 +0100/2026-11-30 18:00:00 +0100', '2026-11-20T08:00Z', '2026-11-30T17:00Z'],
    ['20261120T090000Z/20261130T1800+01', '2026-11-20T09:00Z', '2026-11-30T17:00Z'],
    ['20261120/20261130', '2026-11-20T00:00Z', '2026-11-30T23:59:59.999Z'],
    ['2026-11-20T09+01/20261130T18Z', '2026-11-20T08:00Z', '2026-11-30T18:00Z'],
    ['2026-11-20t09:00z/2026-11-30T24:00Z', '2026-11-20T09:00Z', '2026-12-01T00:00Z'],
    // Without a zone, it is UTC.
    ['2026-11-20T09:00/2026-11-30T18:00', '2026-11-20T09:00Z', '2026-11-30T18:00Z'],
    [' 2026-11-20T09:00Z / 2026-11-30T18:00Z ', '2026-11-20T09:00Z', '2026-11-30T18:00Z'],
    // Dates alone are whole days.
    ['2026-11-20/2026-11-20', '2026-11-20T00:00Z', '2026-11-20T23:59:59.999Z'],
    ['2026-11-20+0100/2026-11-30+0100', '2026-11-19T23:00Z', '2026-11-30T22:59:59.999Z'],
    ['2028-02-28/2028-02-29', '2028-02-28T00:00Z', '2028-02-29T23:59:59.999Z']
  ]
  for (const [dates, first, last] of cases) {
    const { offer } = readFeedRow(row({ sale_price: '9.99 GBP', sale_price_effective_date: dates }))
    const times = [Date.parse(first) - 1, Date.parse(first), Date.parse(last), Date.parse(last) + 1]
    const prices = times.map(time => priceAt(offer, new Date(time)))
    t.strictSame(prices, [1250, 999, 999, 1250], dates)
  }
})

t.test('an invalid effective date makes the row unusable: no sale is given or withheld by mistake', async t => {
  const example = '"2026-11-20T09:00+0100/2026-11-30T18:00+0100"'
  const cases =
    '2026-11-20T09:00Z|2026-11-20T09:00Z/|/2026-11-20T09:00Z|/|always|2026-11-20/2026-11-30/2026-12-01|' +
    '20/11/2026|20.11.2026/30.11.2026|2026-13-01/2026-13-02|2026-02-01/2026-02-30|2026-06-31/2026-07-31|' +
    '2026-02-29/2026-03-01|2026-11-20T25:00Z/2026-11-30T18:00Z|2026-11-20T09:00/2026-11-30T18:00+1|' +
    '2026-11-20T09:00.5Z/2026-11-30T18:00Z|2026-11-20T09:00:60Z/2026-11-30T18:00Z|20261131/20261231|2026-324/2026-333'
  refuses(
    t,
    cases
      .split('|')
      .map(dates => [
        dates,
        { sale_price: '9.99 GBP', sale_price_effective_date: dates },
        `sale_price_effective_date ${JSON.stringify(dates)}: give two times, such as ${example}`
      ])
  )
})

t.test('a variant is colour, size and material, as far as there are any', async t => {
  const cases: [attributes: Record<string, string>, variant: string | undefined][] = [
    [{}, undefined],
    [{ size: 'M', color: 'Indigo' }, 'Indigo · M'],
    [{ material: 'Wool', size: 'M', color: 'Red/Blue' }, 'Red/Blue · M · Wool'],
    [{ size: '42' }, '42'],
    [{ color: ' ', size: '\u2069\t', material: 'Oak' }, 'Oak'],
    [{ color: '\0' }, undefined],
    [{ color: ' Off\nwhite\u2069 ' }, 'Off white'],
    [{ color: '𝒜'.repeat(100), size: 'x'.repeat(100) }, `${'𝒜'.repeat(100)} · ${'x'.repeat(100)}`]
  ]
  for (const [attributes, variant] of cases) {
    t.equal(readVariant(row(attributes)), variant, JSON.stringify(attributes).slice(0, 60))
  }
  for (const [name, limit] of Object.entries({ color: 100, size: 100, material: 200 })) {
    const tooLong = { color: 'Indigo', [name]: 'x'.repeat(limit + 1) }
    const message = `${name} "${'x'.repeat(40)}": at most ${limit} characters`
    t.throws(() => readVariant(row(tooLong)), new RowError(message), name)
  }
})

t.test('a picture is an http(s) address, or a path in pictures/ next to the feed', async t => {
  const cases: [link: string | undefined, image: string | undefined][] = [
    [undefined, undefined],
    ['https://images.example/mug.jpg?w=100#top', 'https://images.example/mug.jpg?w=100#top'],
    ['http://images.example/mug.jpg', 'http://images.example/mug.jpg'],
    ['https://images.example:443/mug.jpg', 'https://images.example/mug.jpg'],
    ['https://images.example:8443/mug.jpg', 'https://images.example:8443/mug.jpg'],
    ['HTTPS://Images.Example/a b.jpg', 'https://images.example/a%20b.jpg'],
    ['https://images.example/"><script>', 'https://images.example/%22%3E%3Cscript%3E'],
    ['pictures/mug.svg', '/pictures/mug.svg'],
    ['/pictures/mug.svg', '/pictures/mug.svg'],
    ['pictures/blue/mug.svg', '/pictures/blue/mug.svg'],
    ['pictures/blue/../mug.svg', '/pictures/mug.svg'],
    ['pictures/a b.svg', '/pictures/a%20b.svg'],
    ['pictures/カップ.svg', '/pictures/%E3%82%AB%E3%83%83%E3%83%97.svg']
  ]
  for (const [link, image] of cases) t.equal(readImage(row({ image_link: link })), image, String(link))
})

t.test('any address of a picture is as a parser writes it', async () => {
  const part = fc.string({ unit: fc.constantFrom(...'ab1-.xnA_%2e~'), maxLength: 12 })
  const link = fc
    .tuple(fc.constantFrom('https://', 'http://', 'HTTPS://'), fc.array(part, { minLength: 1 }), part, part)
    .map(([scheme, host, path, query]) => `${scheme}${host.join('.')}/${path}${query && `?${query}`}`)
  fc.assert(
    fc.property(link, link => {
      const url = URL.parse(link)
      const isServed = url !== null && /^[\w.-]+$/.test(url.host)
      if (isServed) equal(readImage(row({ image_link: link })), url.href)
      else throws(() => readImage(row({ image_link: link })), RowError)
    }),
    { numRuns: 2000 }
  )
})

t.test('any other address of a picture is refused', async t => {
  const links = String.raw`
    https://a.jpg,https://b.jpg https://img.example;x/p.jpg https://user:pass@img.example/p.jpg http:// https://[
    mug.svg ./pictures/mug.svg other/mug.svg ../pictures/mug.svg pictures pictures/../feed.tsv
    pictures/../../etc/passwd pictures/%2e%2e/feed.tsv pictures/.%2E/feed.tsv pictures\..\feed.tsv
    pictures/..\feed.tsv /etc/passwd //images.example/mug.jpg // //[ /\ ftp://images.example/mug.jpg
    file:///etc/passwd data:image/png;base64,AA== javascript:alert(1) vbscript:x blob:https://a/b /\evil.example/a.jpg`
    .split(/\s+/)
    .map(link => link || ' ')
  for (const image_link of links) {
    const message = `image_link ${JSON.stringify(image_link)}: give an http(s) address or a path below "pictures/"`
    t.throws(() => readImage(row({ image_link })), new RowError(message), JSON.stringify(image_link))
  }
  const long = `ftp://${'x'.repeat(100)}`
  const message = `image_link "${long.slice(0, 80)}": give an http(s) address or a path below "pictures/"`
  t.throws(() => readImage(row({ image_link: long })), new RowError(message), 'a long address is abbreviated')
  const start = 'https://images.example/'
  const longest = start.padEnd(2000, 'x')
  t.equal(readImage(row({ image_link: longest })), longest)
  const tooLong = new RowError(`image_link "${longest.slice(0, 40)}": at most 2000 characters`)
  t.throws(() => readImage(row({ image_link: `${longest}x` })), tooLong)
})
