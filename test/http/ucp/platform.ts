// A platform that keeps UCP carts at a shop of ours, for tests.
import type { Test } from 'tap'
import { type Fetch, httpFetch } from '../../../src/integrations/outgoing/http-client.ts'
import { CART } from '../../../src/ucp/versions.ts'
import { type Build, build, type MerchantChanges, merchantFile } from '../../build.ts'

export const PROFILE = 'https://platform.example/profile.json'

export type CartAnswer = { status: number; headers: Record<string, unknown>; text: string; body: AnswerBody }

/** Any of the answers that there are. */
export type AnswerBody = {
  ucp: { version: string; status?: string; capabilities: Record<string, unknown> }
  id: string
  line_items: { item: Record<string, unknown>; quantity: number }[]
  currency: string
  totals: { type: string; amount: number }[]
  continue_url: string
  expires_at: string
  messages: { code: string; path?: string; content: string; severity: string }[]
  code: string
  content: string
}

/** Lines of a request: `2 MUG`. */
export const cartOf = (...lines: string[]) => ({
  line_items: lines.map(line => {
    const [quantity, id] = line.split(/ (.*)/)
    return { item: { id }, quantity: Number(quantity) }
  })
})

/** What an answer says is wrong: `code path`. */
export const wrong = ({ body }: CartAnswer) => body.messages.map(({ code, path }) => (path ? `${code} ${path}` : code))

type Sent = { key?: string; profile?: string; headers?: Record<string, string> }

/** Every platform has this profile; a shop is asked in earnest. */
const fetchProfile: Fetch = async (url, options) => {
  if (!String(url).startsWith('https:')) return httpFetch(url, options)
  const version = '2026-08-25'
  return Response.json({
    ucp: { version, services: {}, capabilities: { [CART]: [{ version }] }, payment_handlers: {} }
  })
}

/** @param file the merchant file, by default one with option `ucp` alone */
export async function openUcp(t: Test, { transfer, ...file }: MerchantChanges = {}, parts: Build = {}) {
  const merchant = merchantFile('ucp', { ...file, transfer: { path: '/ucp', ...transfer } })
  const built = await build(t, { merchants: [merchant], fetch: fetchProfile, ...parts })
  const send = async (method: 'GET' | 'POST' | 'PUT', path: string, sent?: object | string, more: Sent = {}) => {
    const { key, profile = PROFILE, headers = {} } = more
    const { statusCode: status, ...answer } = await built.app.inject({
      method,
      url: `/shop/ucp${path}`,
      headers: {
        'ucp-agent': `profile="${profile}"`,
        ...(sent !== undefined && { 'content-type': 'application/json' }),
        ...(key !== undefined && { 'idempotency-key': key }),
        ...headers
      },
      ...(sent !== undefined && { payload: typeof sent === 'string' ? sent : JSON.stringify(sent) })
    })
    // Answers are compared, and a second may pass between two.
    const { date: _, ...received } = answer.headers
    return { status, headers: received, text: answer.body, body: answer.json() } as CartAnswer
  }
  const get = (url: string) => built.app.inject(url.replace('http://127.0.0.1:3000', ''))
  return {
    ...built,
    send,
    create: (cart: object | string, more?: Sent) => send('POST', '/carts', cart, more),
    read: (id: string, more?: Sent) => send('GET', `/carts/${id}`, undefined, more),
    update: (id: string, cart: object, more?: Sent) => send('PUT', `/carts/${id}`, cart, more),
    cancel: (id: string, more?: Sent) => send('POST', `/carts/${id}/cancel`, {}, more),
    get,
    /** The page that a shopper gets to by `continue_url`. */
    open: async (continueUrl: string) => {
      const { headers, statusCode, body } = await get(continueUrl)
      return statusCode === 303
        ? { address: String(headers.location), ...(await get(String(headers.location))) }
        : { address: '', statusCode, body }
    },
    transfers: () => built.logs.filter(({ msg }) => msg === 'transfer')
  }
}
