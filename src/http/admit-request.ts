// What a request must say and prove before its body is read: its media type (contract 4.1 and 4.2), its coding and, from
// the platform's or a shop's own servers, who sends it.
import type { FastifyInstance, FastifyRequest, RouteShorthandOptions } from 'fastify'
import { Problem } from '../errors.ts'
import type { OwnShop } from '../integrations/destination/shop-call.ts'
import { isAnySame, signMessage } from '../secrets.ts'
import type { Authentication, AuthenticationType } from '../transfer/authentication.ts'
import { countHeaders } from './every-request.ts'

/**
 * Makes the routes of one plugin receive bodies of these media types as a Buffer; parameters after `;` are allowed.
 * @returns the options of such a route: any other Content-Type is refused with 415 before its body is read
 */
export function acceptBody(app: FastifyInstance, mediaTypes: string[], bodyLimit: number): RouteShorthandOptions {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser<Buffer>(mediaTypes, { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
  return {
    bodyLimit,
    onRequest: (request: FastifyRequest, _reply: unknown, done: (error?: Error) => void) => {
      if (mediaTypes.includes(String(request.mediaType))) return done()
      const sent = request.headers['content-type']
      const found = sent === undefined ? 'missing' : JSON.stringify(sent)
      const detail = `The Content-Type is ${found}; send ${mediaTypes.join(' or ')}.`
      done(new Problem('media-type-unsupported', { detail }))
    }
  }
}

export function refuseContentEncoding(app: FastifyInstance): void {
  app.addHook('onRequest', ({ headers }, _reply, done) => {
    const { 'content-encoding': coding = 'identity' } = headers
    // A header that is sent twice arrives as a list.
    if (/^identity(?: *, *identity)*$/i.test(coding)) return done()
    const detail = `The Content-Encoding is ${JSON.stringify(coding)}; send the body without one.`
    done(new Problem('media-type-unsupported', { detail, headers: { 'Accept-Encoding': 'identity' } }))
  })
}

/** @throws Problem `destination-unavailable`, if the merchant's shop would not take a body of this size now, in bytes */
export function refuseUnread(ownShop: OwnShop | undefined, size: number): void {
  const reason = ownShop?.reasonNotToRead(size)
  if (reason === undefined) return
  const detail = "The merchant's shop takes no large carts now; this one was not read. Try again in a few seconds."
  throw new Problem('destination-unavailable', { detail, reason })
}

const REALM = 'realm="cart transfer"'

/** How far a timestamp may be from the clock, in milliseconds, as Standard Webhooks recommends. */
const TOLERANCE = 5 * 60 * 1000

/** Makes the routes of one plugin require authentication by any of the secrets. Bodies have to arrive as a Buffer. */
export function requireAuthentication(
  app: FastifyInstance,
  type: AuthenticationType,
  secrets: string[],
  clock: () => Date
): void {
  markAuthenticating(app)
  if (type === 'bearer') {
    app.addHook('onRequest', (request, _reply, done) => done(admit(request, tokenProblem(request, secrets))))
  } else {
    app.addHook('onRequest', (request, _reply, done) => done(headersProblem(request, clock())))
    app.addHook('preHandler', (request, _reply, done) => done(admit(request, signatureProblem(request, secrets))))
  }
}

/** The same by any of several types, for routes that read no body. */
export function requireAnyAuthentication(app: FastifyInstance, accepted: Authentication[], clock: () => Date): void {
  markAuthenticating(app)
  app.addHook('onRequest', (request, _reply, done) => {
    const found = accepted.map(({ type, secrets }) => {
      const values = secrets.map(({ value }) => value)
      if (type === 'bearer') return tokenProblem(request, values)
      return headersProblem(request, clock()) ?? signatureProblem(request, values)
    })
    done(admit(request, found.includes(undefined) ? undefined : found[0]))
  })
}

export function markAuthenticating(app: FastifyInstance): void {
  app.addHook('onRoute', route => {
    route.config = { ...route.config, isAuthenticating: true }
  })
}

function admit(request: FastifyRequest, problem: Problem | undefined): Problem | undefined {
  request.isAuthenticated = problem === undefined
  return problem
}

/** Checks `Authorization: Bearer <token>` (RFC 6750, section 2.1). */
export function tokenProblem({ headers, raw }: FastifyRequest, tokens: string[]): Problem | undefined {
  const { authorization } = headers
  const bearer = `Bearer ${REALM}`
  if (authorization === undefined) {
    return unauthorized('The request has no Authorization header; send "Authorization: Bearer …".', bearer)
  }
  const isOnly = countHeaders(raw.rawHeaders, 'authorization') === 1
  const [, token] = /^bearer +(\S+)$/i.exec(authorization) ?? []
  const challenge = bearer + (/^bearer\b/i.test(authorization) ? ', error="invalid_token"' : '')
  if (!isOnly || token === undefined) {
    return unauthorized('Authorization must be one header "Authorization: Bearer …" with one token.', challenge)
  }
  return isAnySame([token], tokens) ? undefined : unauthorized('The bearer token is unknown.', challenge)
}

/** Checks `X-API-Key: <key>`. */
export function apiKeyProblem({ headers }: FastifyRequest, keys: string[]): Problem | undefined {
  const sent = headers['x-api-key']
  if (sent !== undefined && isAnySame([String(sent)], keys)) return undefined
  const detail =
    sent === undefined ? 'The request has no X-API-Key header; send "X-API-Key: …".' : 'The X-API-Key is unknown.'
  return unauthorized(detail, `X-API-Key ${REALM}`)
}

function signedHeaders({ headers }: FastifyRequest) {
  const read = (name: string) => String(headers[name] ?? '')
  return { id: read('webhook-id'), timestamp: read('webhook-timestamp'), sent: read('webhook-signature') }
}

function headersProblem(request: FastifyRequest, now: Date): Problem | undefined {
  const { id, timestamp, sent } = signedHeaders(request)
  if (id === '' || sent === '' || !/^\d{1,12}$/.test(timestamp)) {
    return unsigned('Send webhook-id, webhook-timestamp and webhook-signature, as Standard Webhooks describes.')
  }
  if (Math.abs(now.getTime() - Number(timestamp) * 1000) <= TOLERANCE) return undefined
  return unsigned('The webhook-timestamp is more than five minutes away from the time of this server.')
}

function signatureProblem(request: FastifyRequest, secrets: string[]): Problem | undefined {
  const { id, timestamp, sent } = signedHeaders(request)
  // Of a GET, which has none, it is empty.
  const body = (request.body ?? '') as Buffer | string
  const expected = secrets.map(secret => signMessage(secret, { id, timestamp, body }))
  // Other versions, and whatever has another length, cannot be one of ours.
  const signatures = sent.split(' ').filter(text => /^v1,.{44}$/.test(text))
  return isAnySame(signatures, expected) ? undefined : unsigned('The webhook-signature holds no valid signature.')
}

/** A 401 has to name a scheme (RFC 9110, section 15.5.2); for Standard Webhooks none is registered. */
function unsigned(detail: string): Problem {
  return unauthorized(detail, `Standard-Webhooks ${REALM}`)
}

function unauthorized(detail: string, challenge: string): Problem {
  return new Problem('unauthorized', { detail, headers: { 'WWW-Authenticate': challenge } })
}
