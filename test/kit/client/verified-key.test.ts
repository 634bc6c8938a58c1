// The key of a certificate that Node trusts, and what is said about one that it does not.
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import t from 'tap'
import { sendRequest } from '../../../src/kit/client/send-request.ts'
import { verifiedKey } from '../../../src/kit/client/verified-key.ts'
import { listen } from '../../listen.ts'
import { AUTHORITY, startTlsServer } from '../certificates/tls-server.ts'

t.test('a certificate is trusted if Node trusts it', async t => {
  const origin = await startTlsServer(t)
  await t.rejects(verifiedKey(`${origin}/cart`, 5000), {
    message: new RegExp(
      `^the certificate of ${origin} is not trusted \\(UNABLE_TO_VERIFY_LEAF_SIGNATURE\\).*NODE_EXTRA_CA_CERTS=`
    )
  })
  const known = getCACertificates('default')
  t.teardown(() => setDefaultCACertificates(known))
  setDefaultCACertificates([...known, AUTHORITY])
  t.match(await verifiedKey(`${origin}/cart`, 5000), /^[A-Za-z0-9+/]{43}=$/)
  t.equal(await verifiedKey(origin.replace('127.0.0.1', 'localhost'), 5000), await verifiedKey(origin, 5000))
  const { status } = await sendRequest({ method: 'GET', url: origin.replace('127.0.0.1', 'localhost'), headers: [] })
  t.equal(status, 404)
})

t.test('without TLS, or without a connection, there is none', async t => {
  t.equal(await verifiedKey('http://127.0.0.1:9/cart', 5000), undefined)
  t.equal(await verifiedKey('https://[::1]:9/cart', 5000), undefined)
  t.equal(await verifiedKey('https://shop.invalid/cart', 5000), undefined)
  const { origin } = await listen(t, () => {})
  t.equal(await verifiedKey(origin.replace('http:', 'https:'), 5000), undefined)
})
