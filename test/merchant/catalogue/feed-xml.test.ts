// Feeds in XML: RSS 2.0 and Atom as Google describes them, and documents that mean harm.
import t from 'tap'
import { FeedError, LONGEST_ROW } from '../../../src/merchant/catalogue/feed-row.ts'
import { readProducts } from './read-products.ts'

const G = 'xmlns:g="http://base.google.com/ns/1.0"'
const ATOM = 'xmlns="http://www.w3.org/2005/Atom"'

function rss(...items: string[]): string {
  const lines = items.map(item => `<item>${item}</item>`)
  return `<?xml version="1.0"?>\n<rss version="2.0" ${G}>\n<channel><title>Shop</title>\n${lines.join('\n')}\n</channel></rss>\n`
}

const NEEDED = '<g:price>1 GBP</g:price><g:availability>in_stock</g:availability>'
const MUG = `<g:id>MUG</g:id><title>Mug</title>${NEEDED}`

const read = (text: string | Buffer, size = 7) => readProducts(text, size)

/** The title of a product whose title element has this content. */
async function titleOf(content: string): Promise<string | undefined> {
  return (await read(rss(`<g:id>A</g:id><title>${content}</title>${NEEDED}`))).products[0]?.title
}

t.test('a product is an item of RSS 2.0 or an entry of Atom, with every attribute that is read', async t => {
  const attributes = `
    <g:id>
      SKU-1
    </g:id>
    <g:price>15.00 GBP</g:price><g:sale_price>12.00 GBP</g:sale_price>
    <g:sale_price_effective_date>2026-11-20T09:00Z/2026-11-30T18:00Z</g:sale_price_effective_date>
    <g:availability>in stock</g:availability><g:color>Indigo</g:color><g:size>M</g:size>
    <g:image_link>https://images.example/a.jpg?a=1&amp;b=2</g:image_link>
    <g:shipping><g:country>GB</g:country><g:price>9 GBP</g:price><g:id>no</g:id></g:shipping>
    <g:additional_image_link>https://images.example/b.jpg</g:additional_image_link>
    <g:additional_image_link>https://images.example/c.jpg</g:additional_image_link>`
  const product = {
    sku: 'SKU-1',
    title: 'Mug & cup',
    variant: 'Indigo · M',
    image: 'https://images.example/a.jpg?a=1&b=2',
    offers: {
      GBP: {
        availability: 'in_stock',
        price: 1500,
        sale: { price: 1200, from: Date.parse('2026-11-20T09:00Z'), until: Date.parse('2026-11-30T18:00Z') }
      }
    }
  }
  const atom = `<feed ${ATOM} ${G}><title>Shop</title><entry><id>tag:shop.example,2026:1</id>
    <link href="https://shop.example"/><title type="text">Mug &amp; cup</title>${attributes}</entry></feed>`
  const documents = {
    rss: rss(`<title><![CDATA[Mug & cup]]></title>${attributes}`),
    atom,
    'another prefix': atom.replaceAll('g:', 'x:').replace('xmlns:g', 'xmlns:x'),
    'white space first': `\ufeff\n ${atom}`
  }
  for (const [name, text] of Object.entries(documents)) {
    for (const chunk of [1, 64 * 1024]) {
      t.strictSame(await read(text, chunk), { products: [product], problems: [] }, `${name}, chunks of ${chunk}`)
    }
  }
})

t.test('Google’s own attributes go before those of RSS and Atom; the id of Atom is no SKU', async t => {
  const { products } = await read(rss(`<title>theirs</title><g:title>ours</g:title><g:id>A</g:id><g:size/>${NEEDED}`))
  t.match(products, [{ title: 'ours', variant: undefined }])
  const atom = `<feed ${ATOM} ${G}><entry><id>tag:x</id><title>T</title>${NEEDED}</entry></feed>`
  await t.rejects(read(atom), new FeedError('it holds no product that can be read; line 1: id is empty'))
})

t.test('text is what the document means: entities, CDATA, other encodings', async t => {
  t.equal(await titleOf('a &lt;b&gt; &#9749; &eacute;<!-- not this -->!'), 'a <b> ☕ é!')
  t.equal(await titleOf('<![CDATA[a <b>]]> &amp; <![CDATA[c]]>'), 'a <b> & c')
  const latin1 = rss(MUG.replace('Mug<', 'Caf\u00e9<')).replace('?>', ' encoding="ISO-8859-1"?>')
  for (const text of [latin1, latin1.replace('encoding="ISO-8859-1"', "encoding = 'iso-8859-1'")])
    t.match((await read(Buffer.from(text, 'latin1'))).products, [{ title: 'Café' }])
  const { products, problems } = await read(Buffer.from(rss(MUG.replaceAll('M', '\u00e9'), MUG), 'latin1'))
  t.match(products, [{ sku: 'MUG' }])
  t.strictSame(problems, [{ line: 4, id: '\ufffdUG', reason: 'it holds bytes that are not text in its encoding' }])
  const unknown = { message: 'its encoding "klingon" is not known; save it as UTF-8' }
  await t.rejects(read(latin1.replace('ISO-8859-1', 'klingon')), unknown)
  for (const name of ['utf-16', 'UTF-16LE', 'utf-16be', 'ucs-2', 'unicode']) {
    const message = `it says that its encoding is "${name}", but its bytes are not; write "utf-8" there`
    await t.rejects(read(rss(MUG).replace('?>', ` encoding="${name}"?>`)), new FeedError(message))
  }
})

t.test('elements within a value are a part of its text, in order', async t => {
  const titles: [content: string, title: string][] = [
    ['<span>Sea</span> glass <b>mug</b>', 'Sea glass mug'],
    ['<div xmlns="http://www.w3.org/1999/xhtml"><p>Sea<!-- no --> <i>gl<b>as</b>s</i></p></div>', 'Sea glass'],
    ['a<![CDATA[ <b>]]><b> c<![CDATA[&]]></b>de', 'a <b> c&de'],
    ['Mug<br/>blue', 'Mug blue'],
    ['<p>Tom</p><P>Jerry</P>\n', 'Tom Jerry'],
    ['<ul xmlns:h="x"><li>Tom</li><h:li>Jerry</h:li></ul><div>Co</div>.', 'Tom Jerry Co .']
  ]
  for (const [content, title] of titles) t.equal(await titleOf(content), title, content)
  const prices: [content: string, price: number | undefined][] = [
    ['<value>9.00</value><currency>GBP</currency>', 900],
    ['\n  <value>9.00</value>\n  <currency>GBP</currency>\n', 900],
    ['<b>9</b>.00 GBP', undefined],
    ['<![CDATA[9.00]]> <i>GBP</i>', 900],
    ['9.00\n GBP', 900],
    ['<net>9</net><vat>19</vat><currency>GBP</currency>', undefined],
    ['9.00 GBP<was>12.00 GBP</was>', undefined],
    ['<currency>GBP</currency><value>9.00</value>', undefined]
  ]
  for (const [content, price] of prices) {
    const sale = `${MUG.replace('MUG', 'B').replace('1 GBP', '900 GBP')}<g:sale_price>${content}</g:sale_price>`
    const { products, problems } = await read(rss(MUG.replace('1 GBP', content), sale, MUG.replace('MUG', 'C')))
    const found = products.map(({ offers }) => offers.GBP?.sale?.price ?? offers.GBP?.price)
    t.strictSame(found, price === undefined ? [100] : [price, price, 100], content)
    if (price === undefined) t.match(problems, [{ reason: /^price "/ }, { reason: /^sale_price "/ }])
  }
  const id = MUG.replace('MUG', '<a>M</a>UG').replace('in_stock', '<b>out</b> <b>of stock</b>')
  t.match((await read(rss(id))).products, [{ sku: 'MUG', offers: { GBP: { availability: 'out_of_stock' } } }])
})

t.test('a broken item is reported with its line and id, and the others are used', async t => {
  const twice = `${MUG.replace('MUG', 'B')}<g:price>2 GBP</g:price>`
  const same = `${MUG.replace('MUG', 'C')}<g:price>1 GBP</g:price>`
  const long = `<description>${'x'.repeat(LONGEST_ROW + 1)}</description>${MUG}`
  const many = Array.from({ length: 50_000 }, (_, i) => `<a${i}/>`).join('') + MUG
  const items = [MUG.replace('1 GBP', '\nfree'), twice, same, long, '<g:id/>', many]
  const { products, problems } = await read(rss(...items), 65_521)
  t.match(products, [{ sku: 'C' }])
  t.strictSame(problems, [
    { line: 4, id: 'MUG', reason: 'price "free": give an amount and an ISO 4217 code, such as "15.00 GBP"' },
    { line: 6, id: 'B', reason: 'price is given twice' },
    { line: 8, reason: `it is longer than ${LONGEST_ROW} characters` },
    { line: 9, reason: 'id is empty' },
    { line: 10, reason: `it is longer than ${LONGEST_ROW} characters` }
  ])
})

t.test('a document that cannot be read as a whole is refused with the line', async t => {
  const cases: [what: string, text: string, message: string | RegExp][] = [
    ['no products', rss(), 'it has no <item>, as RSS 2.0 has, and no <entry>, as Atom has'],
    ['a part of one', rss(MUG).slice(0, -20), /^line 4: Unclosed root tag$/],
    ['an ampersand', rss(MUG.replace('Mug', '\nMug & cup')), /^line 5: Invalid character/],
    ['a wrong closing tag', rss(`${MUG}</items>`), /^line 4: Unexpected close tag|^line 4: Unmatched/],
    ['an unknown prefix', rss(MUG).replace(G, ''), 'line 4: the prefix of <g:id> is not declared'],
    ['deep nesting', rss(`${'<a>'.repeat(200)}`), 'line 4: more than 100 elements inside each other'],
    [
      'many attributes',
      rss(`<a ${Array.from({ length: 200 }, (_, i) => `a${i}="1"`).join(' ')}/>`),
      'line 4: a tag has more than 100 attributes'
    ],
    ['a long comment', rss(`<!--${'x'.repeat(300_000)}-->`), /^line 4: Max buffer length exceeded: comment$/]
  ]
  for (const [what, text, message] of cases) {
    const error = await read(text, 65_521).catch(error => error)
    t.match(error, { constructor: FeedError, message }, what)
  }
})

t.test('no entity that a document declares is expanded or fetched', async t => {
  const lol = Array.from({ length: 10 }, (_, i) => `<!ENTITY l${i + 1} "${`&l${i};`.repeat(10)}">`).join('\n')
  const declarations = {
    'billion laughs': `<!ENTITY l0 "lol">\n${lol}`,
    'a file': '<!ENTITY l10 SYSTEM "file:///etc/passwd">',
    'an address': '<!ENTITY l10 SYSTEM "http://127.0.0.1:1/">'
  }
  for (const [what, entities] of Object.entries(declarations)) {
    const doctype = `?>\n<!DOCTYPE rss [\n${entities}\n]>`
    const text = rss(MUG.replace('Mug', '&l10;')).replace('?>', doctype)
    await t.rejects(read(text, 65_521), { message: /^line \d+: Invalid character entity$/ }, what)
    t.match((await read(rss(MUG).replace('?>', doctype), 65_521)).products, [{ sku: 'MUG' }], `${what}, not used`)
  }
})
