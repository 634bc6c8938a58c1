// The attackers of `neighbours.ts`, in a process of their own: shops that do not answer, answer late or answer nonsense, a payment
// provider that does not answer, and whoever sends bags to them, buys them and leaves bodies unfinished. Reads the origin of the server as a line, and prints what came
// back of the ordinary bags that others send to its slowest shop.
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { connect } from 'node:net'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { listen } from '../listen.ts'
import { ADA, type Form, formOf } from '../pages/shopper.ts'

const cleanup = { teardown: () => {} }

type HookCart = { key: string; currency: string; items: { sku: string; quantity: number }[] }
type Answer = (cart: HookCart) => Promise<string | undefined>

const kept = ({ key, currency, items }: HookCart) =>
  JSON.stringify({ lines: items, currency, url: `http://127.0.0.1:9/cart/${key}` })

/** In milliseconds. */
const SLOW = 4000
const PER_LINE = 12

/** By merchant: what its shop answers, or the provider on whose page its shoppers pay; undefined is nothing, ever. */
const shops: Record<string, Answer> = {
  paying: async () => undefined,
  silent: async () => undefined,
  slow: async cart => {
    await pause(SLOW)
    return kept(cart)
  },
  careful: async cart => {
    await pause(PER_LINE * cart.items.length)
    return cart.items.some(({ sku }) => sku === 'ODD') ? '' : kept(cart)
  },
  brackets: async () => '['.repeat(4 * 1024 * 1024)
}

const urls: Record<string, string> = {}
for (const [name, answer] of Object.entries(shops)) {
  const { origin } = await listen(cleanup, async (incoming, outgoing) => {
    const body = (await incoming.toArray()).join('')
    const text = await answer(body.startsWith('{') ? JSON.parse(body) : undefined)
    if (text === '') outgoing.writeHead(500).end()
    else if (text !== undefined) outgoing.writeHead(200, { 'content-type': 'application/json' }).end(text)
  })
  urls[name] = `${origin}/carts`
}
console.log(JSON.stringify(urls))

const [line] = (await once(createInterface(process.stdin), 'line')) as [string]
const server = new URL(line)
const agent = new Agent({ keepAlive: true })

/** @returns a function that makes bags of these lines, each with a reference of its own */
function bagsOf(lines: number, skuOf: (i: number) => string): () => Buffer {
  const items = Array.from({ length: lines }, (_, i) => ({ sku: skuOf(i), quantity: 1 }))
  const text = Buffer.from(JSON.stringify({ items, currency: 'GBP', reference: '' }).slice(0, -2))
  return () => Buffer.concat([text, Buffer.from(`${randomUUID().replaceAll('-', '')}"}`)])
}

const ordinaryBag = bagsOf(1, () => 'MUG')
/** Half a megabyte: SKUs of the most characters, in the most bytes. */
const largestBag = bagsOf(900, i => `${i}`.padStart(4, '0') + '\u{1d4b3}'.repeat(124))
const longBag = bagsOf(500, i => `${i}`)
const oddBag = bagsOf(1, () => 'ODD')

/** @returns the status; 0 without an answer */
function send(merchant: string, body: Buffer): Promise<number> {
  return post(`/${merchant}/cart`, 'application/json', body)
}

function post(path: string, type: string, body: Buffer): Promise<number> {
  return new Promise(resolve => {
    const headers = { 'content-type': type, 'content-length': body.length }
    const sending = request(new URL(path, server), { method: 'POST', agent, headers }, answer => {
      answer.resume().on('close', () => resolve(Number(answer.statusCode)))
    })
    sending.on('error', () => resolve(0)).end(body)
  })
}

/** @returns what taps Buy now in the form of a bag of its own */
async function openBuyNow(): Promise<() => Promise<number>> {
  const answer = await fetch(new URL('/paying/cart', server), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: ordinaryBag()
  })
  const token = new URLSearchParams(((await answer.json()) as { body: string }).body).get('token')
  const page = await fetch(new URL(`/paying/checkout/${token}`, server))
  const form = formOf(await page.text()) as Form
  const body = Buffer.from(`${new URLSearchParams({ ...form.fields, ...ADA })}`)
  return () => post(form.action, 'application/x-www-form-urlencoded', body)
}

/** Does something so many times a second, without waiting for it; what is late is left out. */
async function everySecond(times: number, work: () => unknown): Promise<never> {
  for (let next = performance.now(); ; next = Math.max(next + 1000 / times, performance.now())) {
    await pause(Math.max(next - performance.now(), 0))
    void work()
  }
}

const buyNow = await openBuyNow()

const HALF = Buffer.alloc(500_000, ' ')

/** Connections with such a body; those that are closed are opened again. */
const UNFINISHED = 3000
let unfinished = 0

/** A body that never ends. */
function leaveUnfinished(): void {
  if (unfinished === UNFINISHED) return
  unfinished++
  const socket = connect(Number(server.port), server.hostname, () => {
    const head = `POST /silent/cart HTTP/1.1\r\nHost: ${server.host}\r\nContent-Type: application/json\r\n`
    socket.write(`${head}Content-Length: 1000000\r\n\r\n`)
    socket.write(HALF)
  })
  socket.resume().on('error', () => {})
  socket.once('close', () => unfinished--)
}

void everySecond(100, leaveUnfinished)
void everySecond(150, () => send('silent', largestBag()))
void everySecond(300, () => send('slow', ordinaryBag()))
void everySecond(10, () => send('brackets', ordinaryBag()))
// One bag that is bought again and again, and many that are bought once.
void everySecond(200, buyNow)
void everySecond(10, async () => {
  const buy = await openBuyNow().catch(() => undefined)
  await buy?.()
})
// Twenty a minute are odd: half of them too long, half of them with what the shop cannot take.
void everySecond(1 / 6, () => send('careful', longBag()))
void everySecond(1 / 6, () => send('careful', oddBag()))
const ordinary: Record<number, number> = {}
void everySecond(2, async () => {
  const status = await send('careful', ordinaryBag())
  ordinary[status] = (ordinary[status] ?? 0) + 1
})
process.once('SIGTERM', () => {
  console.log(JSON.stringify(ordinary))
  process.exit()
})
