// The command that `npm start` prints for a shop that asks who calls: pasted into a shell, it sends a bag.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { startMessage } from '../../src/start/start-message.ts'
import { CART, NEWEST } from '../../src/ucp/versions.ts'
import { build, FEED, merchantFile } from '../build.ts'
import { shopFile } from '../integrations/destination/own-shop.ts'
import { nodeCommand, ROOT } from '../node-process.ts'
import { newSigner } from '../ucp/sign-request.ts'

const TOKEN = 'a-token-of-at-least-thirty-two-characters'
const SECRET = `whsec_${Buffer.alloc(32, 1).toString('base64')}`
/** First in the feed, so that it is in the bag. */
const HOSTILE = `it's "$HOME" \\n \`id\``

async function open(t: Test, type: string, variable: string) {
  const merchants = [
    merchantFile('1', { publicUrl: '/shop', transfer: { authentication: { type, secretVariables: [variable] } } })
  ]
  const [head, ...rows] = FEED.split('\n')
  const feed = [head, `${HOSTILE}\tHostile\t\tin_stock\t1.00 GBP\t`, ...rows].join('\n')
  const variables = { SHOP_TOKEN: TOKEN, SHOP_SECRET: SECRET }
  const built = await build(t, { merchants, feed, variables, isNow: true })
  await built.app.listen({ host: '127.0.0.1', port: 0 })
  const shops = built.merchants.map((merchant, i) => ({ merchant, catalogue: built.catalogues[i] as never }))
  const message = startMessage({ server: built.app.listeningOrigin }, shops, undefined)
  return { message, line: /^ {2}((?:curl|printf) .*)/m.exec(message)?.[1] ?? '' }
}

/** Runs a line in a shell in which `name` is a function. */
async function runShell(name: string, body: string, line: string, env: Record<string, string>) {
  const child = spawn('sh', ['-c', `${name}() { ${body}; }\n${line}`], { env: { ...process.env, ...env } })
  const [out, err, [code]] = await Promise.all([child.stdout.toArray(), child.stderr.toArray(), once(child, 'close')])
  return { code, out: out.join(''), err: err.join('') }
}

t.test('a bearer token is taken from the variable by the shell, which says if it is not set', async t => {
  const { message, line } = await open(t, 'bearer', 'SHOP_TOKEN')
  t.match(line, / -H "Authorization: Bearer \$\{SHOP_TOKEN:\?\}" /)
  t.notMatch(message, TOKEN)
  // What the shell passes to curl, a word in a line; curl itself may not be installed.
  const pass = (env: Record<string, string>) => runShell('curl', `for word; do printf '%s\\n' "$word"; done`, line, env)
  const { code, out } = await pass({ SHOP_TOKEN: TOKEN })
  t.equal(code, 0)
  const words = out.trim().split('\n')
  const authorization = words.find(word => word.startsWith('Authorization: '))?.replace('Authorization: ', '') ?? ''
  const headers = { 'content-type': 'application/json', authorization }
  const body = String(words[words.indexOf('--data-raw') + 1])
  t.equal(JSON.parse(body).items[0].sku, HOSTILE)
  t.equal((await fetch(String(words.at(-1)), { method: 'POST', headers, body })).status, 200)
  const unset = await pass({ SHOP_TOKEN: '' })
  t.not(unset.code, 0)
  t.match(unset, { out: '', err: /SHOP_TOKEN/ })
})

t.test('a signature is made by `npm run simulate`', async t => {
  const { message, line } = await open(t, 'standard-webhooks', 'SHOP_SECRET')
  t.match(line, / \| npm run simulate -- '.*' --option 1 --cart \/dev\/stdin --secret-from SHOP_SECRET$/)
  t.notMatch(message, SECRET)
  const simulate = [...nodeCommand([join(ROOT, 'src/cli/simulate.ts')]).map(word => `'${word}'`), '"$@"'].join(' ')
  const { code, out } = await runShell('npm', `shift 3; ${simulate}`, line, { SHOP_SECRET: SECRET })
  t.equal(code, 0)
  t.match(out, /webhook-signature: v1,[\s\S]*a page with the title "Checkout – The Shop"/)
  t.notMatch(out, SECRET)
})

t.test('a shop without a feed, or with nothing to buy in it, is told what to do', async t => {
  const cases: [file: object, says: RegExp][] = [
    [
      shopFile('1', 'http://127.0.0.1:9/', { publicUrl: '/shop', hasFeed: false }),
      /curl .*\{"sku":"YOUR-SKU","quantity":1\}.*\n.*\n.*\n {2}without a product feed: put a SKU of the shop in place of YOUR-SKU\n {2}OpenAPI: http:\/\/127\.0\.0\.1:3000\/shop\/openapi\.json\n$/
    ],
    [merchantFile('1', { publicUrl: '/shop', currencies: ['EUR'] }), /nothing in its feed can be bought in EUR/]
  ]
  for (const [file, says] of cases) {
    const { merchants, catalogues } = await build(t, { merchants: [file], variables: { SHOP_SECRET: SECRET } })
    const shop = { merchant: merchants[0], catalogue: catalogues[0] } as never
    t.match(startMessage({ server: 'http://127.0.0.1:3000' }, [shop], undefined), says)
  }
})

t.test('option 1 says how to see the page, which the answer to curl is not', async t => {
  const { message } = await open(t, 'bearer', 'SHOP_TOKEN')
  const [curl = '', says, simulate = ''] = message.split('\n').slice(3)
  t.match(curl, /^ {2}curl /)
  t.equal(says, '  It answers with JSON: the request that the app sends for the page. To see the page:')
  t.match(simulate, / --option 1 --cart \/dev\/stdin --token-from SHOP_TOKEN --screenshot page\.png$/)
  const follow = [...nodeCommand([join(ROOT, 'src/cli/simulate.ts')]).map(word => `'${word}'`), '"$@"'].join(' ')
  const line = simulate.replace(' --screenshot page.png', '')
  const { code, out } = await runShell('npm', `shift 3; ${follow}`, line, { SHOP_TOKEN: TOKEN })
  t.equal(code, 0)
  t.match(out, 'a page with the title "Checkout – The Shop"')

  const { merchants, catalogues } = await build(t, {
    merchants: ['1', '2A'].map(name =>
      merchantFile(name, { id: `by-${name.toLowerCase()}`, publicUrl: `/by-${name.toLowerCase()}` })
    )
  })
  const shops = merchants.map((merchant, i) => ({ merchant, catalogue: catalogues[i] as never }))
  const [byJson = '', byForm = ''] = startMessage({ server: 'http://127.0.0.1:3000' }, shops, 'key').split('\n\n')
  t.match(
    byJson,
    '\n  It answers with JSON: the request that the app sends for the page. To see the page, use the simulator, or:\n  printf '
  )
  t.notMatch(byForm, 'To see the page')
})

t.test('each way in has its address and a command, and one that redirects is followed', async t => {
  const ways = [
    { option: '2A', path: '/cart', maxItems: 1 },
    { option: 'meta', path: '/link', currency: 'USD', itemId: 'SKU_{sku}' },
    { option: '1', path: '/api' },
    { option: 'ucp', path: '/ucp' }
  ]
  const { merchants, catalogues } = await build(t, {
    merchants: [{ ...merchantFile('1', { publicUrl: '/shop', currencies: ['GBP', 'USD'] }), transfer: ways }]
  })
  const shop = { merchant: merchants[0], catalogue: catalogues[0] } as never
  const message = startMessage({ server: 'http://127.0.0.1:3000' }, [shop], undefined)
  const [form = '', link = '', api = '', cart = ''] = message.slice(1).split('\n\n')
  t.match(
    form,
    /^The Shop: option 2A, HTTP Post Request\n {2}http:\/\/127\.0\.0\.1:3000\/shop\/cart\n {2}curl -X POST /
  )
  t.notMatch(form, 'items[1]', 'within the limits of the way')
  t.match(link, /^The Shop: option meta, Meta Checkout URL\n {2}.*\/shop\/link\n {2}curl -L '.*products=SKU_.*'$/)
  t.match(api, /^The Shop: option 1, /)
  t.match(
    cart,
    /^The Shop: option ucp, UCP Cart\n.*\n {2}MCP: http:\/\/127\.0\.0\.1:3000\/shop\/ucp\/mcp\n {2}Profile: http:\/\/127\.0\.0\.1:3000\/\.well-known\/ucp\n {2}curl .*'UCP-Agent: profile=.*\n {2}It answers with JSON: continue_url leads to the page\.\n {2}OpenAPI: http:\/\/127\.0\.0\.1:3000\/shop\/openapi\.json\n$/
  )
  t.equal(message.split('OpenAPI').length, 2, 'once')
})

t.test('a UCP cart of platforms that all sign is sent by `npm run simulate`, with the key of the first', async t => {
  const { privateKey, jwk } = newSigner()
  const capabilities = { [CART]: [{ version: NEWEST }] }
  const folder = t.testdir({ 'copy.json': JSON.stringify({ ucp: { version: NEWEST, capabilities }, keys: [jwk] }) })
  const platforms = ['one', 'two'].map(name => ({
    profile: `https://${name}.example/ucp`,
    copy: join(folder, 'copy.json'),
    authentication: { type: 'signature' }
  }))
  const { app, merchants, catalogues } = await build(t, {
    merchants: [merchantFile('ucp', { publicUrl: '/shop', transfer: { platforms } })],
    isNow: true
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  const shop = { merchant: merchants[0], catalogue: catalogues[0] } as never
  const message = startMessage({ server: app.listeningOrigin }, [shop], undefined)
  t.match(
    message,
    '\n  All of its platforms sign. With the private key of the first, a JWK, in PLATFORM_KEY:\n  printf '
  )
  const [line = ''] = /printf .*/.exec(message) ?? []
  const key = JSON.stringify({ kid: jwk.kid, ...privateKey.export({ format: 'jwk' }) })
  const simulate = [...nodeCommand([join(ROOT, 'src/cli/simulate.ts')]).map(word => `'${word}'`), '"$@"'].join(' ')
  const { code, out } = await runShell('npm', `shift 3; ${simulate}`, line, { PLATFORM_KEY: key })
  t.equal(code, 0)
  t.match(out, /signature-input: sig1=[\s\S]*a page with the title "Checkout – The Shop"/)
})

t.test('a UCP cart comes from the first platform that needs no signature, with its key', async t => {
  const authentication = { type: 'x-api-key', secretVariables: ['KEY'] }
  const platforms = [
    { profile: 'https://signs.example/ucp', authentication: { type: 'signature' } },
    { profile: 'https://one.example/ucp', authentication },
    { profile: 'https://two.example/ucp' }
  ]
  const { merchants, catalogues } = await build(t, {
    merchants: [merchantFile('ucp', { transfer: { platforms } })],
    variables: { KEY: TOKEN }
  })
  const shop = { merchant: merchants[0], catalogue: catalogues[0] } as never
  const message = startMessage({ server: 'http://127.0.0.1:3000' }, [shop], undefined)
  t.match(message, / -H 'UCP-Agent: profile="https:\/\/one\.example\/ucp"' -H "X-API-Key: \$\{KEY:\?\}" /)
  t.notMatch(message, TOKEN)
})

t.test('a way that cannot write the products of a shop has no command, but says so', async t => {
  const feed = 'id\ttitle\tavailability\tprice\nA:1\tA\tin stock\t1.00 GBP'
  const { merchants, catalogues } = await build(t, { merchants: [merchantFile('meta')], feed })
  const shop = { merchant: merchants[0], catalogue: catalogues[0] } as never
  const message = startMessage({ server: 'http://127.0.0.1:3000' }, [shop], undefined)
  t.match(message, /\/shop\/cart\n {2}An id with "," or ":" cannot be sent; Meta supports none\.\n$/)
})

t.test('the shop that a demo leads to has its address there, and so has what another is paid at', async t => {
  const demo = { shopOrigin: 'http://127.0.0.1:3001', paymentOrigin: 'http://127.0.0.1:4242' }
  t.equal(
    startMessage({ server: 'http://127.0.0.1:3000', demo }, [], undefined),
    "\nOrchard Lane's own shop, which its bags lead to\n  http://127.0.0.1:3001\n" +
      "\nA stand-in for Stripe, where Werft & Faden's shoppers pay: no money moves\n  http://127.0.0.1:4242\n"
  )
})
