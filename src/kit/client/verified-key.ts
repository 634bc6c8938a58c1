// The certificate of a site, verified as Node does it. Chromium reads neither NODE_EXTRA_CA_CERTS nor Node's other
// settings, so what Node trusts has to be passed on to it.
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { isIP } from 'node:net'
import { connect } from 'node:tls'
import { OperatorError } from '../../errors.ts'
import { hostOf } from './send-request.ts'

/** What to do about a certificate that is not trusted. */
export function untrusted(origin: string, reason: string): OperatorError {
  return new OperatorError(
    `the certificate of ${origin} is not trusted (${reason}), so nothing was judged. If it comes from an authority of your own, name that authority's certificate (a PEM file): NODE_EXTRA_CA_CERTS=authority.pem npm run conform -- …`
  )
}

/**
 * @param limit how long the connection may take, in milliseconds
 * @returns the SHA-256 of the public key (SPKI) in base64, as Chromium lists keys; undefined without TLS or connection
 * @throws OperatorError if the certificate is not trusted
 */
export async function verifiedKey(url: string, limit: number): Promise<string | undefined> {
  const address = new URL(url)
  if (address.protocol !== 'https:') return undefined
  const host = hostOf(address)
  // SNI takes names only.
  const servername = isIP(host) ? '' : host
  const socket = connect({ host, port: Number(address.port || 443), servername, rejectUnauthorized: false })
  // The first request will meet whatever goes wrong here, too, and say so.
  await once(socket, 'secureConnect', { signal: AbortSignal.timeout(limit) }).catch(() => undefined)
  const key = socket.getPeerX509Certificate()?.publicKey
  const { authorized, authorizationError } = socket
  socket.destroy()
  if (!key) return undefined
  if (!authorized) throw untrusted(address.origin, String(authorizationError))
  return createHash('sha256')
    .update(key.export({ type: 'spki', format: 'der' }))
    .digest('base64')
}
