// The store in PostgreSQL, which any number of servers share. No process caches what may change: what one server has
// stored, the next request finds at any other.
import type { Pool } from 'pg'
import { OperatorError, StoreUnavailable } from '../../errors.ts'
import { type Store, storeIn } from '../store.ts'
import { type Connections, connectionsOf, driverReason, sqlState } from './connections.ts'
import { addInGroups } from './group-inserts.ts'
import { migratePostgres } from './postgres-schema.ts'

/** How long a statement may take, in milliseconds. */
const TIMEOUT = 5000

/** How long connecting may take, in milliseconds. */
const CONNECT_TIMEOUT = 5000

/** Ten servers have 80, of the 97 that PostgreSQL lets users have by default. */
const POOL_SIZE = 8

const SSL_MODES = ['disable', 'require', 'verify-ca', 'verify-full']

/** SQLSTATE classes that waiting does not cure: the user or the database's name is wrong. */
const REFUSED = /^(28|3D)/

export type PostgresOptions = {
  /** How long a statement may take, in milliseconds. */
  timeout?: number
  /** Whether a server must have used it before. */
  isExisting?: boolean
  /** Told of every commit, and how long it took, in milliseconds. */
  onCommit?: (duration: number) => void
  /** Told which database it is, without its password, and whether this created its tables. */
  onOpened?: (database: string, isNew: boolean) => void
}

/**
 * Connects to a database, and migrates it to the newest schema.
 * @param tls what libpq's variables say of TLS
 * @throws OperatorError without the password; StoreUnavailable if it may be reached later
 */
export async function connectPostgres(
  url: string,
  tls?: Record<string, string | undefined>,
  options: PostgresOptions = {}
): Promise<Connections> {
  const { timeout = TIMEOUT, isExisting = false, onCommit, onOpened } = options
  const shown = shownPostgresUrl(url)
  try {
    const connections = connectionsOf(await poolOf(readPostgresUrl(url, tls), timeout), onCommit)
    try {
      const isNew = await connections.session(run => migratePostgres(run, { isExisting }))
      onOpened?.(shown, isNew)
    } catch (error) {
      await connections.close()
      throw error
    }
    return connections
  } catch (error) {
    const { cause = error } = error as Error
    const reason = `${shown}: ${driverReason(cause)}`
    const isTransient = error instanceof StoreUnavailable && !REFUSED.test(String(sqlState(cause)))
    throw isTransient ? new StoreUnavailable(reason) : new OperatorError(reason)
  }
}

/** As `connectPostgres`. */
export async function openPostgres(
  url: string,
  tls?: Record<string, string | undefined>,
  options: PostgresOptions = {}
): Promise<Store> {
  const connections = await connectPostgres(url, tls, options)
  const pending = new Set<Promise<unknown>>()
  let isClosing = false
  /** Runs a call to its end before the store closes, and none afterwards. */
  const guard: Connections['guard'] = async call => {
    if (isClosing) throw new StoreUnavailable('the store is closed')
    const running = connections.guard(call)
    pending.add(running)
    try {
      return await running
    } finally {
      pending.delete(running)
    }
  }
  const close = async () => {
    isClosing = true
    await Promise.allSettled(pending)
    await connections.close()
  }
  const addCheckout = addInGroups(connections, options.timeout ?? TIMEOUT)
  return storeIn({ ...connections, guard, close }, { addCheckout })
}

async function poolOf(settings: ReturnType<typeof readPostgresUrl>, timeout: number): Promise<Pool> {
  const { default: pg } = await import('pg')
  const config = {
    ...settings,
    fallback_application_name: 'cart-transfer',
    connectionTimeoutMillis: Math.min(timeout, CONNECT_TIMEOUT),
    idleTimeoutMillis: 60_000,
    maxLifetimeSeconds: 30 * 60,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    // The server's own limits come first: they say what happened, and leave the connection usable.
    statement_timeout: timeout * 0.8,
    lock_timeout: timeout * 0.6,
    idle_in_transaction_session_timeout: timeout,
    query_timeout: timeout
  }
  // Reads the certificate files that the URL names, and throws if something is wrong with them.
  new pg.Client(config)
  return new pg.Pool(config)
}

/**
 * What DATABASE_URL says, for the driver: as libpq understands it, whose sslmode means less than the driver's own.
 * @param tls what libpq's variables say, for what the URL does not
 * @throws OperatorError
 */
export function readPostgresUrl(
  url: string,
  tls: Record<string, string | undefined> = {}
): { connectionString: string; max: number } {
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

/** Without a host, `postgres://user@/shop?host=/run/postgresql` is not a URL by today's standard, but libpq accepts it. */
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
  // The driver would take any of them as a request for TLS.
  if (mode === 'disable') for (const name of ['sslrootcert', 'sslcert', 'sslkey']) parameters.delete(name)
}
