// What a production server must not show: sources, settings, debug pages, causes of errors, answers to other origins.
import t from 'tap'
import { build, merchantFile } from '../build.ts'

/** As in production: a public address, and the simulator as by default. */
async function production(t: Parameters<typeof build>[0]) {
  const { app } = await build(t, {
    merchants: [merchantFile('2B', { publicUrl: 'https://shop.example/shop' })],
    simulator: {}
  })
  return app
}

const NOTHING = [
  ...['/', '/.env', '/.git/config', '/debug', '/metrics', '/openapi.json', '/package.json', '/simulator'],
  ...['/simulator/simulator.js.map', '/src/server.ts', '/shop', '/shop/.git/config', '/shop/data/test.sqlite'],
  ...['/shop/feed.tsv', '/shop/merchant-0.json', '/shop/pictures/../merchant-0.json', '/shop/views/checkout.eta']
]

t.test('what a production server must not have is a 404, without a cause or a stack', async t => {
  const app = await production(t)
  for (const url of NOTHING) {
    const answer = await app.inject({ url, headers: { accept: 'text/html' } })
    t.equal(answer.statusCode, 404, url)
    t.notMatch(answer.body, /\bat .*:\d+:\d+|node_modules|\.ts\b|sourceMappingURL|fastify|sqlite/i, url)
    t.strictSame([answer.headers['x-powered-by'], answer.headers.server], [undefined, undefined], url)
  }
})

t.test('no answer lets another origin read it', async t => {
  const app = await production(t)
  const headers = {
    origin: 'https://evil.example',
    'access-control-request-method': 'POST',
    'access-control-request-headers': 'content-type'
  }
  const addresses = ['/healthz', '/nowhere', '/shop/cart', '/shop/checkout', '/shop/pictures/mug.svg']
  for (const method of ['OPTIONS', 'GET', 'POST'] as const) {
    for (const url of addresses) {
      const answer = await app.inject({ method, url, headers })
      const cors = Object.keys(answer.headers).filter(name => name.startsWith('access-control-'))
      t.strictSame(cors, [], `${method} ${url}`)
    }
  }
})
