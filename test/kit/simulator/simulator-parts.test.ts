// The pages in the phone's frame: ids that cannot be guessed, limits on number, size and age, and nothing that runs.
// What is typed is what is sent, valid or not.
import t from 'tap'
import type { WebResponse } from '../../../src/kit/client/send-request.ts'
import { isEditable } from '../../../src/kit/conformance/check.ts'
import { cartOf, framedPage, responseCache } from '../../../src/kit/simulator/simulator.ts'
import { transferOptions } from '../../../src/transfer/index.ts'

const response = (bytes = 1, more: Partial<WebResponse> = {}): WebResponse => ({
  url: 'http://shop/',
  status: 200,
  statusText: 'OK',
  headers: [],
  body: new Uint8Array(bytes),
  milliseconds: 1,
  ...more
})

t.test('a response is found by its id', async t => {
  const { add, get } = responseCache(() => new Date())
  const [first, second] = [response(), response()]
  const ids = [add(first), add(second)]
  t.match(ids, [/^[0-9a-f]{32}$/, /^[0-9a-f]{32}$/])
  t.equal(get(String(ids[0])), first)
  t.equal(get(String(ids[1])), second)
  t.equal(get('another'), undefined)
})

t.test('beyond fifty, the oldest are evicted', async t => {
  const { add, get } = responseCache(() => new Date())
  const ids = Array.from({ length: 52 }, () => add(response()))
  t.strictSame(
    ids.map(id => get(id) !== undefined),
    ids.map((_, i) => i >= 2)
  )
})

t.test('beyond 64 MiB in total, the oldest are evicted, never the newest', async t => {
  const { add, get } = responseCache(() => new Date())
  const ids = Array.from({ length: 4 }, () => add(response(20 * 1024 * 1024)))
  t.strictSame(
    ids.map(id => get(id) !== undefined),
    [false, true, true, true]
  )
})

const page = (body: string | Uint8Array, type = 'text/html; charset=utf-8') => {
  const sent = [
    ...(type === '' ? [] : [{ name: 'Content-Type', value: type }]),
    { name: 'Set-Cookie', value: 'session=1' },
    { name: 'Content-Security-Policy', value: "default-src 'self'" },
    { name: 'X-Frame-Options', value: 'DENY' },
    { name: 'Content-Language', value: 'en' }
  ]
  const url = 'https://shop.example/bag?a=1&b="2"'
  const { headers, body: framed } = framedPage(response(0, { url, headers: sent, body: Buffer.from(body) }))
  return { headers, text: Buffer.from(framed).toString('latin1') }
}
const BASE = '<base href="https://shop.example/bag?a=1&amp;b=%222%22">'

t.test('what is relative in it is relative to the shop', async t => {
  const cases: [name: string, html: string, framed: string][] = [
    ['a head', '<!doctype html><html><HEAD lang="en"><title>', `<!doctype html><html><HEAD lang="en">${BASE}<title>`],
    ['no head, but a header', '<!doctype html>\n<header>', `<!doctype html>${BASE}\n<header>`],
    ['nothing of that', '<p>', `${BASE}<p>`]
  ]
  for (const [name, html, framed] of cases) t.equal(page(html).text, framed, name)
  const bytes = Buffer.from([0x3c, 0x70, 0x3e, 0x83, 0x4a, 0xff])
  t.equal(page(bytes).text, BASE + bytes.toString('latin1'), 'in any encoding')
})

t.test('a page of heads that do not end holds nobody up', async t => {
  const html = '<head'.repeat(400_000)
  t.equal(page(html).text, BASE + html)
})

t.test('anything else than a page is left as it is', async t => {
  for (const type of ['application/json', '']) t.equal(page('{"head":"<head>"}', type).text, '{"head":"<head>"}', type)
})

t.test('it runs nothing, and brings none of the shop’s headers with it', async t => {
  const names = page('<p>').headers.map(({ name }) => name.toLowerCase())
  t.strictSame(names, ['content-type', 'content-language', 'content-security-policy', 'cache-control'])
  const policy = page('<p>').headers.find(({ name }) => name === 'content-security-policy')?.value
  t.match(policy, /^sandbox allow-forms allow-same-origin; .*script-src 'none'/)
})

t.test('a quantity becomes a number if that prints the same, otherwise it stays text', async t => {
  const cases: [typed: string, sent: unknown][] = [
    ['1', 1],
    ['9999', 9999],
    ['0', 0],
    ['-1', -1],
    ['1.5', 1.5],
    ['abc', 'abc'],
    ['', ''],
    ['02', '02'],
    ['2.0', '2.0'],
    [' 2', ' 2'],
    ['+2', '+2'],
    ['NaN', 'NaN'],
    ['Infinity', 'Infinity'],
    ['99999999999999999999', '99999999999999999999']
  ]
  for (const [quantity, sent] of cases) {
    const cart = cartOf({ items: [{ sku: 'A', quantity }], currency: '', reference: '' })
    t.equal(cart.items[0]?.quantity, sent, JSON.stringify(quantity))
    for (const { name, request } of transferOptions.filter(isEditable)) {
      const { url, body = url } = request(cart, 'http://shop')
      const carried = body.startsWith('{') ? JSON.parse(body).items[0].quantity : quantityIn(body)
      t.equal(carried, body.startsWith('{') ? sent : quantity, `option ${name} sends ${JSON.stringify(quantity)}`)
    }
  }
})

function quantityIn(encoded: string): string | undefined {
  const fields = [...new URLSearchParams(encoded.replace(/^[^?]*\?/, ''))]
  return fields.find(([name]) => name.includes('quantity'))?.[1]
}

t.test('everything else stays as typed', async t => {
  const items = [{ sku: ' "><b> ', quantity: '1', price: 'free' }]
  const typed = { items, currency: 'pounds', reference: 'r'.repeat(40) }
  t.strictSame(cartOf(typed), { ...typed, items: [{ sku: ' "><b> ', quantity: 1, price: 'free' }] })
})
