// Requests signed as a platform signs them (RFC 9421), written without the code that checks them.
import { generateKeyPairSync, hash, type JsonWebKey, type KeyObject, sign } from 'node:crypto'

export type Signer = { privateKey: KeyObject; jwk: JsonWebKey & { kid: string } }

/** @param more other members of the public key */
export function newSigner(kid = 'key-1', crv: 'P-256' | 'P-384' | 'Ed25519' = 'P-256', more: object = {}): Signer {
  const { privateKey, publicKey } =
    crv === 'Ed25519' ? generateKeyPairSync('ed25519') : generateKeyPairSync('ec', { namedCurve: crv })
  return { privateKey, jwk: { kid, ...publicKey.export({ format: 'jwk' }), ...more } }
}

export type Signed = { method: string; url: string; headers: Record<string, string>; body?: string }

type Signature = {
  /** As they stand in Signature-Input; by default all that UCP wants. */
  components?: string[]
  /** What follows them, besides the keyid. */
  parameters?: string
  keyid?: string
  label?: string
  /** What stands for a component that is a part of a header. */
  values?: Record<string, string>
}

/** @returns all headers that are to be sent */
export function signedHeaders(
  { method, url, headers, body = '' }: Signed,
  { privateKey, jwk }: Signer,
  signature: Signature = {}
): Record<string, string> {
  const { host, pathname, search } = new URL(url)
  const digest = `sha-256=:${hash('sha256', body, 'base64')}:`
  const all: Record<string, string> = {
    ...headers,
    ...(body && { 'content-digest': digest }),
    ...(headers['content-digest'] && headers)
  }
  const derived = ['@method', '@authority', '@path', ...(search && ['@query'])]
  const { label = 'sig1', keyid = jwk.kid, parameters = '', values } = signature
  const { components = [...derived, ...Object.keys(all)].map(name => `"${name}"`) } = signature
  const valueAt: Record<string, string | undefined> = {
    '"@method"': method,
    '"@authority"': host,
    '"@path"': pathname,
    '"@query"': search,
    ...Object.fromEntries(Object.entries(all).map(([name, value]) => [`"${name}"`, value])),
    ...values
  }
  const input = `(${components.join(' ')});keyid="${keyid}"${parameters}`
  const base = [...components.map(one => `${one}: ${valueAt[one]}`), `"@signature-params": ${input}`].join('\n')
  const { namedCurve } = privateKey.asymmetricKeyDetails ?? {}
  const algorithm = namedCurve && (namedCurve === 'secp384r1' ? 'sha384' : 'sha256')
  const bytes = sign(algorithm, Buffer.from(base), { key: privateKey, dsaEncoding: 'ieee-p1363' })
  return { ...all, 'signature-input': `${label}=${input}`, signature: `${label}=:${bytes.toString('base64')}:` }
}
