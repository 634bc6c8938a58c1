// What proves the platform's servers to a site.
import t from 'tap'
import { proveSender } from '../../../src/kit/client/prove-sender.ts'
import { verifySignature } from '../../../src/ucp/signature.ts'
import { newSigner } from '../../ucp/sign-request.ts'

t.test('a signature covers all of the address, host and query too', async t => {
  const now = new Date('2026-11-29T12:00:00Z')
  const { privateKey, jwk } = newSigner()
  const value = JSON.stringify({ kid: jwk.kid, ...privateKey.export({ format: 'jwk' }) })
  const url = 'https://Shop.example:443/ucp/carts?shop=1'
  const request = {
    method: 'POST',
    url,
    headers: [
      { name: 'UCP-Agent', value: 'profile="https://me.example/"' },
      { name: 'Content-Type', value: 'application/json' }
    ],
    body: '{}'
  }
  const { sent, shown } = proveSender(request, { type: 'signature', variable: 'KEY', value }, now)
  t.equal(sent, shown, 'there is no secret in it')
  const arrived = (target: string, authority = 'shop.example') => ({
    method: 'POST',
    authority,
    target,
    headers: Object.fromEntries(sent.headers.map(({ name, value }) => [name.toLowerCase(), [value]])),
    body: Buffer.from('{}')
  })
  t.doesNotThrow(() => verifySignature(arrived('/ucp/carts?shop=1'), [jwk], now))
  for (const other of [
    arrived('/ucp/carts?shop=2'),
    arrived('/ucp/carts'),
    arrived('/ucp/carts?shop=1', 'b.example')
  ]) {
    t.throws(() => verifySignature(other, [jwk], now), { code: 'signature-invalid' })
  }
})
