// A body may come in chunks, but not in a million of them.
import t from 'tap'
import { build, merchantFile } from '../build.ts'
import { sendRaw, sendRawText } from '../raw-http.ts'

const HEAD = [
  'POST /shop/cart HTTP/1.1',
  'Host: shop.example',
  'Content-Type: application/x-www-form-urlencoded',
  'Transfer-Encoding: chunked',
  'Connection: close\r\n\r\n'
].join('\r\n')

/** The body in chunks of this many bytes. */
function chunked(body: string, size: number): string {
  let sent = ''
  for (let i = 0; i < body.length; i += size) {
    const chunk = body.slice(i, i + size)
    sent += `${chunk.length.toString(16)}\r\n${chunk}\r\n`
  }
  return `${sent}0\r\n\r\n`
}

t.test('a bag in chunks is read; one in thousands of tiny ones is cut off', async t => {
  const { app, logs } = await build(t, { merchants: [merchantFile('2A', { publicUrl: '/shop' })] })
  await app.listen({ port: 0, host: '127.0.0.1' })
  const port = Number(new URL(app.listeningOrigin).port)
  const bag = 'items[0][sku]=MUG&items[0][quantity]=1&currency=GBP&reference=r'
  const padded = `${bag}&beyond=${'x'.repeat(40_000)}`
  t.match(await sendRaw(port, HEAD + chunked(bag, 1)), { status: 200 }, 'a small one in single bytes')
  t.match(await sendRaw(port, HEAD + chunked(padded, 20)), { status: 200 }, '2,000 chunks of 20 bytes')
  t.equal(await sendRawText(port, HEAD + chunked(padded, 1)).catch(({ code }) => code), 'ECONNRESET')
  const cuts = logs.filter(({ msg }) => msg === 'connection cut: a body in tiny chunks')
  t.match(cuts, [{ level: 40, requests: 1 }])
})
