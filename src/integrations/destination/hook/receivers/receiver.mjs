// Takes carts for a shop, as ../README.md says; the page at /bag/<id>, which shows data/carts/<id>, is yours to add.
// SHOP_SECRET=whsec_… SHOP_URL=https://shop.example node receiver.mjs
import { createHmac, randomUUID, timingSafeEqual } from 'node:crypto'
import { existsSync, linkSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'

const { SHOP_SECRET = '', SHOP_URL, DATA = 'data', PORT = 8080 } = process.env
const secret = Buffer.from(SHOP_SECRET.replace('whsec_', ''), 'base64')
if (secret.length < 24) throw new Error('SHOP_SECRET is not a Standard Webhooks secret')
const stock = new Map(Object.entries({ MUG: 12, CLOCK: 3, LAMP: 0 })) // your products
for (const folder of ['carts', 'answers']) mkdirSync(`${DATA}/${folder}`, { recursive: true }) // your database

function isSigned({ 'webhook-id': id, 'webhook-timestamp': time, 'webhook-signature': sent = '' }, body) {
  const right = createHmac('sha256', secret).update(`${id}.${time}.`).update(body).digest()
  const given = sent.split(' ').map(each => Buffer.from(each.replace('v1,', ''), 'base64'))
  return Math.abs(Date.now() / 1000 - time) < 300 && given.some(s => s.length === 32 && timingSafeEqual(s, right))
}

function errorOf({ sku }, at, items) {
  const wanted = items.filter(item => item.sku === sku).reduce((sum, { quantity }) => sum + quantity, 0)
  const [pointer, limit] = [`#/items/${at}/sku`, stock.get(sku)]
  if (!limit) return { pointer, code: limit === 0 ? 'out-of-stock' : 'sku-unknown' }
  return limit >= wanted ? [] : { pointer, code: 'quantity-too-large', limit }
}

createServer(async (request, response) => {
  const answer = (status, json) => response.writeHead(status, { 'Content-Type': 'application/json' }).end(json)
  if (!(request.headers['content-length'] <= 4e6)) return answer(413, '{}')
  const body = Buffer.concat(await request.toArray().catch(() => [])) // empty if the sender has left
  if (!isSigned(request.headers, body)) return answer(401, '{}') // the bytes, before they are parsed
  const { key, reference, currency, items } = JSON.parse(body)
  const first = `${DATA}/answers/${key}`
  if (existsSync(first)) return answer(200, readFileSync(first)) // a repeat
  const errors = currency === 'EUR' ? items.flatMap(errorOf) : [{ pointer: '#/currency', code: 'currency-not-sold' }]
  if (errors.length > 0) return answer(422, JSON.stringify({ title: 'The cart cannot be sold', errors }))
  const [id, lines] = [randomUUID(), items.map(({ sku, quantity }) => ({ sku, quantity }))] // always a fresh cart
  writeFileSync(`${DATA}/carts/${id}`, JSON.stringify({ lines, currency, url: `${SHOP_URL}/bag/${id}`, reference }))
  linkSync(`${DATA}/carts/${id}`, first)
  answer(200, readFileSync(first))
}).listen(PORT, '127.0.0.1', () => console.log('listening'))
