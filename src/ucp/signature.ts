// Who signed a request, and signing one: HTTP Message Signatures (RFC 9421) with a Content-Digest (RFC 9530), as UCP wants them.
import { createPrivateKey, createPublicKey, hash, type JsonWebKey, sign, verify } from 'node:crypto'
import {
  type Dictionary,
  type InnerList,
  type Item,
  parseDictionary,
  serializeDictionary,
  serializeInnerList,
  serializeItem
} from 'structured-headers'
import { Problem, type ProblemCode, problems } from '../errors.ts'
import type { SecretFormat } from '../secrets.ts'
import { ALGORITHM_NAMES, algorithmOf, isForSignatures, type Jwk } from './platform-profile.ts'

export type SignedRequest = {
  method: string
  /** The host of our own public address, and its port if that is not the usual one. */
  authority: string
  /** The path and query, as they were sent. */
  target: string
  /** What was sent of each header, by its name in lower case. */
  headers: NodeJS.Dict<string[]>
  body: Uint8Array
}

/** How far the time of a signature may be from the clock, in seconds, if it does not say how long it is good for. */
const TOLERANCE = 300

/** Of one request; the first is usually the only one. */
const MAX_SIGNATURES = 4

/** That of Web Bot Auth, whose signatures count if they cover what UCP wants. */
const WEB_BOT_AUTH = 'web-bot-auth'

/**
 * Checks that one of the signatures was made with one of the keys.
 * @throws Problem of the first signature, if none is good
 */
export function verifySignature(request: SignedRequest, keys: Jwk[], now: Date): void {
  const inputs = dictionaryIn(request, 'signature-input')
  const signatures = dictionaryIn(request, 'signature')
  let problem: unknown
  for (const [label, input] of [...inputs].slice(0, MAX_SIGNATURES)) {
    try {
      verifyOne(request, label, input, signatures.get(label)?.[0], keys, now)
      return
    } catch (error) {
      problem ??= error
    }
  }
  throw problem ?? unsigned('Signature-Input names no signature.')
}

function verifyOne(
  request: SignedRequest,
  label: string,
  input: Item | InnerList,
  signature: unknown,
  keys: Jwk[],
  now: Date
): void {
  const [components, parameters] = input
  if (!Array.isArray(components) || !(signature instanceof ArrayBuffer)) {
    throw invalid(`Signature-Input has to list what ${label} covers, and Signature has to hold its bytes.`)
  }
  const { key, digest } = namedKey(keys, label, parameters)
  checkTime(parameters, now)
  const covered = components.map(component => serializeItem(component))
  const missing = requiredOf(request).find(
    name =>
      !covered.includes(`"${name}"`) && !(name === 'signature-agent' && covered.includes(`"${name}";key="${label}"`))
  )
  if (missing) throw invalid(`The signature ${label} does not cover "${missing}".`)
  if (new Set(covered).size < covered.length) throw invalid(`The signature ${label} covers something twice.`)
  if (covered.includes('"content-digest"')) checkDigest(request)
  if (!isSignedWith(key, digest, signatureBase(request, input as InnerList), signature)) {
    throw invalid(`The signature ${label} does not match its key and this request to ${request.authority}.`)
  }
}

/** What a signature is made of. */
function signatureBase(request: SignedRequest, input: InnerList): Buffer {
  const [components] = input
  const lines = components.map(component => `${serializeItem(component)}: ${componentValue(component, request)}`)
  return Buffer.from([...lines, `"@signature-params": ${serializeInnerList(input)}`].join('\n'), 'latin1')
}

/** A private key that `signRequest` signs with. */
export const signingKey: SecretFormat = {
  name: 'a private key in JSON that can sign',
  right:
    'a private JWK with the kid that the platform’s profile has: {"kid":"…","kty":"EC","crv":"P-256","x":"…","y":"…","d":"…"}',
  isValid: text => {
    try {
      const key: Jwk = JSON.parse(text)
      createPrivateKey({ key: key as JsonWebKey, format: 'jwk' })
      return typeof key.kid === 'string' && algorithmOf(key) !== undefined
    } catch {
      return false
    }
  }
}

/** The headers that sign a request as a platform does. @param keyText a `signingKey` */
export function signRequest(request: SignedRequest, keyText: string, now: Date): Record<string, string> {
  const key: Jwk = JSON.parse(keyText)
  const { body, headers } = request
  const digest = body.length > 0 && { 'content-digest': `sha-256=:${hash('sha256', body, 'base64')}:` }
  const sent = { ...headers, ...(digest && { 'content-digest': [digest['content-digest']] }) }
  const components = requiredOf(request).map((name): Item => [name, new Map()])
  const parameters = new Map([
    ['keyid', String(key.kid)],
    ['created', Math.floor(now.getTime() / 1000)]
  ] as [string, number | string][])
  const input: InnerList = [components, parameters]
  const privateKey = createPrivateKey({ key: key as JsonWebKey, format: 'jwk' })
  const base = signatureBase({ ...request, headers: sent }, input)
  const bytes = sign(algorithmOf(key)?.digest, base, { key: privateKey, dsaEncoding: 'ieee-p1363' })
  return {
    ...digest,
    'signature-input': serializeDictionary(new Map([['sig1', input]])),
    signature: `sig1=:${bytes.toString('base64')}:`
  }
}

function namedKey(keys: Jwk[], label: string, parameters: Item[1]): { key: Jwk; digest: string | null } {
  const keyid = parameters.get('keyid')
  const tag = parameters.get('tag')
  if (tag !== undefined && tag !== WEB_BOT_AUTH) throw invalid(`The signature ${label} is for another purpose.`)
  const key = keys.find(key => key.kid === keyid && isForSignatures(key))
  if (!key) throw refusal('key-not-found', `No key of your profile has the keyid of ${label} as its kid.`)
  if (tag !== undefined && keyid !== thumbprint(key))
    throw invalid(`The keyid of ${label} is not the thumbprint of its key (RFC 7638).`)
  const algorithm = algorithmOf(key)
  if (!algorithm) {
    throw refusal('algorithm-unsupported', `The key of ${label} is not for ${ALGORITHM_NAMES}.`)
  }
  const { name, digest } = algorithm
  if ((parameters.get('alg') ?? name) !== name) throw invalid(`The alg of ${label} is not that of its key.`)
  return { key, digest }
}

/** What a signature has to cover, lest it be moved to another request. */
function requiredOf({ target, headers, body }: SignedRequest): string[] {
  return [
    ...['@method', '@authority', '@path', ...(target.includes('?') ? ['@query'] : [])],
    ...(body.length > 0 ? ['content-digest', 'content-type'] : []),
    ...['idempotency-key', 'ucp-agent', 'signature-agent'].filter(name => headers[name])
  ]
}

function componentValue([name, parameters]: Item, { method, authority, target, headers }: SignedRequest): string {
  const [path = '', query] = target.split(/\?(.*)/s)
  const derived = { '@method': method, '@authority': authority, '@path': path, '@query': `?${query ?? ''}` }
  const field = String(name)
  const sent = headers[field]?.map(value => value.trim()).join(', ')
  if (parameters.size === 0) {
    const value = Object.hasOwn(derived, field) ? derived[field as keyof typeof derived] : sent
    if (value !== undefined) return value
  } else if (sent !== undefined && parameters.size === 1) {
    const member = parseFields(sent, field).get(String(parameters.get('key')))
    if (member)
      return Array.isArray(member[0]) ? serializeInnerList(member as InnerList) : serializeItem(member as Item)
  }
  throw invalid(
    `The signature covers ${serializeItem([name, parameters])}, which the request does not have or this server does not support.`
  )
}

function checkTime(parameters: Item[1], now: Date): void {
  const seconds = now.getTime() / 1000
  const created = Number(parameters.get('created') ?? seconds)
  const expires = Number(parameters.get('expires') ?? created + TOLERANCE)
  if (created <= seconds + TOLERANCE && seconds <= expires) return
  throw invalid(
    `The signature was created more than ${TOLERANCE} seconds away from the time of this server, or has expired.`
  )
}

function checkDigest({ headers, body }: SignedRequest): void {
  const [sent] = parseFields(String(headers['content-digest']), 'content-digest').get('sha-256') ?? []
  const digest = hash('sha256', body, 'buffer')
  if (sent instanceof ArrayBuffer && digest.equals(new Uint8Array(sent))) return
  throw refusal('digest-mismatch', 'Content-Digest does not have the sha-256 of the body.')
}

/** Of RFC 7638. */
function thumbprint({ crv, kty, x, y }: Jwk): string {
  return hash('sha256', JSON.stringify({ crv, kty, x, y }), 'base64url')
}

function isSignedWith(key: Jwk, digest: string | null, base: Buffer, signature: ArrayBuffer): boolean {
  try {
    const publicKey = createPublicKey({ key: key as JsonWebKey, format: 'jwk' })
    return verify(digest, base, { key: publicKey, dsaEncoding: 'ieee-p1363' }, new Uint8Array(signature))
  } catch {
    // The key is of no point of its curve.
    return false
  }
}

function dictionaryIn({ headers }: SignedRequest, name: string): Dictionary {
  const sent = headers[name]
  if (!sent) throw unsigned(`Sign the request (RFC 9421): it has no ${name} header.`)
  return parseFields(sent.join(', '), name)
}

function parseFields(text: string, name: string): Dictionary {
  try {
    return parseDictionary(text)
  } catch {
    throw invalid(`The header ${name} is not a dictionary (RFC 8941).`)
  }
}

const invalid = (detail: string) => refusal('signature-invalid', detail)
const unsigned = (detail: string) => refusal('signature-missing', detail)

/** A 401 has to name a scheme (RFC 9110, section 15.5.2); for signatures none is registered. */
function refusal(code: ProblemCode, detail: string): Problem {
  const headers = { 'WWW-Authenticate': 'Signature realm="cart transfer"' }
  return new Problem(code, { detail, ...(problems[code].status === 401 && { headers }) })
}
