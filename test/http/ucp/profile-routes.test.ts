// Where platforms look for the profile of a merchant, which they may keep for a while.
import t from 'tap'
import { build, merchantFile } from '../../build.ts'

const PATH = '/.well-known/ucp'

const ways = (...options: string[]) => ({ transfer: options.map(option => ({ option, path: `/${option}` })) })
const shop = (id: string, publicUrl: string, ...options: string[]) => ({
  ...merchantFile('ucp', { id, publicUrl }),
  ...ways(...options)
})

t.test('the profile is at the root of the origin, whatever host a proxy says, and is not sent again', async t => {
  const { app } = await build(t, {
    merchants: [shop('one', 'https://shop.example/app', 'permalink', 'ucp'), merchantFile('2B')]
  })
  const first = await app.inject({ url: PATH, headers: { host: 'internal:3000' } })
  t.match(first, {
    statusCode: 200,
    headers: { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'public, max-age=3600' }
  })
  t.match(first.json().ucp, {
    services: { 'dev.ucp.shopping': [{ endpoint: 'https://shop.example/app/ucp' }, {}] },
    capabilities: { 'dev.ucp.shopping.permalink': [{ config: { endpoint: 'https://shop.example/app/permalink' } }] },
    supported_versions: { '2026-04-08': `https://shop.example${PATH}/2026-04-08` }
  })
  const headers = { 'if-none-match': String(first.headers.etag) }
  t.match(await app.inject({ url: PATH, headers }), { statusCode: 304, body: '' })
  const older = await app.inject(`${PATH}/2026-04-08`)
  t.match(older.json(), { ucp: { version: '2026-04-08', supported_versions: undefined } })
  t.not(older.headers.etag, first.headers.etag)
  t.equal((await app.inject(`${PATH}/2026-08-25`)).statusCode, 404)
})

t.test('of several merchants, each has the profile of its host', async t => {
  const { app } = await build(t, {
    merchants: [shop('one', 'https://one.example/1', 'ucp'), shop('two', 'https://two.example:8443/2', 'ucp')]
  })
  const endpointAt = async (host: string) => {
    const answer = await app.inject({ url: PATH, headers: { host } })
    return answer.statusCode === 200 ? answer.json().ucp.services['dev.ucp.shopping'][0].endpoint : answer.statusCode
  }
  t.equal(await endpointAt('one.example'), 'https://one.example/1/ucp')
  t.equal(await endpointAt('two.example:8443'), 'https://two.example:8443/2/ucp')
  t.equal(await endpointAt('two.example'), 404)
})

t.test('a merchant that takes no UCP carts has no profile at its own host, nor that of another', async t => {
  const { app } = await build(t, {
    merchants: [shop('one', 'https://one.example/1', 'ucp'), shop('two', 'https://two.example/2', '2B')]
  })
  const statusAt = async (host: string) => (await app.inject({ url: PATH, headers: { host } })).statusCode
  t.strictSame(await Promise.all(['one.example', 'internal:3000', 'two.example'].map(statusAt)), [200, 200, 404])
})

t.test('without a merchant that takes UCP carts, there is none', async t => {
  const { app } = await build(t, { merchants: [merchantFile('2B')] })
  t.equal((await app.inject(PATH)).statusCode, 404)
})

t.test('what cannot work stops the start, and says what would', async t => {
  const starts = (...merchants: object[]) => build(t, { merchants })
  await t.rejects(starts(shop('one', 'https://shop.example/1', 'ucp'), shop('two', 'https://shop.example/2', 'ucp')), {
    message:
      /publicUrl: platforms find one merchant at https:\/\/shop\.example\/\.well-known\/ucp, and "one" takes UCP carts there; give it a publicUrl with a host of its own, such as "https:\/\/carts\.shop\.example", or leave option ucp out/
  })
  await t.rejects(starts(shop('one', '/1', 'ucp'), shop('two', '/2', 'ucp')), {
    message: /at this server\/\.well-known/
  })
  await t.resolves(starts(shop('one', 'https://shop.example/1', 'ucp'), shop('two', 'https://shop.example/2', '2B')))
  const twice = {
    transfer: [
      { option: 'ucp', path: '/a' },
      { option: 'ucp', path: '/b' }
    ]
  }
  await t.rejects(starts({ ...merchantFile('ucp'), ...twice }), {
    message: /transfer\[1\]\.option: another way has it too, and platforms look for one; leave one out/
  })
  const destination = { type: 'hook', url: 'https://shop.example/hook', secretVariable: 'SHOP_SECRET' }
  const { catalogue: _, checkout, ...file } = merchantFile('ucp')
  const { path, ...others } = checkout
  await t.rejects(
    build(t, {
      merchants: [{ ...file, checkout: { ...others, destination } }],
      variables: { SHOP_SECRET: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' }
    }),
    { message: /transfer\.option: its answers have titles and prices, which only a feed has: give catalogue\.feed/ }
  )
  await t.rejects(starts(merchantFile('ucp', { checkout: { path: '/cart/pay' } })), {
    message: /checkout\.path is beneath it/
  })
  await t.rejects(starts(merchantFile('2B', { publicUrl: '/.well-known/ucp' })), { message: /the server's own path/ })
  t.ok(path)
})
