// How the app handles a description (contract 2.2, REAL-APP.md): what it sends, what it ignores, and what breaks the
// checkout.
import t from 'tap'
import {
  type AppCookie,
  type AppRequest,
  type FieldVerdict,
  readDescription
} from '../../../src/kit/client/app-request.ts'

const URL = 'https://shop.example/checkout'
const FORM = { name: 'Content-Type', value: 'application/x-www-form-urlencoded' }
const DISTANT_FUTURE = Date.parse('2080-01-01T00:00:00Z') / 1000

const read = (description: unknown) => readDescription(JSON.stringify(description))
const appCookie = (more: Partial<AppCookie>): AppCookie => ({
  ...{ name: 'a', value: 'b', path: '/', secure: false, httpOnly: false, expires: DISTANT_FUTURE },
  ...more
})

const requests: [name: string, description: object, request: AppRequest][] = [
  ['GET is the default', { url: URL }, { method: 'GET', url: URL, headers: [], cookies: [] }],
  [
    'null counts as absent',
    { url: URL, httpMethod: null, body: null, cookies: null, headers: null },
    { method: 'GET', url: URL, headers: [], cookies: [] }
  ],
  [
    'a POST with its body, always as a form (contract 4.1 rule 2)',
    { url: URL, httpMethod: 'POST', body: 'token=x', headers: [{ name: 'content-type', value: 'text/plain' }] },
    { method: 'POST', url: URL, headers: [FORM], body: 'token=x', cookies: [] }
  ],
  [
    'a POST without a body, also as a form',
    { url: URL, httpMethod: 'POST' },
    { method: 'POST', url: URL, headers: [FORM], cookies: [] }
  ],
  [
    'headers with the same name are joined, and one without a value is skipped',
    { url: URL, headers: [{ name: 'X-A', value: '1' }, { name: 'x-a', value: '2' }, { name: 'X-B' }, { value: '3' }] },
    { method: 'GET', url: URL, headers: [{ name: 'X-A', value: '1, 2' }], cookies: [] }
  ],
  [
    'cookies as they are set: flags count only if true, and the path defaults to /',
    {
      url: URL,
      cookies: [
        { name: 'a', value: 'b', expireDate: '2026-11-20T10:00:00Z', isSecure: true, isHttpOnly: true, path: '/app' },
        { name: 'a', value: 'b', expireDate: '2026-11-20T10:00:00+01:00', isSecure: false },
        { name: 'a', value: '' },
        { name: 'a' },
        { value: 'b' }
      ]
    },
    {
      method: 'GET',
      url: URL,
      headers: [],
      cookies: [
        appCookie({ path: '/app', secure: true, httpOnly: true, expires: Date.parse('2026-11-20T10:00:00Z') / 1000 }),
        appCookie({ expires: Date.parse('2026-11-20T09:00:00Z') / 1000 }),
        appCookie({ value: '' })
      ]
    }
  ]
]
t.test('what the app sends', async t => {
  for (const [name, description, request] of requests) t.strictSame(read(description).request, request, name)
})

const header = (name: string, value: string) => ({ url: URL, headers: [{ name, value }] })
const cookie = (fields: object) => ({ url: URL, cookies: [{ name: 'a', value: 'b', ...fields }] })
const EXPIRY = '2026-11-20T10:00:00Z'

type Case = [name: string, description: unknown, at: string, verdict: FieldVerdict, says: RegExp]

const verdicts: Case[] = [
  ['no url', {}, 'url', 'refused', /Required/],
  ['a url that is not a string', { url: 5 }, 'url', 'refused', /Must be a string/],
  ['a url with a space', { url: `${URL}?a=b c` }, 'url', 'refused', /RFC 3986/],
  ['a url with an umlaut', { url: `${URL}/größe` }, 'url', 'refused', /RFC 3986/],
  ['a url with half an escape', { url: `${URL}?a=%2` }, 'url', 'refused', /RFC 3986/],
  ['a url of another scheme', { url: 'ftp://shop.example/' }, 'url', 'refused', /http or https/],
  ['only a path', { url: '/checkout' }, 'url', 'refused', /http or https/],
  ...['http://[', 'http://:0', 'http://a:99999/', 'http:///'].map((url): Case => {
    return [`no valid host: ${url}`, { url }, 'url', 'refused', /cannot parse/]
  }),
  ['a url of 2,049 characters', { url: URL.padEnd(2049, 'x') }, 'url', 'doubtful', /2049 characters/],
  ['a url of 2,048 characters', { url: URL.padEnd(2048, 'x') }, 'url', 'used', /address/],
  ['a GET with a body', { url: URL, body: 'a=b' }, 'body', 'refused', /cannot send a GET with a body/],
  ['a get with a body', { url: URL, httpMethod: 'get', body: '' }, 'body', 'refused', /cannot send a GET with a body/],
  ['another method', { url: URL, httpMethod: 'PUT' }, 'httpMethod', 'doubtful', /GET and POST/],
  ['not a method at all', { url: URL, httpMethod: 'P T' }, 'httpMethod', 'refused', /Not a method/],
  ['a method that is a number', { url: URL, httpMethod: 1 }, 'httpMethod', 'refused', /Must be a string/],
  ['a method that cannot load a page', { url: URL, httpMethod: 'CONNECT' }, 'httpMethod', 'refused', /Not a method/],
  ['a url with two fragments', { url: `${URL}#a#b` }, 'url', 'refused', /RFC 3986/],
  ['a url with a fragment', { url: `${URL}#a` }, 'url', 'used', /address/],
  ['a header that iOS sets itself', header('Host', 'x'), 'headers[0]', 'ignored', /itself/],
  ['a header with non-ASCII characters', header('X', 'ü'), 'headers[0]', 'refused', /ASCII/],
  ['a header with a space', header('X A', '1'), 'headers[0]', 'refused', /ASCII/],
  ['cookies as a header', header('Cookie', 'a=b'), 'headers[0]', 'doubtful', /Replaced by the cookies/],
  ['a cookie that would be two', cookie({ value: 'b; Domain=x' }), 'cookies[0]', 'ignored', /RFC 6265/],
  ['an unknown field of a cookie', cookie({ domain: 'x' }), 'cookies[0].domain', 'ignored', /Not a field/],
  ['a cookie with a path', cookie({ path: '/app' }), 'cookies[0]', 'used', /path \/app\.$/],
  ['a cookie with an expiry', cookie({ expireDate: EXPIRY }), 'cookies[0]', 'used', /until 2026-11-20T10:00:00Z/],
  ['cookies that are not a list', { url: URL, cookies: {} }, 'cookies', 'refused', /Must be an array/],
  ['a cookie that is a string', { url: URL, cookies: ['a=b'] }, 'cookies[0]', 'refused', /Must be an object/],
  ['a cookie whose name is a number', cookie({ name: 1 }), 'cookies[0].name', 'refused', /string/],
  ['a flag that is a string', cookie({ isSecure: 'true' }), 'cookies[0].isSecure', 'refused', /true or false/],
  ['headers as an object', { url: URL, headers: { 'X-A': '1' } }, 'headers', 'refused', /Must be an array/],
  ['a Content-Type', header('Content-Type', 'text/plain'), 'headers[0]', 'ignored', /4\.1 rule 2/],
  ['a field that is not in the contract', { url: URL, redirect: true }, 'redirect', 'ignored', /Not a field/],
  ['a list', [], '#', 'refused', /JSON object/],
  ['null', null, '#', 'refused', /JSON object/]
]
t.test('how the app handles each field', async t => {
  for (const [name, description, at, verdict, says] of verdicts) {
    const { fields, request } = read(description)
    t.match(
      fields.filter(field => field.at === at),
      [{ verdict, says }],
      name
    )
    t.equal(request === undefined, verdict === 'refused', name)
  }
})

t.test('a date that iOS cannot parse becomes an expiry decades ahead', async t => {
  const unreadable = ['2026-11-20T10:00:00.000Z', '2026-11-20', 'tomorrow', '2026-13-20T10:00:00Z', '']
  for (const expireDate of [...unreadable, '2026-11-20 10:00:00Z', '2026-02-30T10:00:00Z']) {
    const { fields, request } = read(cookie({ expireDate }))
    t.equal(request?.cookies?.[0]?.expires, DISTANT_FUTURE, expireDate)
    t.match(fields, [{ at: 'url' }, {}, { at: 'cookies[0].expireDate', verdict: 'doubtful' }, { at: 'cookies[0]' }])
  }
})

t.test('a page instead of a description is refused, and quoted only in part', async t => {
  const { fields, request } = readDescription(`<html>${'x'.repeat(500)}`)
  t.equal(request, undefined)
  t.match(fields, [{ at: '#', verdict: 'refused', says: /not JSON/, value: /^.{50,250}$/ }])
})
