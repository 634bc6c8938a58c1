// Requests that no route ever sees: an address that does not exist, a malformed path, headers over the limit, a body that
// arrives too slowly, bytes that are not HTTP. Without a reply object, the answer is written straight to the socket.
import { once } from 'node:events'
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import fp from 'fastify-plugin'
import findMyWay from 'find-my-way'
import { notFound, Problem, type ProblemCode, problems } from '../errors.ts'
import { isHttps, isWithin, type Merchant, wayAt } from '../merchant/merchant.ts'
import { problemJson, problemPage } from '../pages/problem-view.ts'
import { pageHeaders, renderPage } from '../pages/send-page.ts'
import type { Storefront } from '../pages/storefront.ts'
import { asksForPage } from '../transfer/option.ts'
import { answerProblem, formByAccept } from './error-handler.ts'
import { headersOfEvery, setHsts } from './every-request.ts'
import { type ClientConnections, endAndLinger, MAX_HEADER, MAX_HEADERS, STALL_TIMEOUT } from './node-server.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The name of the route of a path that has one, but none for this method. */
    otherRoute: string | undefined
  }
}

/** `fallback` is for addresses that belong to no merchant. */
export type Storefronts = { merchants: { merchant: Merchant; storefront: Storefront }[]; fallback: Storefront }

type UnroutedParts = { app: FastifyInstance; storefronts: Storefronts; connections: ClientConnections }

export function areSecure({ merchants }: Storefronts): boolean {
  return merchants.length > 0 && merchants.every(({ merchant }) => isHttps(merchant))
}

/** The routes of a path; a later hook may name them. */
type Routes = { methods: Set<string>; options: RouteOptions }

/** Watches the routes that are registered from here on. @returns those of a path, whatever the method */
export function watchRoutes(app: FastifyInstance): (path: string) => Routes | undefined {
  const paths = findMyWay({ maxParamLength: MAX_HEADER })
  const known = new Map<string, Routes>()
  app.addHook('onRoute', options => {
    const { url, method } = options
    const routes = known.get(url) ?? { methods: new Set(), options }
    if (!known.has(url)) paths.on('GET', url, () => {}, routes)
    known.set(url, routes)
    for (const one of [method].flat()) routes.methods.add(one)
  })
  return path => paths.find('GET', path)?.store
}

/** Refuses what no route takes before its body is read: 405 with `Allow` if the path takes other methods, else 404. */
export const refuseUnrouted = fp<{ storefronts: Storefronts; routesOf: ReturnType<typeof watchRoutes> }>(
  async (app, { storefronts, routesOf }) => {
    const refuse = (request: FastifyRequest, reply: FastifyReply) => {
      const routes = routesOf(pathOf(request))
      const refusal = routes ? methodProblem(routes) : notFound()
      request.otherRoute = routes?.options.config?.routeName ?? routes?.options.url
      const storefront = findStorefront(storefronts, request.raw)
      if (storefront.merchant && isHttps(storefront.merchant)) setHsts(reply)
      const form = formOf(storefronts, storefront, request.raw)
      return answerProblem(refusal, refusal, request, reply, storefront, form)
    }
    app.decorateRequest('otherRoute', undefined)
    app.setNotFoundHandler(refuse)
    app.addHook('onRequest', (request, reply, done) => {
      if (request.is404) refuse(request, reply).catch(done)
      else done()
    })
  },
  { name: 'refuse-unrouted', dependencies: ['refusals', 'secure-answers', 'shed-load'] }
)

function methodProblem({ methods }: Routes): Problem {
  const allow = [...methods].sort().join(', ')
  const detail = `Only ${allow} ${methods.size === 1 ? 'is' : 'are'} allowed here.`
  return new Problem('method-not-allowed', { detail, headers: { Allow: allow } })
}

/** A request that no route sees; undefined if not even its headers were read. */
type UnroutedRequest = Pick<IncomingMessage, 'url' | 'headers'> | undefined

type UnroutedResponse = { status: number; headers: Record<string, string>; body: string | Buffer }

export async function unroutedResponse(
  { app, storefronts }: UnroutedParts,
  refusal: Problem,
  request: UnroutedRequest
): Promise<UnroutedResponse> {
  const { status } = problems[refusal.code]
  const storefront = findStorefront(storefronts, request)
  app.log.info({ status, problem: refusal.code }, 'unroutable request refused')
  const isSecure = storefront.merchant ? isHttps(storefront.merchant) : areSecure(storefronts)
  const common = { 'Cache-Control': 'no-store', ...headersOfEvery(isSecure), ...refusal.headers }
  const form = formOf(storefronts, storefront, request)
  if (form !== 'page') {
    const isOwn = form !== 'problem+json'
    const headers = { ...common, 'Content-Type': isOwn ? 'application/json' : 'application/problem+json' }
    return { status, headers, body: isOwn ? form(refusal) : JSON.stringify(problemJson(refusal, '')) }
  }
  const { translator } = storefront.languageFor(request)
  const page = problemPage(refusal, translator, '', storefront)
  const { security, content } = pageHeaders(storefront, translator, page)
  const body = await renderPage(app, storefront, translator, page)
  return { status, headers: { ...common, ...content, ...security }, body }
}

/** The storefront by the path of a request; an unread request belongs to the only merchant, if there is only one. */
function findStorefront({ merchants, fallback }: Storefronts, request: UnroutedRequest): Storefront {
  const ofMerchant = request
    ? merchants.find(({ merchant }) => isWithin(pathOf(request), merchant.path))
    : merchants.length === 1 && merchants[0]
  return ofMerchant ? ofMerchant.storefront : fallback
}

/** A page if a person waits for the answer; for an unread request, if any merchant answers carts with one. */
function formOf({ merchants }: Storefronts, { merchant }: Storefront, request: UnroutedRequest) {
  const pageIf = (isPage: boolean) => (isPage ? 'page' : 'problem+json')
  if (!request)
    return pageIf(merchants.some(({ merchant: { ways } }) => ways.some(({ option }) => asksForPage(option))))
  const path = pathOf(request)
  if (merchant && isWithin(path, merchant.path + merchant.checkout.path)) return 'page'
  const way = merchant && wayAt(merchant, path)
  if (way) return way.option.answer === 'protocol' ? way.option.refuse : pageIf(asksForPage(way.option))
  if (merchant?.ways.every(({ option }) => asksForPage(option))) return 'page'
  return formByAccept(request)
}

function pathOf({ url = '' }: NonNullable<UnroutedRequest>): string {
  return url.replace(/[?#].*/s, '')
}

/** By the code of an error of Node's parser. */
const CLIENT_ERRORS: Record<string, [problem: ProblemCode, detail: string]> = {
  HPE_HEADER_OVERFLOW: [
    'headers-too-large',
    `Request line and headers may have ${MAX_HEADER} bytes, and there may be ${MAX_HEADERS} headers.`
  ],
  ERR_HTTP_REQUEST_TIMEOUT: ['request-timeout', 'The request did not arrive whole in time.']
}

const UNREADABLE: [ProblemCode, string] = ['malformed-request', 'This is not an HTTP request that can be read.']

/** The client has left, most likely: ten thousand that leave at once would be answered for a second and a half. */
const GONE = ['ECONNRESET', 'HPE_INVALID_EOF_STATE']

/** Answers on a socket whose request Node could not read, and closes it. */
export async function answerClientError(
  parts: UnroutedParts,
  { code }: { code: string },
  socket: Socket
): Promise<void> {
  // What else arrives is not parsed: each packet would be an error again, and close the connection before this one's answer.
  socket.removeAllListeners('data').on('data', () => {})
  const last = parts.connections.get(socket)?.last
  const begun = last?.req.complete === false ? last : undefined
  // A request that was refused before all of it arrived has its answer.
  const mayAnswer = () => !GONE.includes(code) && socket.writable && !begun?.headersSent
  await earlierAnswers(parts, socket, begun)
  if (mayAnswer()) {
    const [problem, detail] = CLIENT_ERRORS[code] ?? UNREADABLE
    const answer = await unroutedResponse(parts, new Problem(problem, { detail }), begun?.req)
    if (mayAnswer()) return endWith(socket, answer)
  }
  socket.destroy()
}

/** Node has no response object for a CONNECT, and no longer listens to its socket. */
export async function refuseConnect(parts: UnroutedParts, request: IncomingMessage, socket: Socket): Promise<void> {
  socket.on('error', () => {})
  socket.setTimeout(STALL_TIMEOUT, () => socket.destroy())
  socket.resume()
  await earlierAnswers(parts, socket)
  const refusal = new Problem('method-not-allowed', { detail: 'This server is no proxy.', headers: { Allow: 'GET' } })
  endWith(socket, await unroutedResponse(parts, refusal, request))
}

/** Waits until the requests before this one have their answers: a client assigns them by their order. */
async function earlierAnswers({ connections }: UnroutedParts, socket: Socket, own?: ServerResponse): Promise<void> {
  const current = () => connections.get(socket)?.current
  for (let other = current(); other && other !== own; other = current()) await once(other, 'close')
}

function endWith(socket: Socket, { status, headers, body }: UnroutedResponse): void {
  const lines = Object.entries({ ...headers, 'Content-Length': String(Buffer.byteLength(body)), Connection: 'close' })
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')
  socket.write(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${head}\r\n`)
  socket.write(body)
  endAndLinger(socket)
}
