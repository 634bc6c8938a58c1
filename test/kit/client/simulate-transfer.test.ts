// From the bag to the response that the web view shows, with a minimal merchant site: every step is recorded.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import t, { type Test } from 'tap'
import type { Cart } from '../../../src/cart/cart.ts'
import { OperatorError } from '../../../src/errors.ts'
import { responseText } from '../../../src/kit/client/send-request.ts'
import { readBag, type SimulatedTransfer, simulateTransfer } from '../../../src/kit/client/simulate-transfer.ts'
import { formPost } from '../../../src/transfer/form-post/form-post.ts'
import { jsonDescription } from '../../../src/transfer/json-description/json-description.ts'
import type { TransferOption } from '../../../src/transfer/option.ts'
import { queryGet } from '../../../src/transfer/query-get/query-get.ts'
import { ucp } from '../../../src/transfer/ucp/ucp.ts'
import { listen } from '../../listen.ts'

const CART: Cart = { reference: 'r', currency: 'GBP', items: [{ sku: 'MUG', quantity: 2 }] }

type Respond = (request: IncomingMessage, response: ServerResponse, body: string) => void

async function site(t: Test, respond: Respond): Promise<string> {
  const { origin } = await listen(t, async (request, response) => respond(request, response, await text(request)))
  return origin
}

const transferTo = ({ request, answer }: TransferOption, baseUrl: string) =>
  simulateTransfer(request(CART, baseUrl), answer)

const kinds = ({ steps }: SimulatedTransfer) => steps.map(({ step }) => step)

t.test('options 2A and 2B: one request, one response', async t => {
  const origin = await site(t, ({ method, url }, response, body) => response.end(`${method} ${url} ${body}`))
  const post = await transferTo(formPost, `${origin}/cart`)
  t.strictSame(kinds(post), ['request', 'answer'])
  t.match(post.steps[0], {
    sender: 'web view',
    request: { method: 'POST', headers: [{ name: 'Host' }, {}, {}, {}, {}] }
  })
  t.match(post.shown && responseText(post.shown), /^POST \/cart items/)
  const get = await transferTo(queryGet, `${origin}/cart`)
  t.match(get.shown && responseText(get.shown), 'GET /cart?item_0_sku=MUG&item_0_quantity=2&currency=GBP&reference=r ')
})

t.test('UCP: an answer leads to its continue_url, and without one nowhere', async t => {
  let answer = ''
  const origin = await site(t, ({ url }, response) => response.end(url === '/page' ? 'the page' : answer))
  for (const text of ['<p>', '{"id":"1"}', '{"id":"1","continue_url":"/page"}', `{"continue_url":"${origin}/page"}`]) {
    answer = text
    t.match(await transferTo(ucp, origin), { steps: [{}, {}, { step: 'failure', says: /no page to open/ }] }, text)
  }
  answer = JSON.stringify({ id: '1', continue_url: `${origin}/page` })
  const { shown } = await transferTo(ucp, origin)
  t.equal(shown && responseText(shown), 'the page')
})

t.test('option 1: the platform sends the bag, the app builds the described request, the web view opens it', async t => {
  const seen: IncomingMessage[] = []
  const origin = await site(t, (request, response, body) => {
    seen.push(request)
    if (request.url === '/cart') {
      const cookies = [
        { name: 'plain', value: '1' },
        { name: 'secure', value: '2', isSecure: true, isHttpOnly: true },
        { name: 'elsewhere', value: '3', path: '/elsewhere' },
        { name: 'gone', value: '4', expireDate: '2020-01-01T00:00:00Z' }
      ]
      const headers = [
        { name: 'X-Channel', value: 'app' },
        { name: 'Accept', value: 'text/html' },
        { name: 'Cookie', value: 'own=1' }
      ]
      response.end(JSON.stringify({ url: `${origin}/page`, httpMethod: 'POST', body: 'token=x', cookies, headers }))
    } else response.end(`page for ${body}`)
  })
  const result = await transferTo(jsonDescription, `${origin}/cart`)
  t.strictSame(kinds(result), ['request', 'answer', 'description', 'request', 'answer'])
  t.match(result.steps, [{ sender: 'platform' }, { to: 'platform' }, {}, { sender: 'web view' }, { to: 'web view' }])
  t.equal(result.shown && responseText(result.shown), 'page for token=x')
  t.equal(
    seen[1]?.headers.cookie,
    'plain=1',
    'neither the secure one over http, nor that of another path, nor the expired one'
  )
  t.match(seen[1]?.headers, {
    'x-channel': 'app',
    accept: 'text/html',
    'content-type': 'application/x-www-form-urlencoded'
  })
})

t.test('redirects are followed with the cookies that they set', async t => {
  const origin = await site(t, ({ method, url, headers }, response, body) => {
    if (url === '/cart') response.writeHead(303, { Location: '/moved', 'Set-Cookie': ['session=s', 'broken'] }).end()
    else if (url?.startsWith('/kept')) response.writeHead(307, { Location: '/end' }).end()
    else response.end(`${method} ${url} ${headers.cookie} ${body}`)
  })
  const result = await transferTo(formPost, `${origin}/cart`)
  t.strictSame(kinds(result), ['request', 'answer', 'request', 'answer'])
  t.match(result.shown && responseText(result.shown), 'GET /moved session=s')
  const preserved = await transferTo(formPost, `${origin}/kept`)
  t.match(preserved.shown && responseText(preserved.shown), /^POST \/end undefined items/)
  t.strictSame((await transferTo(queryGet, `${origin}/kept`)).shown?.status, 200)
})

t.test('a redirect that cannot be followed is what the web view shows', async t => {
  const origin = await site(t, ({ url }, response) => {
    const location = { '/none': undefined, '/app': 'shop://done', '/bad': 'http://[', '/304': '/x' }[String(url)]
    response.writeHead(url === '/304' ? 304 : 302, { ...(location !== undefined && { Location: location }) }).end()
  })
  for (const path of ['/none', '/app', '/bad', '/304']) {
    const { shown, steps } = await transferTo(formPost, origin + path)
    t.equal(shown?.status, path === '/304' ? 304 : 302)
    t.equal(steps.length, 2)
  }
})

t.test('if the app shows its generic error, the last step says why', async t => {
  const origin = await site(t, ({ url }, response) => {
    if (url === '/loop') response.writeHead(302, { Location: '/loop' }).end()
    else if (url === '/refused') response.writeHead(422).end('{}')
    else if (url === '/page') response.end('<html>')
    else response.end(JSON.stringify({ url: 'http://127.0.0.1:1/gone' }))
  })
  const cases: [TransferOption, string, string[], RegExp][] = [
    [
      formPost,
      'http://127.0.0.1:1',
      ['request', 'failure'],
      /^No response: nothing listens at http:\/\/127\.0\.0\.1:1; start the site, or correct the address\. The app shows its generic error\.$/
    ],
    [jsonDescription, 'http://127.0.0.1:1', ['request', 'failure'], /No response/],
    [jsonDescription, `${origin}/refused`, ['request', 'answer', 'failure'], /refused with 422/],
    [jsonDescription, `${origin}/page`, ['request', 'answer', 'description', 'failure'], /cannot send this request/],
    [jsonDescription, `${origin}/gone`, ['request', 'answer', 'description', 'request', 'failure'], /No response/]
  ]
  for (const [option, url, steps, says] of cases) {
    const result = await transferTo(option, url)
    t.strictSame(kinds(result), steps, url)
    t.equal(result.shown, undefined)
    t.match(result.steps.at(-1), { says })
  }
  const loop = await transferTo(formPost, `${origin}/loop`)
  t.match(loop.steps.at(-1), { step: 'failure', says: /more than 10 redirects/ })
})

t.test('a bug in the program is not mistaken for a merchant site that is down', async t => {
  const broken = { method: 'POST', url: 'no address', headers: [] }
  await t.rejects(simulateTransfer(broken, 'page'), { code: 'ERR_INVALID_URL' })
})

const items = [{ sku: 'MUG', quantity: 2, price: '12.50' }]

const bagFile = (t: Test, text: string) => join(t.testdir({ 'bag.json': text }), 'bag.json')

t.test('a bag is read as written; a reference is generated if there is none', t => {
  const bag = { items, currency: 'GBP' }
  t.strictSame(readBag(bagFile(t, `\ufeff${JSON.stringify({ ...bag, reference: 'r' })}`)), { ...bag, reference: 'r' })
  t.match(readBag(bagFile(t, JSON.stringify(bag))), { reference: /^[0-9a-f]{32}$/ })
  const whole = {
    ...bag,
    reference: 'r',
    codes: ['TEN'],
    attribution: { utm_source: 'a' },
    buyer: { email: 'a@b.example' }
  }
  t.strictSame(readBag(bagFile(t, JSON.stringify(whole))), whole, 'what links carry')
  t.end()
})

const mistakes: [string, RegExp][] = [
  ['', /bag\.json:.*; give a bag in plain JSON/],
  ['[]', /bag.json: the file: .*[\s\S]*give \{ "items"/],
  ['{"currency":"GBP"}', /\/items: /],
  ['{"items":[{"sku":1,"quantity":"2"}],"currency":"GBP"}', /\/items\/0\/sku: [\s\S]*\/items\/0\/quantity: /],
  ['{"items":[],"currency":"GBP","refrence":"r"}', /\/refrence: /]
]
for (const [text, message] of mistakes) {
  t.test(`refused: ${text || 'an empty file'}`, t => {
    t.throws(() => readBag(bagFile(t, text)), { constructor: OperatorError, message })
    t.end()
  })
}
