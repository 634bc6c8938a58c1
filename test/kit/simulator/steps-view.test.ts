// Each step of a transfer, for people who have never read the contract.
import t from 'tap'
import type { WebResponse } from '../../../src/kit/client/send-request.ts'
import type { Step } from '../../../src/kit/client/simulate-transfer.ts'
import { legsOf, messageView, type StepView, stepsView as viewsOf } from '../../../src/kit/simulator/steps-view.ts'
import { MAX_URL, type TransferOption, type WebRequest } from '../../../src/transfer/option.ts'

const FORM = { name: 'Content-Type', value: 'application/x-www-form-urlencoded' }

/** The views of steps with an option that is answered with a description. */
const stepsView = (steps: Step[]): StepView[] => viewsOf(steps, 'description')

function responseOf(status: number, text: string, type = 'text/html'): WebResponse {
  const headers = [{ name: 'content-type', value: type }]
  return { url: 'http://shop/', status, statusText: 'Words', headers, body: Buffer.from(text), milliseconds: 1.2345 }
}

const request = (sender: 'platform' | 'web view', changes: Partial<WebRequest> = {}): Step => ({
  step: 'request',
  sender,
  request: { method: 'POST', url: 'http://shop/cart', headers: [FORM], ...changes }
})
const toPlatform = (status: number, text: string, type?: string): Step => ({
  step: 'answer',
  to: 'platform',
  answer: responseOf(status, text, type)
})
const toWebView = (status: number, text = '<p>'): Step => ({
  step: 'answer',
  to: 'web view',
  answer: responseOf(status, text)
})
const description: Step = {
  step: 'description',
  fields: [{ at: 'url', value: '"http://shop/"', verdict: 'used', says: 'The address.' }]
}
const refused: Step = {
  step: 'description',
  fields: [{ at: 'url', value: '" "', verdict: 'refused', says: 'iOS cannot parse this URL.' }]
}
const failure: Step = { step: 'failure', says: 'No response.' }

const described = [request('platform'), toPlatform(200, '{}'), description]
const redirected = [request('web view'), toWebView(303), request('web view'), toWebView(200)]

const SENT = 'The platform sends the bag'
const BUILT = 'The app builds the request'
const REDIRECTED = 'The shop redirects the web view'
const PAGE = 'The shop’s page opens in the web view'
const ERROR = '! The app shows its generic error'
const UNUSABLE = '! The shop answers with a description that iOS refuses'

/** The titles of steps; a failure with an exclamation mark. */
const TITLES: [steps: Step[], titles: string[]][] = [
  [[], []],
  [[description], []],
  [
    [...described, request('web view'), toWebView(200)],
    [SENT, 'The shop answers with a description', BUILT, PAGE]
  ],
  [
    [request('platform'), toPlatform(422, '{}'), failure],
    [SENT, '! The shop refuses the bag', ERROR]
  ],
  [
    [request('platform'), toPlatform(200, '{}'), refused, failure],
    [SENT, UNUSABLE, ERROR]
  ],
  [
    [request('web view'), toWebView(422)],
    [BUILT, '! The shop shows a refusal page']
  ],
  [redirected, [BUILT, REDIRECTED, 'The web view follows the redirect', PAGE]],
  [
    [request('web view'), toWebView(303), failure],
    [BUILT, REDIRECTED, ERROR]
  ],
  [
    [request('web view'), failure],
    [BUILT, ERROR]
  ]
]

t.test('steps are in order, and failures are marked', async t => {
  for (const [steps, titles] of TITLES) {
    t.strictSame(
      stepsView(steps).map(({ title, isFailure }) => (isFailure ? `! ${title}` : title)),
      titles
    )
  }
})

const LEGS: [legs: string, ...Parameters<typeof viewsOf>][] = [
  ['bag description request page', [...described, request('web view'), toWebView(200)], 'description'],
  ['bag description –', [request('platform'), toPlatform(422, '{}'), failure], 'description'],
  ['bag description –', [request('platform'), toPlatform(200, '{}'), refused, failure], 'description'],
  // A good description of a request that cannot be sent.
  ['bag description request', [...described, failure], 'description'],
  // Nothing could be sent.
  ['bag', [failure], 'description'],
  ['bag', [failure], 'description', 'platform'],
  ['request', [failure], 'description', 'web view'],
  ['bag', [failure], 'page', 'web view'],
  ['bag bag –', [request('web view'), toWebView(303), failure], 'page'],
  ['bag bag bag page', redirected, 'page'],
  ['request request request page', redirected, 'description']
]

t.test('each step belongs to a leg, and a failure to that of what was not sent, or of the step before', async t => {
  for (const [legs, ...parts] of LEGS)
    t.equal(
      viewsOf(...parts)
        .map(({ leg = '–' }) => leg)
        .join(' '),
      legs
    )
})

t.test('a cart that a platform keeps leads on by its address, or the shopper stays where they are', async t => {
  const titles = (...steps: Step[]) => viewsOf([request('platform'), ...steps], 'protocol').map(({ title }) => title)
  t.strictSame(titles(toPlatform(201, '{}'), ...redirected).slice(1, 4), [
    'The shop answers with the cart',
    'The app opens the address of the answer',
    REDIRECTED
  ])
  t.strictSame(titles(toPlatform(200, '{}'), failure).slice(1), [
    'The shop refuses the bag',
    'The shopper stays in the app'
  ])
})

t.test('the first leg says how the bag travels, as far as there is a word for it', async t => {
  const says = (encoding: TransferOption['encoding']) => legsOf({ answer: 'page', encoding })[0]?.says
  t.equal(says('query'), 'The bag, in a web address')
  t.equal(says('text/plain'), 'The bag')
})

t.test('a page of a shop of its own is said to be one', async t => {
  const own = (url: string) => url.startsWith('http://own/')
  const url = 'http://own/bag'
  const led = request('web view', { url })
  const there = (status: number): Step => ({
    step: 'answer',
    to: 'web view',
    answer: { ...responseOf(status, '<p>'), url }
  })
  const titles = (...steps: Step[]) => viewsOf(steps, 'page', undefined, own).map(({ title }) => title)
  t.strictSame(titles(request('web view'), toWebView(303), led, there(303), led, there(200)), [
    'The app builds the request',
    'The web view is led into the shop',
    'The web view follows the redirect',
    'The shop redirects the web view',
    'The web view follows the redirect',
    'A page of the shop’s own opens in the web view'
  ])
  t.strictSame(titles(led, there(404)), ['The app builds the request', 'The shop shows a refusal page'])
})

t.test('an edited request says so', async t => {
  t.match(viewsOf([request('platform'), toPlatform(200, '{}')], 'description', 'platform'), [
    { title: 'The platform sends the request as edited' },
    { title: 'The shop refuses the bag' }
  ])
  t.match(viewsOf([request('web view')], 'page', 'web view'), [{ title: 'The web view sends the request as edited' }])
  t.match(viewsOf([failure], 'page', 'web view'), [{ title: 'The app shows its generic error' }])
})

t.test('what is pressed in a page says so, and without an answer the page stays', async t => {
  const pressed = (...steps: Step[]) => viewsOf(steps, 'description', 'shopper').map(({ title, says }) => [title, says])
  const form = request('web view', { body: 'a=b' })
  t.match(pressed(form, toWebView(303), request('web view', { method: 'GET' }), toWebView(200)), [
    ['The shopper presses a button', /what was entered/],
    ['The shop redirects the web view'],
    ['The web view follows the redirect'],
    ['The next page opens in the web view']
  ])
  t.match(pressed(request('web view', { method: 'GET' }), toWebView(404)), [
    ['The shopper follows a link'],
    ['The shop shows a refusal page']
  ])
  t.strictSame(pressed({ step: 'failure', says: 'No response: none. The app shows its generic error.' }), [
    ['The page stays as it is', 'No response: none.']
  ])
})

t.test('a description is shown with the response that contains it', async t => {
  t.match(stepsView(described)[1], { described: [{ at: 'url', verdict: 'used' }], answer: { text: '{}' } })
})

t.test('the step says where the bag is in the request', async t => {
  const says = (changes: Partial<WebRequest>) => stepsView([request('web view', changes)])[0]?.says
  t.match(says({ body: 'a=b' }), 'which the web view posts')
  t.match(says({ method: 'GET' }), 'in the web address')
})

t.test(
  'a request is shown as sent, decoded, to edit, and as a call of curl without the headers that it sets',
  async t => {
    const headers = [{ name: 'Host', value: 'shop' }, FORM, { name: 'Content-Length', value: '9' }]
    const [view] = stepsView([request('web view', { headers, body: 'a%5B0%5D=b+c' })])
    t.strictSame(view?.request, {
      method: 'POST',
      url: 'http://shop/cart',
      headers,
      body: 'a%5B0%5D=b+c',
      sender: 'web view',
      editable: [FORM],
      urlLength: 16,
      isTooLong: false,
      fields: [{ name: 'a[0]', value: 'b c' }],
      curl: `curl -X POST -H 'Content-Type: ${FORM.value}' --data-raw 'a%5B0%5D=b+c' 'http://shop/cart'`
    })
    const fieldsOf = (changes: Partial<WebRequest>) => stepsView([request('web view', changes)])[0]?.request?.fields
    t.strictSame(fieldsOf({ method: 'GET', url: 'http://shop/?q=%E3%82%BD', headers: [] }), [
      { name: 'q', value: 'ソ' }
    ])
    t.strictSame(fieldsOf({ headers: [], body: '{"a":1}' }), [], 'JSON is not decoded')
    t.strictSame(fieldsOf({}), [], 'neither is a form without a body')
  }
)

t.test('what proves the platform is not edited, as it is made anew', async t => {
  const proof = ['Authorization', 'webhook-id', 'Webhook-Signature'].map(name => ({ name, value: 'x' }))
  const [view] = stepsView([request('platform', { headers: [...proof, FORM] })])
  t.strictSame(view?.request?.editable, [FORM])
  const [sent] = stepsView([request('web view', { headers: [...proof, FORM] })])
  t.strictSame(sent?.request?.editable, [...proof, FORM])
})

t.test('a URL is too long from 2,049 characters on', async t => {
  const isTooLong = (length: number) =>
    stepsView([request('web view', { url: 'http://shop/'.padEnd(length, 'x') })])[0]?.request?.isTooLong
  t.equal(isTooLong(MAX_URL), false)
  t.equal(isTooLong(MAX_URL + 1), true)
})

t.test('a response has status, headers, size, time and text, cut if it is long', async t => {
  t.strictSame(stepsView([toWebView(200, 'é')])[0]?.answer, {
    ...{ status: 200, statusText: 'Words', headers: [{ name: 'content-type', value: 'text/html' }] },
    ...{ size: 2, milliseconds: 1.2, text: 'é', mistakes: [], isCut: false }
  })
  const json = '{"a":1, "a":12345678901234567890}'
  t.equal(stepsView([toPlatform(200, json)])[0]?.answer?.text, json, 'JSON as it was sent')
  t.match(stepsView([toWebView(200, 'x'.repeat(20_001))])[0]?.answer, { text: /^x{20000}$/, isCut: true, size: 20_001 })
})

t.test('the answer to a message has the words of its status, if there are any', t => {
  const sent = { method: 'POST', url: 'http://shop/', headers: [] }
  for (const [status, statusText] of [
    [204, 'No Content'],
    [299, '']
  ] as const) {
    const answer = { status, headers: [], body: '' }
    const view = messageView({ kind: 'webhook', request: sent, answer, began: 0, milliseconds: 1 })
    t.match(view.answer, { status, statusText })
  }
  t.end()
})

t.test('the reasons for a refusal are read from problem+json', async t => {
  const mistakes = (text: string, type = 'application/problem+json; charset=utf-8') =>
    stepsView([toPlatform(400, text, type)])[0]?.answer?.mistakes
  const errors = [{ pointer: '#/items/0/sku', code: 'sku-unknown', detail: 'No such SKU.' }]
  t.strictSame(mistakes(JSON.stringify({ detail: 'One mistake.', errors })), [
    { at: '#/items/0/sku', says: 'No such SKU.' }
  ])
  t.strictSame(mistakes('{"detail":"Too large."}'), [{ at: '', says: 'Too large.' }])
  t.strictSame(mistakes('no JSON'), [{ at: '', says: '' }])
  t.strictSame(mistakes('{"detail":"Too large."}', 'application/json'), [])
})
