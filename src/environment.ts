// The environment, read and checked in one place: where to listen, where to store, how much to log, how to stop.
import { isIP } from 'node:net'
import { OperatorError } from './errors.ts'

/** The path of an SQLite file, or the URL of a PostgreSQL with what libpq's own variables say of TLS. */
export type DatabaseAddress =
  | { kind: 'sqlite'; file: string }
  | { kind: 'postgres'; url: string; tls: Record<string, string | undefined> }

export type Environment = {
  host: string
  /** 0 lets the system choose. */
  port: number
  /** Where /metrics is served, on the same host; 0 lets the system choose. If absent, nothing is metered. */
  metricsPort?: number
  /** If absent, nothing is traced. */
  tracing?: TracingSettings
  database: DatabaseAddress
  logLevel: string
  /** Whether there is a simulator page; if absent, the merchants' addresses decide. */
  simulator?: 'on' | 'off'
  /** How long new requests are still answered after SIGTERM, in seconds. */
  drainSeconds: number
  /** How many requests an address may send in a minute; if absent, any number. */
  rateLimit?: number
  /** Addresses and networks of proxies whose X-Forwarded-For is believed. */
  trustedProxies: string[]
  /** The path of a Chromium. */
  chromium?: string
  /** The folder that paths on the command line are relative to; npm changes the current one. */
  startedIn: string
  isNpmScript: boolean
}

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']

/** What is wrong with the environment: of every invalid variable its name, its value and what would be right, a line each. */
export class EnvironmentError extends OperatorError {}

/** Merchant files name the variable that holds a secret, never the secret. */
export function readSecret(name: string): string | undefined {
  return process.env[name]
}

/**
 * Sets the variables that the file `.env` has, if there is one in the current folder, which npm makes the project's. What
 * is set already stays.
 * @throws EnvironmentError if it cannot be read
 */
export function loadEnvFile(): void {
  try {
    process.loadEnvFile()
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code !== 'ENOENT') throw new EnvironmentError(`.env cannot be read: ${message}`)
  }
}

/** @throws EnvironmentError */
export function readEnvironment(variables: Record<string, string | undefined> = process.env): Environment {
  const mistakes: string[] = []
  const {
    HOST = '127.0.0.1',
    PORT = '3000',
    METRICS_PORT,
    DATABASE_URL = 'sqlite:data/cart-transfer.sqlite',
    LOG_LEVEL = 'info',
    SIMULATOR,
    DRAIN_SECONDS = '5',
    RATE_LIMIT,
    TRUSTED_PROXIES = '',
    CHROMIUM
  } = variables
  const trustedProxies = TRUSTED_PROXIES.trim().split(/ *, */).filter(Boolean)
  const database = readDatabaseUrl(DATABASE_URL, variables)
  const refuse = (name: string, value: string, right: string) =>
    mistakes.push(`${name} is ${JSON.stringify(value)}; it must be ${right}`)

  if (!isIP(HOST) && !/^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/i.test(HOST)) refuse('HOST', HOST, 'an address or a host name')
  if (!isPort(PORT)) refuse('PORT', PORT, 'a whole number from 0 to 65535')
  if (METRICS_PORT !== undefined && !isPort(METRICS_PORT)) {
    refuse('METRICS_PORT', METRICS_PORT, 'a whole number from 0 to 65535')
  } else if (METRICS_PORT !== undefined && Number(METRICS_PORT) === Number(PORT) && Number(PORT) > 0) {
    refuse('METRICS_PORT', METRICS_PORT, 'another port than PORT')
  }
  if (DATABASE_URL === 'sqlite::memory:') {
    refuse('DATABASE_URL', DATABASE_URL, '"sqlite:" and the path of a file; nothing can be kept in memory')
  } else if (!database) {
    // What follows may have a password.
    refuse('DATABASE_URL', DATABASE_URL.replace(/:.*/s, ':…'), DATABASE_URLS)
  }
  if (!LOG_LEVELS.includes(LOG_LEVEL)) refuse('LOG_LEVEL', LOG_LEVEL, `one of ${LOG_LEVELS.join(', ')}`)
  if (SIMULATOR !== undefined && SIMULATOR !== 'on' && SIMULATOR !== 'off') {
    refuse('SIMULATOR', SIMULATOR, '"on" or "off"')
  }
  if (!/^\d{1,2}$/.test(DRAIN_SECONDS) || Number(DRAIN_SECONDS) > 60) {
    refuse('DRAIN_SECONDS', DRAIN_SECONDS, 'a whole number from 0 to 60')
  }
  if (RATE_LIMIT !== undefined && !/^[1-9]\d{0,6}$/.test(RATE_LIMIT)) {
    refuse('RATE_LIMIT', RATE_LIMIT, 'a whole number of requests a minute, at least 1')
  }
  if (!trustedProxies.every(isNetwork)) {
    refuse(
      'TRUSTED_PROXIES',
      TRUSTED_PROXIES,
      'addresses or networks with commas between them, such as "10.0.0.0/8,::1"'
    )
  }
  const tracing = readTracing(variables, refuse)
  if (mistakes.length > 0) throw new EnvironmentError(mistakes.join('\n'))
  return {
    host: HOST,
    port: Number(PORT),
    ...(METRICS_PORT !== undefined && { metricsPort: Number(METRICS_PORT) }),
    ...(tracing && { tracing }),
    database: database as DatabaseAddress,
    logLevel: LOG_LEVEL,
    ...(SIMULATOR && { simulator: SIMULATOR as 'on' | 'off' }),
    drainSeconds: Number(DRAIN_SECONDS),
    ...(RATE_LIMIT && { rateLimit: Number(RATE_LIMIT) }),
    trustedProxies,
    ...(CHROMIUM && { chromium: CHROMIUM }),
    startedIn: variables.INIT_CWD ?? process.cwd(),
    isNpmScript: variables.npm_lifecycle_event !== undefined
  }
}

function isPort(text: string): boolean {
  return /^\d{1,5}$/.test(text) && Number(text) <= 65_535
}

const DATABASE_URLS =
  '"sqlite:" and a path, such as "sqlite:data/shop.sqlite", or such as "postgres://user:password@host:5432/shop"'

/**
 * @param url as in DATABASE_URL
 * @param variables libpq's, for what the URL does not say
 * @returns undefined if it is neither
 */
export function readDatabaseUrl(
  url: string,
  variables: Record<string, string | undefined> = process.env
): DatabaseAddress | undefined {
  if (/^sqlite:./.test(url)) return { kind: 'sqlite', file: url.slice('sqlite:'.length) }
  // A PostgreSQL whose host is a folder with a socket has no host where URLs have theirs.
  const isPostgres = /^postgres(ql)?:\/\//.test(url) && URL.canParse(url.replace(/^([^?#]*@)(?=\/)/, '$1localhost'))
  if (!isPostgres) return undefined
  const { PGSSLMODE: sslmode, PGSSLROOTCERT: sslrootcert, PGSSLCERT: sslcert, PGSSLKEY: sslkey } = variables
  return { kind: 'postgres', url, tls: { sslmode, sslrootcert, sslcert, sslkey } }
}

/** An address, or a network in CIDR notation. */
function isNetwork(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/')
  const version = isIP(address)
  if (version === 0 || rest.length > 0) return false
  return bits === undefined || (/^[1-9]\d{0,2}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128))
}

export type TracingSettings = {
  sampler: TracesSampler
  /** From 0 to 1: for the samplers that keep a share. */
  ratio: number
  batch: {
    scheduledDelayMillis?: number
    exportTimeoutMillis?: number
    maxQueueSize?: number
    maxExportBatchSize?: number
  }
}

const SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio'
] as const

export type TracesSampler = (typeof SAMPLERS)[number]

const ENDPOINTS = ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'OTEL_EXPORTER_OTLP_ENDPOINT']

const PROTOCOLS = ['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', 'OTEL_EXPORTER_OTLP_PROTOCOL']

const BATCH = {
  OTEL_BSP_SCHEDULE_DELAY: 'scheduledDelayMillis',
  OTEL_BSP_EXPORT_TIMEOUT: 'exportTimeoutMillis',
  OTEL_BSP_MAX_QUEUE_SIZE: 'maxQueueSize',
  OTEL_BSP_MAX_EXPORT_BATCH_SIZE: 'maxExportBatchSize'
} as const

/**
 * An empty variable counts as absent, as OpenTelemetry has it.
 * @returns undefined if nothing is traced
 */
export function readTracing(
  variables: Record<string, string | undefined>,
  refuse: (name: string, value: string, right: string) => void
): TracingSettings | undefined {
  const endpoints = ENDPOINTS.filter(name => variables[name])
  const isOff = variables.OTEL_SDK_DISABLED?.toLowerCase() === 'true' || variables.OTEL_TRACES_EXPORTER === 'none'
  if (endpoints.length === 0 || isOff) return undefined

  for (const name of endpoints) {
    const value = String(variables[name])
    if (!/^https?:$/.test(URL.parse(value)?.protocol ?? '')) {
      refuse(name, value, 'an http or https address, such as "http://127.0.0.1:4318"')
    }
  }
  for (const name of PROTOCOLS) {
    const value = variables[name]
    if (value && value !== 'http/protobuf') refuse(name, value, '"http/protobuf"')
  }
  const { OTEL_TRACES_SAMPLER, OTEL_TRACES_SAMPLER_ARG } = variables
  const sampler = SAMPLERS.find(name => name === (OTEL_TRACES_SAMPLER || 'parentbased_always_on'))
  if (!sampler) refuse('OTEL_TRACES_SAMPLER', String(OTEL_TRACES_SAMPLER), `one of ${SAMPLERS.join(', ')}`)
  const ratio = Number(OTEL_TRACES_SAMPLER_ARG || 1)
  if (!(ratio >= 0 && ratio <= 1)) {
    refuse('OTEL_TRACES_SAMPLER_ARG', String(OTEL_TRACES_SAMPLER_ARG), 'a number from 0 to 1')
  }
  const batch: TracingSettings['batch'] = {}
  for (const [name, setting] of Object.entries(BATCH)) {
    const value = variables[name]
    if (!value) continue
    if (!/^[1-9]\d{0,8}$/.test(value)) refuse(name, value, 'a whole number, at least 1')
    batch[setting] = Number(value)
  }
  return sampler && { sampler, ratio, batch }
}
