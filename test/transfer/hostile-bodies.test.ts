// What it costs to refuse a body or a link that was made to cost much, as large as either may be: no more than an honest cart of
// maxItems lines. Both are measured in turn, in CPU time, each at its fastest, as the machine may be busy.
import t, { type Test } from 'tap'
import { build, merchantFile, uuid } from '../build.ts'
import { mistakesIn } from './answers.ts'
import { FORM_FEED } from './form-cases.ts'

const MAX_ITEMS = 500
const BODY_LIMIT = 64 * 1024 + MAX_ITEMS * 2 * 1024
const ROUNDS = 4
/** Rounds while something still costs too much: the machine may be busy for as long as a few. */
const MOST_ROUNDS = 20

/** How many times the cost of an honest cart is too much: several times what each of these bodies costs. */
const TOO_MUCH = 8

/** The longest SKU, as JSON with escapes. */
const LONG_SKU = '\\ud835\\udcb3'.repeat(128)

const lines = <T>(count: number, line: (at: number) => T) => Array.from({ length: count }, (_, at) => line(at))

/** A body of the greatest size, most of which is this text, again and again. */
function large(start: string, unit: string, end = '', limit = BODY_LIMIT): string {
  return start + unit.repeat(Math.floor((limit - start.length - end.length) / unit.length)) + end
}

/** The same for a link, which stands in the head of a request. */
const longLink = (start: string, unit: string, end = '') => large(start, unit, end, 65_000)

/** The status of the answer, and the codes of the mistakes or of the problem. */
type HostileBody = [name: string, body: string, status: number, codes: string]

/** Sends honest carts and all of these bodies in turn, and compares what each costs at its fastest. Without a media type they are links. */
async function compare(
  t: Test,
  option: string,
  contentType: string | undefined,
  honest: (reference: string) => string,
  bodies: HostileBody[],
  transfer = {}
): Promise<void> {
  const { app } = await build(t, { merchants: [merchantFile(option, { transfer })], feed: FORM_FEED })
  const post = { method: 'POST', url: '/shop/cart', headers: { 'content-type': contentType } } as const
  const requestOf = (payload: Buffer) => (contentType === undefined ? `/shop/cart${payload}` : { ...post, payload })
  const fastest = new Map<string, number>()
  const send = async (name: string, payload: Buffer) => {
    const start = process.cpuUsage()
    const { statusCode, body } = await app.inject(requestOf(payload))
    const { user, system } = process.cpuUsage(start)
    fastest.set(name, Math.min(user + system, fastest.get(name) ?? Number.POSITIVE_INFINITY))
    return { statusCode, codes: statusCode < 400 ? '' : codesIn(body) }
  }
  const payloads = bodies.map(([, body]) => Buffer.from(body))
  const times = (name: string) => (fastest.get(name) ?? 0) / (fastest.get('honest') ?? 0)
  const costsTooMuch = () => bodies.some(([name]) => times(name) >= TOO_MUCH)
  for (let round = 0; round < ROUNDS || (costsTooMuch() && round < MOST_ROUNDS); round++) {
    const statusCode = contentType === undefined ? 303 : 200
    t.match(await send('honest', Buffer.from(honest(uuid(round)))), { statusCode }, 'an honest cart')
    for (const [i, [name, , statusCode, codes]] of bodies.entries()) {
      t.strictSame(await send(name, payloads[i] as Buffer), { statusCode, codes }, name)
    }
  }
  for (const [name] of bodies) {
    t.ok(times(name) < TOO_MUCH, `${name}: ${times(name).toFixed(1)} times the cost of an honest cart`)
  }
}

function codesIn(body: string): string {
  const codes = mistakesIn(body).map(mistake => mistake.replace(/.* /s, ''))
  return codes.sort().join()
}

t.test('option 1', async t => {
  const end = `],"currency":"GBP","reference":"${uuid()}"}`
  const honest = (reference: string) => {
    const items = lines(MAX_ITEMS, () => `{"sku":"${LONG_SKU}","quantity":1}`)
    return `{"items":[${items}],"currency":"GBP","reference":"${reference}"}`
  }
  const item = (more: string) => `{"sku":"MUG","quantity":1${more}}`
  const missing = 'field-missing,field-missing,field-missing'
  const mug = `{"items":[${item('')}`
  const escapes = large(`${mug},{"sku":"`, '\\u0041', `","quantity":1}${end}`)
  await compare(t, '1', 'application/json', honest, [
    ['empty arrays in an unknown field', large('{"x":[', '[],', '[]]}'), 413, 'body-too-large'],
    ['numbers in an unknown field', large('{"x":[', '1,', '1]}'), 413, 'body-too-large'],
    ['unknown fields', large('{', '"":{},', '"":{}}'), 413, 'body-too-large'],
    ['unknown fields inside each other', large('', '{"":'), 400, 'json-malformed'],
    ['arrays inside each other', large('', '['), 400, 'json-malformed'],
    ['items that are empty objects', large('{"items":[', '{},', '{}]}'), 413, 'body-too-large'],
    ['items', large(mug, `,${item('')}`, end), 413, 'body-too-large'],
    ['items, a little fewer', `${mug}${`,${item('')}`.repeat(5000)}${end}`, 413, 'too-many-lines'],
    [
      '100 unknown fields in each item',
      `{"items":[${lines(MAX_ITEMS, () => item(',"x":1'.repeat(100)))}${end}`,
      413,
      'body-too-large'
    ],
    ['a long SKU', large(`${mug},{"sku":"`, 'x', `","quantity":1}${end}`), 400, 'sku-invalid'],
    ['a long SKU of escapes', escapes, 400, 'sku-invalid'],
    ['a long quantity', large('{"items":[{"sku":"MUG","quantity":1.', '0', `}${end}`), 400, 'quantity-invalid'],
    ['a long name of escapes', large('{"', '\\u0041', '":1}'), 400, missing],
    ['a long string without an end', large('{"x":"', '\\n'), 400, 'json-malformed'],
    ['attribution', large('{"attribution":{', '"utm_source":"\\ud835\\udcb3",', '"a":""}}'), 413, 'body-too-large'],
    ['a long attribution', large(`${mug}${end.slice(0, -1)},"attribution":{"utm_source":"`, '\\u0041', '"}}'), 200, ''],
    ['spaces', large('', ' \n'), 400, 'json-malformed'],
    ['a cart and spaces', large(honest(uuid()), ' '), 200, '']
  ])
})

t.test('option 2A', async t => {
  const line = (at: number) => `items[${at}][sku]=MUG&items[${at}][quantity]=1`
  const honest = (reference: string) => `${lines(MAX_ITEMS, line).join('&')}&currency=GBP&reference=${reference}`
  const end = `&currency=GBP&reference=${uuid()}`
  const missing = 'field-missing,field-missing,items-empty'
  await compare(t, '2A', 'application/x-www-form-urlencoded', honest, [
    ['names', large('', 'a&'), 413, 'body-too-large'],
    ['names and values', large('', 'a=1&'), 413, 'body-too-large'],
    ['ampersands', large('', '&'), 413, 'body-too-large'],
    ['encoded names', large('', '%61=1&'), 413, 'body-too-large'],
    ['lines', large('', 'items[][sku]=MUG&items[][quantity]=1&'), 413, 'body-too-large'],
    ['lines, a little fewer', `${lines(4000, line).join('&')}${end}`, 413, 'too-many-lines'],
    [
      '100 unknown fields for each line',
      lines(MAX_ITEMS, at => line(at) + '&x=1'.repeat(100)).join('&') + end,
      413,
      'body-too-large'
    ],
    ['a long SKU', large('items[0][quantity]=1&items[0][sku]=', 'x', end), 400, 'sku-invalid'],
    ['a long encoded SKU', large('items[0][quantity]=1&items[0][sku]=', '%F0%9D%92%B3', end), 400, 'sku-invalid'],
    ['a long quantity', large('items[0][sku]=MUG&items[0][quantity]=', '1', end), 400, 'quantity-invalid'],
    ['a long price', large(`${line(0)}&items[0][price]=`, '1', end), 200, ''],
    ['a long encoded price', large(`${line(0)}&items[0][price]=`, '%F0%9D%92%B3', end), 200, ''],
    ['attribution', large('', `utm_source=${'%F0%9D%92%B3'.repeat(10)}&`), 400, missing],
    ['a long name', large('', 'x'), 400, missing],
    ['a long encoded name', large('', '%F0%9D%92%B3'), 400, missing],
    ['a long index', large('items[', '%31', '][sku]=MUG'), 400, missing]
  ])
})

t.test('meta', async t => {
  const honest = (reference: string) =>
    `?products=${lines(MAX_ITEMS, () => 'MUG_1:1').join(',')}&reference=${reference}`
  await compare(
    t,
    'meta',
    undefined,
    honest,
    [
      ['entries', longLink('?products=', 'a:1,'), 413, 'too-many-lines'],
      ['commas', longLink('?products=', ','), 413, 'too-many-lines'],
      ['colons', longLink('?products=', ':'), 400, 'value-malformed'],
      ['a long id', longLink('?products=', '_1', ':1'), 400, 'sku-invalid'],
      ['a long encoded id', longLink('?products=', '%F0%9D%92%B3', '_1:1'), 400, 'sku-invalid'],
      ['a long quantity', longLink('?products=MUG_1:', '1'), 400, 'quantity-invalid'],
      ['names', longLink('?', 'a&'), 413, 'body-too-large'],
      ['coupons', longLink('?products=MUG_1:1&', 'coupon=A&', 'a'), 400, 'field-repeated'],
      ['attribution', longLink('?products=MUG_1:1&', 'utm_term=%61&', 'a'), 303, '']
    ],
    { itemId: '{sku}_{number}' }
  )
})

t.test('permalink', async t => {
  const honest = (reference: string) => `/${lines(MAX_ITEMS, () => 'MUG:1').join(',')}?reference=${reference}`
  const codes = lines(3000, at => `discounts/codes/${at}=A`).join('&')
  const fields = lines(2900, at => `buyer/${at}`).join('&')
  await compare(t, 'permalink', undefined, honest, [
    ['entries', longLink('/', 'a:1,'), 413, 'too-many-lines'],
    ['slashes', longLink('/', '/', '?a'), 400, 'value-malformed'],
    ['a long token', longLink('/~', 'YWFh', ':1'), 400, 'sku-invalid'],
    ['a long token that is not canonical', longLink('/~', 'YWFh', 'YR:1'), 400, 'value-malformed'],
    ['codes', `/MUG:1?${codes}`, 400, 'value-malformed'],
    ['fields that came twice', `/MUG:1?${fields}&${fields}`, 400, lines(100, () => 'field-repeated').join()],
    ['slashes in a name', longLink('/MUG:1?', '/', '=1'), 303, ''],
    ['attribution', longLink('/MUG:1?', 'attribution/a=%61&', 'a'), 303, '']
  ])
})
