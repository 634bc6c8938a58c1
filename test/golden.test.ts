// Whole conversations: each `golden/NAME.http` is a request to one of the demo merchants, byte for byte as it goes over
// the wire; `golden/NAME.answer` is the complete response, except for date, token, port and style sheet. Together they
// cover every row of contract 2.1 (option 1), 2.3 (2A) and 2.4 (2B), links of both kinds into one more shop, and UCP carts.
// After an intended change, `npm run golden` rewrites the responses; read the diff.
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pino } from 'pino'
import t, { type Test } from 'tap'
import { buildApp } from '../src/app.ts'
import { destinations } from '../src/integrations/destination/index.ts'
import { paymentProviders } from '../src/integrations/payment/index.ts'
import { connectProviders } from '../src/integrations/payment/provider-call.ts'
import { openDemo } from '../src/kit/demo/demo.ts'
import { followFeed } from '../src/merchant/catalogue/feed-source.ts'
import { noopObserver } from '../src/observer.ts'
import { findPageMistakes } from '../src/pages/check-pages.ts'
import { openSqlite } from '../src/store/sqlite/sqlite-store.ts'
import { transferOptions } from '../src/transfer/index.ts'
import { readDocument } from './http/openapi/served-document.ts'
import { parseAnswer, sendRawText } from './raw-http.ts'
import { readMerchantFiles } from './read-merchants.ts'

const GOLDEN = join(import.meta.dirname, 'golden')
const CONFIG = join(import.meta.dirname, '../config')

const files = ['harbour', 'werft', 'kissa', 'orchard'].map(id => join(CONFIG, `${id}.json`))
const names = readdirSync(GOLDEN)
  .filter(name => name.endsWith('.http'))
  .map(name => name.slice(0, -'.http'.length))

/** A shop for links, with products of a demo merchant, which takes UCP carts itself: there is one such merchant at an origin. */
const LINKS = {
  id: 'links',
  name: 'Harbour Links',
  publicUrl: '/links',
  locale: 'en-GB',
  currencies: ['GBP'],
  transfer: [
    { option: 'meta', path: '/meta' },
    { option: 'permalink', path: '/buy' }
  ],
  catalogue: { feed: join(CONFIG, 'harbour/feed.tsv') },
  checkout: { path: '/checkout', continueShoppingUrl: 'harbour://continue' }
}

/** Serves the demo merchants, and what they are connected with. @returns their ports */
async function serve(t: Test): Promise<{ port: string; shopPort: string; paymentPort: string }> {
  const clock = () => new Date('2026-11-20T10:00:00Z')
  const ownOrigin = () => app.listeningOrigin
  const demo = await openDemo({ port: 0, ownOrigin, clock })
  const { variables, lead } = demo
  const folder = t.testdir({ 'links.json': JSON.stringify(LINKS) })
  const store = openSqlite(join(folder, 'golden.sqlite'))
  const read = readMerchantFiles([...files, join(folder, 'links.json')], {
    options: transferOptions,
    destinations,
    providers: paymentProviders,
    variables,
    findPageMistakes
  })
  const merchants = await Promise.all(
    read.map(async merchant => ({
      merchant: lead(merchant),
      catalogue: await followFeed(
        String(merchant.catalogue?.feeds[0]?.address),
        { onLoad: () => {}, onFailure: () => {} },
        60_000
      )
    }))
  )
  const parts = { clock, logger: pino({ level: 'silent' }), fetch, observer: noopObserver }
  const app = await buildApp({
    ...parts,
    merchants,
    store,
    gateways: connectProviders(
      merchants.map(({ merchant }) => merchant),
      parts
    ),
    bodyMemory: 1e8
  })
  await app.listen({ port: 0, host: '127.0.0.1' })
  t.teardown(async () => {
    await app.close()
    await Promise.all(merchants.map(({ catalogue }) => catalogue.close()))
    await store.close()
    await demo.close()
  })
  const [port = '', shopPort = '', paymentPort = ''] = [app.listeningOrigin, demo.shopOrigin, demo.paymentOrigin].map(
    origin => new URL(origin).port
  )
  return { port, shopPort, paymentPort }
}

/** The response without its style sheet, its hash and its length, so that a new colour does not change every file. */
function withoutStyle(t: Test, sent: string): string {
  const [, css] = /<style>(.*?)<\/style>/s.exec(sent) ?? []
  if (css === undefined) return sent
  const body = sent.slice(sent.indexOf('\r\n\r\n') + 4)
  const hash = `'sha256-${createHash('sha256').update(css).digest('base64')}'`
  const length = Buffer.byteLength(body)
  t.match(sent, `style-src ${hash};`, 'the CSP allows exactly this style sheet')
  t.match(sent, `\r\ncontent-length: ${length}\r\n`)
  return sent
    .replace(css, '(style sheet)')
    .replace(hash, '(its hash)')
    .replace(`content-length: ${length}`, `content-length: (style sheet) + ${length - Buffer.byteLength(css)}`)
}

t.test('every request gets the recorded response', async t => {
  t.ok(names.length >= 50, 'the conversations were found')
  const { port, shopPort, paymentPort } = await serve(t)
  const documentOf = async (shop: string) =>
    readDocument(await (await fetch(`http://127.0.0.1:${port}/${shop}/openapi.json`)).text())
  const [harbour, orchard] = await Promise.all([documentOf('harbour'), documentOf('orchard')])
  for (const name of names) {
    const sent = await sendRawText(Number(port), readFileSync(join(GOLDEN, `${name}.http`)))
    const answer = withoutStyle(t, sent)
      .replace(/\r\nDate: [^\r]*/g, '\r\nDate: (date)')
      .replaceAll(/(token=|buyer=|key=|\/checkout\/|\/bag\/)[A-Za-z0-9]{32}(?=["?&\r\\])/g, '$1(token)')
      .replaceAll(/(\\?"id\\?":\\?"|\/carts\/)[\da-f]{32}(?=["\\/])/g, '$1(id)')
      // Of what has the port.
      .replace(/\r\netag: "[\da-f]{64}"/, '\r\netag: "(hash)"')
      .replaceAll(`127.0.0.1:${port}`, '127.0.0.1:(port)')
      .replaceAll(`127.0.0.1:${shopPort}`, '127.0.0.1:(port of the shop)')
      .replaceAll(`127.0.0.1:${paymentPort}`, '127.0.0.1:(port of the stand-in)')
    const file = join(GOLDEN, `${name}.answer`)
    if (process.env.UPDATE_GOLDEN) writeFileSync(file, answer)
    t.equal(answer, readFileSync(file, 'utf8'), name)
    if (!name.startsWith('option-1-')) continue
    const { answerMistakes } = name.includes('-own-shop-') ? orchard : harbour
    t.strictSame(answerMistakes('/cart', parseAnswer(sent)), [], `${name} is as the OpenAPI document says`)
  }
})
