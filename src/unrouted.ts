// Requests that no route ever sees: a malformed path, headers over the limit, bytes that are not HTTP. They too get
// the right status in the right form, written straight to the socket where there is no reply.
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { problemView, toProblem } from './checkout/problem-view.ts'
import { imageSources, languageHeaders, pageFront, renderPage, styleSource } from './checkout/send-page.ts'
import { problems, Refusal } from './errors.ts'
import { findFront, type RefusingParts } from './refuse.ts'

/** The most bytes of request line and headers that are read. */
export const MAX_HEADER = 64 * 1024

/** An answer that needs no reply object. */
type BareAnswer = { status: number; headers: Record<string, string>; body: string }

/** What is known of a request that no route sees. */
type Unread = { url: string; accept?: string | undefined; language?: string | undefined }

export async function bareAnswer(
  app: FastifyInstance,
  parts: RefusingParts,
  refusal: Refusal,
  { url, accept, language }: Unread
): Promise<BareAnswer> {
  const { status } = problems[refusal.code]
  const { front, form } = findFront(parts, url, accept)
  const headers = { 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' }
  if (form === 'problem+json') {
    const body = JSON.stringify(toProblem(refusal, ''))
    return { status, headers: { ...headers, 'Content-Type': 'application/problem+json' }, body }
  }
  const words = front.wordsFor(language)
  const page = pageFront(front, 'problem')
  const sources = `style-src ${styleSource(page)}; img-src ${imageSources(page, []).join(' ')}`
  const view = problemView(refusal, words, '')
  return {
    status,
    headers: {
      ...headers,
      ...languageHeaders(words),
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': `default-src 'none'; ${sources}; form-action 'none'; frame-ancestors 'self'; base-uri 'none'`,
      'Referrer-Policy': 'same-origin'
    },
    body: await renderPage(app, front, words, { template: 'problem', title: view.heading, view })
  }
}

/** What Node's parser could not read, as a refusal. */
function unreadable(code: string): Refusal {
  if (code === 'HPE_HEADER_OVERFLOW') {
    return new Refusal('headers-too-large', { detail: `Request line and headers may have ${MAX_HEADER} bytes.` })
  }
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return new Refusal('request-timeout', { detail: 'The request did not arrive whole in time.' })
  }
  return new Refusal('malformed-request', { detail: 'This is not an HTTP request that can be read.' })
}

/** A header of a request that nobody parsed. */
function headerOf(start: string, name: string): string | undefined {
  return new RegExp(`\\r\\n${name}:([^\\r]*)`, 'i').exec(start)?.[1]
}

/**
 * Answers on a socket whose request Node could not read, and closes it.
 * @param last the answer to the last request on this socket whose headers were read
 */
export async function answerSocket(
  app: FastifyInstance,
  parts: RefusingParts,
  error: { code: string; rawPacket: unknown },
  socket: Socket,
  last?: ServerResponse<IncomingMessage>
): Promise<void> {
  const begun = last?.req.complete === false ? last : undefined
  // A request that was refused before all of it came has its answer.
  if (error.code === 'ECONNRESET' || !socket.writable || begun?.headersSent) {
    socket.destroy()
    return
  }
  const refusal = unreadable(error.code)
  const { status, headers, body } = await bareAnswer(app, parts, refusal, unreadFrom(parts, error, begun?.req))
  app.log.info({ status, problem: refusal.code }, 'request refused unread')
  const lines = Object.entries({ ...headers, 'Content-Length': String(Buffer.byteLength(body)), Connection: 'close' })
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${head}\r\n${body}`)
}

/** What is known: of a body that is slow the headers, of bytes that are no HTTP those, and else what is likely. */
function unreadFrom(parts: RefusingParts, { rawPacket }: { rawPacket: unknown }, begun?: IncomingMessage): Unread {
  if (begun) {
    const { url = '', headers } = begun
    return { url, accept: headers.accept, language: headers['accept-language'] }
  }
  const start = rawPacket instanceof Uint8Array ? Buffer.from(rawPacket).toString('latin1') : ''
  const [, url] = /^[A-Z]+ (\S+)/.exec(start) ?? []
  const language = headerOf(start, 'accept-language')
  return url === undefined ? { ...likely(parts), language } : { url, accept: headerOf(start, 'accept'), language }
}

/**
 * Past its limit Node has kept the last bytes alone. Only a URL with a bag in it grows so long, and a person waits for
 * the answer, unless no merchant here answers with pages. Where there is one merchant it was for that one.
 */
function likely({ fronts }: RefusingParts): Unread {
  const [only, ...others] = fronts
  const accept = fronts.some(({ merchant: { option } }) => option.answer === 'page') ? 'text/html' : ''
  return { url: only && others.length === 0 ? only.merchant.path : '/', accept }
}
