// What DATABASE_URL says of PostgreSQL, for the driver: as libpq understands it, whose sslmode means less than the driver's
// own.
import { OperatorError } from '../../errors.ts'

/** Ten servers have 80, of the 97 that PostgreSQL lets users have by default. */
const POOL_SIZE = 8

const SSL_MODES = ['disable', 'require', 'verify-ca', 'verify-full']

export type PostgresSettings = { connectionString: string; max: number }

/**
 * @param url as in DATABASE_URL
 * @param tls what libpq's variables say, for what the URL does not
 * @throws OperatorError
 */
export function readPostgresUrl(url: string, tls: Record<string, string | undefined> = {}): PostgresSettings {
  const parsed = parse(url)
  const { searchParams } = parsed
  const size = searchParams.get('pool_max_conns') ?? String(POOL_SIZE)
  if (!/^[1-9]\d{0,3}$/.test(size)) {
    throw new OperatorError(`pool_max_conns is "${size}"; it must be a whole number, at least 1`)
  }
  searchParams.delete('pool_max_conns')
  for (const [name, value] of Object.entries(tls)) {
    if (value && !searchParams.has(name)) searchParams.set(name, value)
  }
  checkTls(searchParams)
  searchParams.set('uselibpqcompat', 'true')
  return { connectionString: parsed.href, max: Number(size) }
}

/** The URL without what is secret, for messages: the password, and the parameters, which may have one too. */
export function shownPostgresUrl(url: string): string {
  const { username, host, pathname, searchParams } = parse(url)
  const at = searchParams.get('host') ?? host
  return `postgres://${username && `${username}@`}${at}${pathname}`
}

/** Without a host, `postgres://user@/shop?host=/run/postgresql` is no URL by today's standard, but libpq takes it. */
function parse(url: string): URL {
  return new URL(url.replace(/^([^?#]*@)(?=\/)/, '$1localhost'))
}

function checkTls(parameters: URLSearchParams): void {
  const mode = parameters.get('sslmode') ?? 'disable'
  if (!SSL_MODES.includes(mode)) {
    throw new OperatorError(`sslmode is "${mode}"; it must be one of ${SSL_MODES.join(', ')}`)
  }
  const root = parameters.get('sslrootcert')
  if (mode === 'verify-ca' && (root === null || root === 'system')) {
    throw new OperatorError('sslmode=verify-ca needs sslrootcert=FILE; with public authorities, use verify-full')
  }
  // The driver's default is Node's list of authorities.
  if (root === 'system') parameters.delete('sslrootcert')
  // The driver would take any of them for a wish for TLS.
  if (mode === 'disable') for (const name of ['sslrootcert', 'sslcert', 'sslkey']) parameters.delete(name)
}
