// Signatures of requests: whose they are, what they cover, and all that makes them worthless.
import { createPublicKey, hash } from 'node:crypto'
import t, { type Test } from 'tap'
import { type Problem, problems } from '../../src/errors.ts'
import type { Jwk } from '../../src/ucp/platform-profile.ts'
import { type SignedRequest, signRequest, verifySignature } from '../../src/ucp/signature.ts'
import { newSigner, type Signed, type Signer, signedHeaders } from './sign-request.ts'

const NOW = new Date('2026-11-29T12:00:00Z')
const SECONDS = NOW.getTime() / 1000

const CART = '{"line_items":[{"item":{"id":"MUG"},"quantity":2}]}'

const CREATE = {
  method: 'POST',
  url: 'https://shop.example/ucp/carts',
  headers: {
    'ucp-agent': 'profile="https://platform.example/profile.json"',
    'content-type': 'application/json',
    'idempotency-key': 'b7a4b8e2-53f8-4a9e-9a80-8a7c1b2d3e4f'
  },
  body: CART
}
const GET = {
  method: 'GET',
  url: 'https://shop.example/ucp/carts/1?full=1',
  headers: { 'ucp-agent': 'profile="https://a.example/"' }
}

/** The request as it arrives. */
function arrived({ method, url, body = '' }: Signed, headers: Record<string, string>): SignedRequest {
  const { host: authority, pathname, search } = new URL(url)
  const lists = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]]))
  return { method, authority, target: pathname + search, headers: lists, body: Buffer.from(body) }
}

function accepts(t: Test, name: string, request: SignedRequest, ...keys: Jwk[]): void {
  t.doesNotThrow(() => verifySignature(request, keys, NOW), name)
}

/** @param code as UCP writes it */
function refuses(t: Test, code: string, name: string, request: SignedRequest, ...keys: Jwk[]): void {
  try {
    verifySignature(request, keys, NOW)
    t.fail(`${name}: accepted`)
  } catch (error) {
    const { code: found, headers } = error as Problem
    t.equal(found, code.replaceAll('_', '-'), `${name}: ${(error as Problem).message}`)
    t.equal('WWW-Authenticate' in headers, problems[found].status === 401)
  }
}

const signer = newSigner()
const ofSigner = (request: Signed, by: Signer = signer, ...more: Parameters<typeof signedHeaders>[2][]) =>
  arrived(request, signedHeaders(request, by, ...more))

// Made by the suite of github.com/vishkaty/ucp-conformance, in Python.
const FOREIGN = {
  headers: {
    'ucp-agent': ['profile="https://spck.dev/agent"'],
    'idempotency-key': ['591e9ed7-d378-4f94-b5c5-e44f76c09a80'],
    'content-type': ['application/json'],
    'content-digest': ['sha-256=:902oRgXmizmJQIgtAbu2gZsTcVrvq65N0AYqw04WgQo=:'],
    'signature-input': [
      'sig1=("@method" "@authority" "@path" "ucp-agent" "idempotency-key" "content-digest" "content-type");keyid="spck-key"'
    ],
    signature: ['sig1=:4Uajnk0TiAtenW1hVCzCZhnAxleQIehDSSJhWZqTUDY2PBHjdsE4K6PvsvouKkcPNNE36eH8SaZtRM6ZCUaunw==:']
  },
  key: {
    kid: 'spck-key',
    kty: 'EC',
    crv: 'P-256',
    x: 'uwb6hi8cVXkAXsrZ7YhTPHRpv_p8gf6wySvCtn4s3og',
    y: 'fRTTBsWMr5Wp7qqmGwmU5QkUMFtWM8NKhgF07JSDMlI'
  }
}

t.test('a request that another implementation signed', async t => {
  const request = {
    method: 'POST',
    authority: 'shop.example',
    target: '/ucp/carts',
    body: Buffer.from(CART),
    headers: FOREIGN.headers
  }
  accepts(t, 'as it is', request, FOREIGN.key)
  refuses(t, 'digest_mismatch', 'another body', { ...request, body: Buffer.from(CART.replace('2', '9')) }, FOREIGN.key)
  refuses(t, 'signature_invalid', 'another address', { ...request, target: '/ucp/carts/1' }, FOREIGN.key)
})

t.test('a request that is signed here, as another implementation would', async t => {
  for (const crv of ['P-256', 'P-384', 'Ed25519'] as const) {
    for (const request of [CREATE, GET, { ...GET, url: 'https://shop.example/ucp/carts/1' }]) {
      const { privateKey, jwk } = newSigner('k', crv)
      const key = JSON.stringify({ kid: 'k', ...privateKey.export({ format: 'jwk' }) })
      const headers: Record<string, string> = {
        ...request.headers,
        ...signRequest(arrived(request, request.headers), key, NOW)
      }
      accepts(t, `${crv} ${request.method}`, arrived(request, headers), jwk)
      if (crv !== 'Ed25519') continue
      // Of the same bytes it always makes the same signature.
      const [, list = ''] = /\((.*)\)/.exec(String(headers['signature-input'])) ?? []
      const components = list.split(' ')
      const keyFirst = signedHeaders(request, { privateKey, jwk }, { components, parameters: `;created=${SECONDS}` })
      t.equal(headers['signature-input'], keyFirst['signature-input'])
      t.equal(headers.signature, keyFirst.signature)
    }
  }
})

t.test('any algorithm and method, whatever else is covered', async t => {
  for (const crv of ['P-256', 'P-384', 'Ed25519'] as const) {
    for (const request of [CREATE, GET]) {
      const by = newSigner('k', crv)
      accepts(t, `${crv} ${request.method}`, ofSigner(request, by), { kid: 'other', kty: 'RSA' }, by.jwk)
    }
  }
  const { jwk } = signer
  const named = { ...jwk, alg: 'ES256', use: 'sig', key_ops: ['verify'] }
  accepts(t, 'a key that says what it is for', ofSigner(CREATE), named)
  accepts(t, 'with the algorithm', ofSigner(CREATE, signer, { parameters: ';alg="ecdsa-p256-sha256"' }), jwk)
  const empty = { ...GET, url: `${GET.url.split('?')[0]}` }
  accepts(t, 'no query', ofSigner(empty), jwk)
  const other = { ...CREATE, headers: { ...CREATE.headers, 'x-more': ' spaced ' } }
  const spaced = signedHeaders({ ...other, headers: { ...other.headers, 'x-more': 'spaced' } }, signer)
  accepts(t, 'white space', arrived(other, { ...spaced, 'x-more': ' spaced ' }), jwk)
  const twice = ofSigner({ ...CREATE, headers: { ...CREATE.headers, 'x-more': 'a, b' } })
  twice.headers['x-more'] = ['a', 'b']
  accepts(t, 'a header that is sent twice', twice, jwk)
})

t.test('the time of a signature, if it has one', async t => {
  const { jwk } = signer
  const at = (parameters: string) => ofSigner(CREATE, signer, { parameters })
  for (const good of [
    `;created=${SECONDS - 299}`,
    `;created=${SECONDS + 299}`,
    `;created=${SECONDS - 3600};expires=${SECONDS + 1}`
  ]) {
    accepts(t, good, at(good), jwk)
  }
  for (const bad of [
    `;created=${SECONDS - 301}`,
    `;created=${SECONDS + 301}`,
    `;created=${SECONDS};expires=${SECONDS - 1}`,
    `;expires=${SECONDS - 1}`,
    ';created="soon"',
    ';expires=never'
  ]) {
    refuses(t, 'signature_invalid', bad, at(bad), jwk)
  }
})

t.test('what is forged', async t => {
  const { jwk } = signer
  const stranger = newSigner()
  refuses(t, 'signature_invalid', "another's key under the same id", ofSigner(CREATE, stranger), jwk)
  refuses(t, 'key_not_found', 'a key that is not in the profile', ofSigner(CREATE, newSigner('key-2')), jwk)
  refuses(t, 'key_not_found', 'no keys', ofSigner(CREATE))
  refuses(t, 'key_not_found', 'a key for encryption', ofSigner(CREATE), { ...jwk, use: 'enc' })
  refuses(t, 'key_not_found', 'a key for other uses', ofSigner(CREATE), { ...jwk, key_ops: ['sign'] })
  refuses(t, 'algorithm_unsupported', 'an RSA key', ofSigner(CREATE), {
    kid: 'key-1',
    kty: 'RSA',
    n: 'AQAB',
    e: 'AQAB'
  })
  refuses(t, 'algorithm_unsupported', 'another curve', ofSigner(CREATE), { ...jwk, crv: 'secp256k1' })
  refuses(t, 'algorithm_unsupported', 'no algorithm', ofSigner(CREATE), { ...jwk, alg: 'none' })
  refuses(t, 'signature_invalid', 'a point off the curve', ofSigner(CREATE), { ...jwk, x: jwk.y })
  refuses(t, 'signature_invalid', 'half a key', ofSigner(CREATE), { ...jwk, x: undefined })
  refuses(
    t,
    'signature_invalid',
    'another algorithm',
    ofSigner(CREATE, signer, { parameters: ';alg="hmac-sha256"' }),
    jwk
  )
  refuses(t, 'signature_invalid', 'another purpose', ofSigner(CREATE, signer, { parameters: ';tag="payment"' }), jwk)

  const good = ofSigner(CREATE)
  refuses(t, 'digest_mismatch', 'another body', { ...good, body: Buffer.from('{}') }, jwk)
  refuses(t, 'digest_mismatch', 'no body', { ...good, body: Buffer.of() }, jwk)
  refuses(t, 'signature_invalid', 'another method', { ...good, method: 'PUT' }, jwk)
  refuses(t, 'signature_invalid', 'another host', { ...good, authority: 'other.example' }, jwk)
  refuses(t, 'signature_invalid', 'another cart', { ...ofSigner(GET), target: '/ucp/carts/2?full=1' }, jwk)
  refuses(t, 'signature_invalid', 'another query', { ...ofSigner(GET), target: '/ucp/carts/1?full=2' }, jwk)
  refuses(t, 'signature_invalid', 'a query that was not there', { ...good, target: '/ucp/carts?a=1' }, jwk)
  const withHeader = (name: string, ...values: string[]): SignedRequest => ({
    ...good,
    headers: { ...good.headers, [name]: values }
  })
  refuses(t, 'signature_invalid', 'another platform', withHeader('ucp-agent', 'profile="https://b.example/"'), jwk)
  refuses(t, 'signature_invalid', 'another key of idempotency', withHeader('idempotency-key', 'another'), jwk)
  refuses(t, 'signature_invalid', 'another type', withHeader('content-type', 'text/plain'), jwk)
  const digest = `sha-256=:${hash('sha256', '{}', 'base64')}:`
  refuses(
    t,
    'signature_invalid',
    'another body with its digest',
    { ...withHeader('content-digest', digest), body: Buffer.from('{}') },
    jwk
  )
  for (const weak of ['sha-512=:YQ==:', 'sha-256="abc"', 'sha-256=:YQ==:']) {
    const request = { ...CREATE, headers: { ...CREATE.headers, 'content-digest': weak } }
    refuses(t, 'digest_mismatch', weak, ofSigner(request), jwk)
  }
})

t.test('all that a signature has to cover', async t => {
  const { jwk } = signer
  const all = ['@method', '@authority', '@path', 'ucp-agent', 'content-type', 'idempotency-key', 'content-digest']
  for (const left of all) {
    const components = all.filter(name => name !== left).map(name => `"${name}"`)
    refuses(t, 'signature_invalid', `without ${left}`, ofSigner(CREATE, signer, { components }), jwk)
  }
  const components = ['@method', '@authority', '@path', 'ucp-agent'].map(name => `"${name}"`)
  refuses(t, 'signature_invalid', 'without @query', ofSigner(GET, signer, { components }), jwk)
  const quoted = all.map(name => `"${name}"`)
  const more = (component: string, value = '') =>
    ofSigner(CREATE, signer, { components: [...quoted, component], values: { [component]: value } })
  refuses(t, 'signature_invalid', 'twice', more('"@path"', '/ucp/carts'), jwk)
  refuses(t, 'signature_invalid', 'of an answer', more('"@status"', '200'), jwk)
  refuses(t, 'signature_invalid', 'of another request', more('"@method";req', 'POST'), jwk)
  refuses(t, 'signature_invalid', 'a header that is not there', more('"x-none"'), jwk)
  refuses(t, 'signature_invalid', 'a part of a header that is not there', more('"x-none";key="a"'), jwk)
  refuses(t, 'signature_invalid', 'a part that is not there', more('"ucp-agent";key="a"'), jwk)
  refuses(t, 'signature_invalid', 'a part of what has none', more('"content-type";key="a"'), jwk)
  refuses(t, 'signature_invalid', 'a part twice over', more('"ucp-agent";key="profile";sf'), jwk)
  refuses(t, 'signature_invalid', 'no name', more('5'), jwk)
  accepts(t, 'parts of headers', more('"ucp-agent";key="profile"', '"https://platform.example/profile.json"'), jwk)
})

t.test('headers that are no signature', async t => {
  const good = ofSigner(CREATE)
  const { 'signature-input': [input = ''] = [], signature: [signature = ''] = [] } = good.headers
  const cases: [code: string, name: string, input: string | undefined, signature: string | undefined][] = [
    ['signature_missing', 'neither', undefined, undefined],
    ['signature_missing', 'no input', undefined, signature],
    ['signature_missing', 'no signature', input, undefined],
    ['signature_missing', 'an empty dictionary', '', signature],
    ['signature_invalid', 'other labels', input, signature.replace('sig1', 'sig2')],
    ['signature_invalid', 'an input that is none', '((', signature],
    ['signature_invalid', 'a signature that is none', input, 'sig1=:'],
    ['signature_invalid', 'an input that is no list', 'sig1="a"', signature],
    ['signature_invalid', 'a signature that is a text', input, 'sig1="abc"'],
    ['signature_invalid', 'a signature that is a list', input, 'sig1=(:YQ==:)'],
    ['signature_invalid', 'too short', input, 'sig1=:YQ==:'],
    ['signature_invalid', 'empty', input, 'sig1=::']
  ]
  for (const [code, name, first, second] of cases) {
    const headers = {
      ...good.headers,
      'signature-input': first === undefined ? undefined : [first],
      signature: second === undefined ? undefined : [second]
    }
    refuses(t, code, name, { ...good, headers }, signer.jwk)
  }
  const der = createPublicKey({ key: signer.jwk, format: 'jwk' })
    .export({ type: 'spki', format: 'der' })
    .toString('base64')
  refuses(
    t,
    'signature_invalid',
    'other bytes',
    { ...good, headers: { ...good.headers, signature: [`sig1=:${der}:`] } },
    signer.jwk
  )
})

t.test('one good signature among several is enough, of the first four', async t => {
  const other = newSigner('key-2')
  const sign = (by: Signer, label: string) => signedHeaders(CREATE, by, { label })
  const together = (...signed: Record<string, string>[]) => {
    const join = (name: string) => signed.map(one => one[name]).join(', ')
    return arrived(CREATE, { ...signed[0], 'signature-input': join('signature-input'), signature: join('signature') })
  }
  accepts(t, 'the second', together(sign(other, 'a'), sign(signer, 'b')), signer.jwk)
  refuses(t, 'key_not_found', 'neither', together(sign(other, 'a'), sign(newSigner(), 'b')), signer.jwk)
  const many = ['a', 'b', 'c', 'd'].map(label => sign(other, label))
  refuses(t, 'key_not_found', 'the fifth', together(...many, sign(signer, 'e')), signer.jwk)
})

t.test('signatures that are for Web Bot Auth as well', async t => {
  const signer = newSigner('to be replaced', 'Ed25519')
  const { crv, kty, x } = signer.jwk
  signer.jwk.kid = hash('sha256', `{"crv":"${crv}","kty":"${kty}","x":"${x}"}`, 'base64url')
  const address = '"https://platform.example/profile.json";type=jwks_uri'
  const request = { ...CREATE, headers: { ...CREATE.headers, 'signature-agent': `sig1=${address}` } }
  const component = '"signature-agent";key="sig1"'
  const wanted = ['@method', '@authority', '@path', 'ucp-agent', 'idempotency-key', 'content-digest', 'content-type']
  const components = [...wanted.map(name => `"${name}"`), component]
  const signature = {
    components,
    values: { [component]: address },
    parameters: `;created=${SECONDS};expires=${SECONDS + 3600};tag="web-bot-auth"`
  }
  accepts(t, 'with its own member', ofSigner(request, signer, signature), signer.jwk)
  refuses(
    t,
    'signature_invalid',
    'without it',
    ofSigner(request, signer, { ...signature, components: components.slice(0, -1) }),
    signer.jwk
  )
  const other = { ...signer, jwk: { ...signer.jwk, kid: 'key-1' } }
  refuses(t, 'signature_invalid', 'a keyid that is no thumbprint', ofSigner(request, other, signature), other.jwk)
  const list = '("a" "b")'
  const listed = { ...CREATE, headers: { ...CREATE.headers, 'signature-agent': `sig1=${list}` } }
  accepts(t, 'a list', ofSigner(listed, signer, { ...signature, values: { [component]: list } }), signer.jwk)
})
