// A page of another shop in the phone's frame: relative to the shop, and without scripts.
import t from 'tap'
import { framedPage } from '../../../src/kit/simulator/framed-page.ts'

const page = (body: string | Uint8Array, type = 'text/html; charset=utf-8') => {
  const { headers, body: framed } = framedPage({
    url: 'https://shop.example/bag?a=1&b="2"',
    status: 200,
    statusText: 'OK',
    headers: [
      ...(type === '' ? [] : [{ name: 'Content-Type', value: type }]),
      { name: 'Set-Cookie', value: 'session=1' },
      { name: 'Content-Security-Policy', value: "default-src 'self'" },
      { name: 'X-Frame-Options', value: 'DENY' },
      { name: 'Content-Language', value: 'en' }
    ],
    body: Buffer.from(body),
    milliseconds: 1
  })
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

t.test('anything else than a page is left as it is', async t => {
  for (const type of ['application/json', '']) t.equal(page('{"head":"<head>"}', type).text, '{"head":"<head>"}', type)
})

t.test('it runs nothing, and brings none of the shop’s headers with it', async t => {
  const names = page('<p>').headers.map(({ name }) => name.toLowerCase())
  t.strictSame(names, ['content-type', 'content-language', 'content-security-policy', 'cache-control'])
  const policy = page('<p>').headers.find(({ name }) => name === 'content-security-policy')?.value
  t.match(policy, /^sandbox allow-forms allow-same-origin; .*script-src 'none'/)
})
