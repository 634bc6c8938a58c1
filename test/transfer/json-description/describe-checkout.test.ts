// The description of a web request (contract 2.2), in a form that a real app can carry out.
import { Value } from '@sinclair/typebox/value'
import t from 'tap'
import { Description } from '../../../src/transfer/description.ts'
import { describeRequest } from '../../../src/transfer/json-description/describe-checkout.ts'
import type { JsonSettings } from '../../../src/transfer/json-description/settings.ts'
import type { CheckoutLink } from '../../../src/transfer/option.ts'

type Settings = NonNullable<JsonSettings['description']>
type Cookie = NonNullable<Settings['cookies']>[number]

const link: CheckoutLink = {
  token: 'T0ken-_',
  url: 'https://shop.example/app/checkout',
  at: new Date('2026-11-20T10:00:00.789Z')
}
const describe = (settings?: Settings) => describeRequest(link, settings)

t.test('POST carries the token in its body; GET in its path, with no body', async t => {
  const post = { url: 'https://shop.example/app/checkout', httpMethod: 'POST', body: 'token=T0ken-_' }
  const get = { url: 'https://shop.example/app/checkout/T0ken-_', httpMethod: 'GET' }
  const cases: [name: string, settings: Settings | undefined, description: object][] = [
    ['no settings', undefined, post],
    ['no method', {}, post],
    ['POST', { httpMethod: 'POST' }, post],
    ['GET', { httpMethod: 'GET' }, get],
    ['empty lists are left out', { httpMethod: 'GET', headers: [], cookies: [] }, get]
  ]
  for (const [name, settings, description] of cases) t.strictSame(describe(settings), description, name)
})

t.test('headers are passed on unchanged and in order, repeated names included', async t => {
  const headers = [
    { name: 'X-Channel', value: 'app' },
    { name: 'x-channel', value: 'ios' }
  ]
  t.strictSame(describe({ headers }).headers, headers)
  t.strictSame(Object.keys(describe({ headers })), ['url', 'httpMethod', 'body', 'headers'])
})

t.test('a cookie has the fields that the merchant set and no others', async t => {
  const bare = { name: 'channel', value: 'app' }
  const full = { ...bare, path: '/app', isSecure: true, isHttpOnly: false }
  const cases: [name: string, cookie: Cookie, sent: object][] = [
    ['a name and a value', bare, bare],
    ['path and flags, even if false', full, full],
    [
      'an expiry counted from the response, without fractions of a second',
      { ...full, expiresAfterMinutes: 60 },
      { ...full, expireDate: '2026-11-20T11:00:00Z' }
    ],
    [
      'ten years of minutes',
      { ...bare, expiresAfterMinutes: 5_256_000 },
      { ...bare, expireDate: '2036-11-17T10:00:00Z' }
    ],
    [
      'a fixed expiry',
      { ...bare, expireDate: '2027-01-31T12:00:00Z' },
      { ...bare, expireDate: '2027-01-31T12:00:00Z' }
    ],
    [
      'a fixed expiry, converted to UTC',
      { ...bare, expireDate: '2027-01-31T12:00:00+01:30' },
      { ...bare, expireDate: '2027-01-31T10:30:00Z' }
    ],
    [
      'a fixed expiry, a day earlier in UTC',
      { ...bare, expireDate: '2027-01-01T00:00:00+05:00' },
      { ...bare, expireDate: '2026-12-31T19:00:00Z' }
    ]
  ]
  for (const [name, cookie, sent] of cases) t.strictSame(describe({ cookies: [cookie] }).cookies, [sent], name)
})

t.test('cookies keep the order of the merchant file', async t => {
  const cookies = ['b', 'a', 'c'].map(name => ({ name, value: '1' }))
  t.strictSame(describe({ cookies }).cookies, cookies)
})

t.test('a description has the fields of contract 2.2, the required ones always', async t => {
  const fields = (schema: { properties: object; required?: string[] }) => [
    Object.keys(schema.properties),
    schema.required
  ]
  const { cookies, headers } = Description.properties
  t.strictSame(fields(Description), [
    ['url', 'httpMethod', 'body', 'cookies', 'headers'],
    ['url', 'httpMethod']
  ])
  t.strictSame(fields(cookies.items), [
    ['name', 'value', 'expireDate', 'isHttpOnly', 'isSecure', 'path'],
    ['name', 'value']
  ])
  t.strictSame(fields(headers.items), [
    ['name', 'value'],
    ['name', 'value']
  ])
  const cookie = { name: 'a', value: 'b', path: '/', isSecure: true, isHttpOnly: true, expiresAfterMinutes: 1 }
  for (const httpMethod of ['GET', 'POST'] as const) {
    t.ok(Value.Check(Description, describe({ httpMethod, cookies: [cookie], headers: [{ name: 'a', value: 'b' }] })))
  }
})
