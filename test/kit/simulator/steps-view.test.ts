// Each step of a hand-over in words for people who have never read the contract.
import t from 'tap'
import type { WebResponse } from '../../../src/kit/client/send-request.ts'
import type { Step } from '../../../src/kit/client/simulate-transfer.ts'
import { stepsView } from '../../../src/kit/simulator/steps-view.ts'
import { MAX_URL, type WebRequest } from '../../../src/transfer/option.ts'

const FORM = { name: 'Content-Type', value: 'application/x-www-form-urlencoded' }

function answerOf(status: number, text: string, type = 'text/html'): WebResponse {
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
  answer: answerOf(status, text, type)
})
const toWebView = (status: number, text = '<p>'): Step => ({
  step: 'answer',
  to: 'web view',
  answer: answerOf(status, text)
})
const description: Step = {
  step: 'description',
  fields: [{ at: 'url', value: '"http://shop/"', verdict: 'used', says: 'The address.' }]
}
const refused: Step = {
  step: 'description',
  fields: [{ at: 'url', value: '" "', verdict: 'refused', says: 'iOS makes no URL of this.' }]
}
const failure: Step = { step: 'failure', says: 'There is no answer.' }

t.test('what happened is told in order, and what failed is marked', async t => {
  const cases: [name: string, steps: Step[], told: string[]][] = [
    ['nothing', [], []],
    [
      'option 1',
      [request('platform'), toPlatform(200, '{}'), description, request('web view'), toWebView(200)],
      [
        'The platform asks the shop',
        'The shop answers with a description',
        'The app builds the request',
        'The shop’s page opens in the web view'
      ]
    ],
    [
      'option 1, refused',
      [request('platform'), toPlatform(422, '{}'), failure],
      ['The platform asks the shop', '! The shop refuses the bag', '! The app shows its generic error']
    ],
    [
      'option 1, a description that no app can carry out',
      [request('platform'), toPlatform(200, '{}'), refused, failure],
      ['The platform asks the shop', '! The shop answers with a description', '! The app shows its generic error']
    ],
    [
      'a page, refused',
      [request('web view'), toWebView(422)],
      ['The app builds the request', '! The shop says no on a page']
    ],
    [
      'a redirect',
      [request('web view'), toWebView(303), request('web view'), toWebView(200)],
      [
        'The app builds the request',
        'The shop sends the web view on',
        'The web view follows',
        'The shop’s page opens in the web view'
      ]
    ],
    ['no answer', [request('web view'), failure], ['The app builds the request', '! The app shows its generic error']],
    ['a description of nothing', [description], []]
  ]
  for (const [name, steps, told] of cases) {
    const titles = stepsView(steps).map(({ title, isFailure }) => (isFailure ? `! ${title}` : title))
    t.strictSame(titles, told, name)
  }
})

t.test('a description stands with the answer that holds it', async t => {
  const [, answered] = stepsView([request('platform'), toPlatform(200, '{"url":"http://shop/"}'), description])
  t.match(answered, { described: [{ at: 'url', verdict: 'used' }], answer: { text: '{\n  "url": "http://shop/"\n}' } })
})

t.test('where the bag stands in the request is said', async t => {
  const says = (changes: Partial<WebRequest>) => stepsView([request('web view', changes)])[0]?.says
  t.match(says({ body: 'a=b' }), 'which the web view posts')
  t.match(says({ method: 'GET' }), 'stands in the address')
})

t.test('a request is shown as it was sent, decoded, and as a curl line without what curl adds itself', async t => {
  const headers = [{ name: 'Host', value: 'shop' }, FORM, { name: 'Content-Length', value: '9' }]
  const [view] = stepsView([request('web view', { headers, body: 'a%5B0%5D=b+c' })])
  t.strictSame(view?.request, {
    method: 'POST',
    url: 'http://shop/cart',
    headers,
    body: 'a%5B0%5D=b+c',
    urlLength: 16,
    isTooLong: false,
    fields: [{ name: 'a[0]', value: 'b c' }],
    curl: `curl -X POST -H 'Content-Type: ${FORM.value}' --data-raw 'a%5B0%5D=b+c' 'http://shop/cart'`
  })
  const fieldsOf = (changes: Partial<WebRequest>) => stepsView([request('web view', changes)])[0]?.request?.fields
  t.strictSame(fieldsOf({ method: 'GET', url: 'http://shop/?q=%E3%82%BD', headers: [] }), [{ name: 'q', value: 'ソ' }])
  t.strictSame(fieldsOf({ headers: [], body: '{"a":1}' }), [], 'JSON is not decoded')
  t.strictSame(fieldsOf({}), [], 'nor a form without a body')
})

t.test('a URL is too long from 2,049 characters on', async t => {
  const isTooLong = (length: number) =>
    stepsView([request('web view', { url: 'http://shop/'.padEnd(length, 'x') })])[0]?.request?.isTooLong
  t.equal(isTooLong(MAX_URL), false)
  t.equal(isTooLong(MAX_URL + 1), true)
})

t.test('an answer has status, headers, size, time and its text; of a long one the beginning', async t => {
  const [view] = stepsView([toWebView(200, 'é')])
  t.strictSame(view?.answer, {
    status: 200,
    statusText: 'Words',
    headers: [{ name: 'content-type', value: 'text/html' }],
    size: 2,
    milliseconds: 1.2,
    text: 'é',
    mistakes: [],
    isCut: false
  })
  t.match(stepsView([toWebView(200, 'x'.repeat(20_001))])[0]?.answer, { text: /^x{20000}$/, isCut: true, size: 20_001 })
})

t.test('why a bag is refused is read from problem+json', async t => {
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
