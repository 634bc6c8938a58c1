// Every kind of answer that a platform gets to its carts: by each version, by REST and MCP.
import { randomUUID } from 'node:crypto'
import type { UcpVersion } from '../../src/ucp/versions.ts'
import type { AnswerSchema } from './specification.ts'

export type UcpAnswer = {
  name: string
  /** What it is judged by; nothing for a protocol error of REST, which the specification has in prose only. */
  schema: AnswerSchema | 'protocol-error'
  status: number
  body: unknown
}

type Operation = 'create' | 'get' | 'update' | 'cancel'

type Call = { id?: string | undefined; cart?: unknown; key?: string; profile?: string | undefined }

/** An answer of a transport: the cart, or why there is none, and what it came in. */
type Answered = { status: number; body: unknown; envelope?: unknown; isProtocolError: boolean }

type Transport = (operation: Operation, call: Call) => Promise<Answered>

const METHODS = { create: 'POST', get: 'GET', update: 'PUT', cancel: 'POST' }

function restOf(endpoint: string): Transport {
  return async (operation, { id = '', cart, key, profile }) => {
    const path = operation === 'create' ? '' : `/${id}`
    const response = await fetch(`${endpoint}/carts${path}${operation === 'cancel' ? '/cancel' : ''}`, {
      method: METHODS[operation],
      headers: {
        'Content-Type': 'application/json',
        ...(profile !== undefined && { 'UCP-Agent': `profile="${profile}"` }),
        ...(key !== undefined && { 'Idempotency-Key': key })
      },
      ...(operation !== 'get' && { body: typeof cart === 'string' ? cart : JSON.stringify(cart ?? {}) })
    })
    return { status: response.status, body: await response.json(), isProtocolError: !response.ok }
  }
}

function mcpOf(endpoint: string): Transport {
  return async (operation, { profile, key, ...sent }) => {
    const meta = { ...(profile !== undefined && { 'ucp-agent': { profile } }), 'idempotency-key': key }
    const params = { name: `${operation}_cart`, arguments: { meta, ...sent } }
    const text = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })
    const body = typeof sent.cart === 'string' ? sent.cart : text
    const response = await fetch(`${endpoint}/mcp`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body
    })
    const envelope = (await response.json()) as { result?: { structuredContent: unknown }; error?: unknown }
    const { result } = envelope
    return { status: response.status, body: result?.structuredContent, envelope, isProtocolError: !result }
  }
}

/** Profiles of the platforms that are played: one that speaks of carts, one that does not, and one that nobody knows. */
export type Players = { platform: string; cartless: string; stranger: string }

export async function collectAnswers(
  origin: string,
  version: UcpVersion,
  { platform, cartless, stranger }: Players
): Promise<UcpAnswer[]> {
  const answers: UcpAnswer[] = []
  const note = (name: string, schema: UcpAnswer['schema'], { status, body }: { status: number; body: unknown }) =>
    answers.push({ name, schema, status, body })

  const found = await fetch(`${origin}/.well-known/ucp`)
  const newest = (await found.json()) as { ucp: { version: string; supported_versions: Record<string, string> } }
  const leaf = newest.ucp.supported_versions[version]
  const profile = leaf === undefined ? newest : await (await fetch(leaf)).json()
  note('profile', 'profile', { status: found.status, body: profile })

  const endpoint = `${origin}/shop/ucp`
  for (const [transport, send] of [
    ['REST', restOf(endpoint)],
    ['MCP', mcpOf(endpoint)]
  ] as const) {
    const ask = async (name: string, expected: 'cart' | 'error' | 'failure', operation: Operation, call: Call = {}) => {
      const answered = await send(operation, { profile: platform, ...call })
      const { status, envelope, isProtocolError } = answered
      const title = `${transport} ${operation}: ${name}`
      if (isProtocolError !== (expected === 'failure'))
        throw new Error(`${title}: ${status}, ${JSON.stringify(answered)}`)
      if (envelope !== undefined) note(title, isProtocolError ? 'rpc-error' : 'mcp', { status, body: envelope })
      if (expected !== 'failure') note(title, expected, answered)
      else if (envelope === undefined) note(title, 'protocol-error', answered)
      return answered.body as { id: string }
    }
    const line = (id: string, quantity: unknown = 1) => ({ item: { id }, quantity })
    const cart = (...lines: unknown[]) => ({ line_items: lines })
    const mug = cart(line('MUG', 2))
    const key = randomUUID()

    const { id } = await ask('a cart', 'cart', 'create', { cart: mug, key })
    await ask('the same again', 'cart', 'create', { cart: mug, key })
    await ask('another cart with its key', 'failure', 'create', { cart: cart(line('ROPE')), key })
    await ask('all that a platform may know', 'cart', 'create', {
      cart: {
        ...cart(line('MUG'), line('THROW'), line('ROPE', 3), line('ソ-☕')),
        context: { address_country: 'GB', language: 'de', currency: 'GBP', intent: 'a gift', eligibility: ['x'] },
        buyer: { first_name: 'Ada', email: 'ada@example.com', phone_number: '+441947820000' },
        attribution: { utm_source: 'google', gclid: 'x' },
        signals: { 'dev.ucp.buyer_ip': '192.0.2.1' }
      }
    })
    await ask('the cart', 'cart', 'get', { id })
    await ask('another cart', 'cart', 'update', { id, cart: cart(line('ROPE')) })
    await ask('a line that is sold out', 'error', 'update', { id, cart: cart(line('MUG'), line('LAMP')) })
    await ask('the cart', 'cart', 'cancel', { id })
    const unknown = '0'.repeat(32)
    for (const [name, of] of [
      ['a cancelled cart', id],
      ['an unknown cart', unknown],
      ['no id of ours', 'cart_1']
    ]) {
      await ask(String(name), 'error', 'get', { id: of })
      await ask(String(name), 'error', 'update', { id: of, cart: mug })
      await ask(String(name), 'error', 'cancel', { id: of })
    }
    for (const [name, refused] of [
      ['sold out', cart(line('LAMP'))],
      ['unknown', cart(line('NO-SUCH'))],
      ['not sold in this currency', cart(line('DOLLAR'))],
      ['several that are not sold', cart(line('LAMP'), line('MUG'), line('NO-SUCH'))],
      ['too many', cart(line('MUG', 10_000))],
      ['of a half', cart(line('MUG', 0.5))],
      ['text as a quantity', cart(line('MUG', '2'))],
      ['no object as a line', cart('MUG')],
      ['no lines', cart()],
      ['nothing', {}],
      ['more lines than we take', cart(...Array.from({ length: 501 }, () => line('MUG')))]
    ] as const) {
      await ask(name, 'error', 'create', { cart: refused })
    }
    await ask('a platform without carts', 'error', 'create', { cart: mug, profile: cartless })
    await ask('an unknown platform', 'failure', 'create', { cart: mug, profile: stranger })
    await ask('no platform', 'failure', 'create', { cart: mug, profile: undefined })
    await ask('no JSON', 'failure', 'create', { cart: '{' })
  }
  return answers
}
