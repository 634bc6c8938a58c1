// The environment, read and checked in one place.
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { resolve } from 'node:path'
import { getSystemErrorMessage } from 'node:util'
import { OperatorError } from './errors.ts'
import { bearerToken, type SecretFormat } from './secrets.ts'

/** `tls` is what libpq's own variables say. */
export type DatabaseAddress =
  | { kind: 'sqlite'; file: string }
  | { kind: 'postgres'; url: string; tls: Record<string, string | undefined> }

export type Environment = ReturnType<typeof readEnvironment>

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const

export type Variables = Record<string, string | undefined>

type Found = { place: string; text: string | undefined; isFile: boolean }

/**
 * What a variable holds, or the file whose path is in `NAME_FILE`, without one line end.
 * @throws OperatorError that says what is wrong with the file, and nothing that is in it
 */
function findText(name: string, variables: Variables): Found {
  const { [name]: text, [`${name}_FILE`]: file } = variables
  // Set to nothing, neither counts beside the other.
  if (!file) return { place: `the environment variable ${name}`, text, isFile: false }
  if (text) throw new OperatorError(`${name} and ${name}_FILE are both set; keep one of them`)
  const place = `the file ${JSON.stringify(resolve(file))}, which ${name}_FILE names,`
  try {
    const read = readFileSync(file, 'utf8').replace(/\r?\n$/, '')
    if (read) return { place, text: read, isFile: true }
  } catch (error) {
    const why = getSystemErrorMessage(Number((error as NodeJS.ErrnoException).errno))
    throw new OperatorError(`${place} cannot be read: ${why}; give the path of a file that this user may read`)
  }
  throw new OperatorError(`${place} is empty; put into it what ${name} would hold`)
}

/** @throws OperatorError that says what is wrong and what would be right, and does not reveal the secret */
export function readSecret(
  name: string,
  { name: kind, right, isValid }: SecretFormat,
  variables: Variables = process.env
): string {
  const { place, text = '' } = findText(name, variables)
  if (isValid(text)) return text
  const orFile = `, or set ${name}_FILE to the path of a file with it`
  if (!text) throw new OperatorError(`${place} is not set; give it ${right}${orFile}`)
  const found = text === text.trim() ? `is not ${kind}` : 'has white space at its start or end'
  throw new OperatorError(`${place} ${found}; give it ${right}`)
}

/** @returns that of SIMULATOR_KEY, or a new one @throws OperatorError */
export function readSimulatorKey(variables: Variables = process.env): string {
  const isSet = variables.SIMULATOR_KEY || variables.SIMULATOR_KEY_FILE
  if (!isSet) return randomBytes(24).toString('hex')
  return readSecret('SIMULATOR_KEY', { ...bearerToken, name: 'a key' }, variables)
}

/** Variables that are set already keep their values. @throws OperatorError if there is a `.env` that cannot be read */
export function loadEnvFile(): void {
  try {
    process.loadEnvFile()
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code !== 'ENOENT') throw new OperatorError(`.env cannot be read: ${message}`)
  }
}

/** What a variable may be, in words, and its value; undefined if a text is not of the kind. */
type Kind<T> = { right: string; read: (text: string) => T | undefined }

function integerOf(least: number, most: number, right = `a whole number from ${least} to ${most}`): Kind<number> {
  const digits = least === 0 ? /^\d+$/ : /^[1-9]\d*$/
  const isValid = (text: string) => digits.test(text) && Number(text) >= least && Number(text) <= most
  return { right, read: text => (isValid(text) ? Number(text) : undefined) }
}

function oneOf<T extends string>(values: readonly T[], right = `one of ${values.join(', ')}`): Kind<T> {
  return { right, read: text => values.find(value => value === text) }
}

const PORT = integerOf(0, 65_535)

const REQUESTS_A_MINUTE = integerOf(1, 9_999_999, 'a whole number of requests a minute, at least 1')

const HOST: Kind<string> = {
  right: 'an address or a host name',
  read: text => (isIP(text) || /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/i.test(text) ? text : undefined)
}

const PROXIES: Kind<string[]> = {
  right: 'addresses or networks with commas between them, such as "10.0.0.0/8,::1"',
  read: text => {
    const networks = text.trim().split(/ *, */).filter(Boolean)
    return networks.every(isNetwork) ? networks : undefined
  }
}

/** An address, or a network in CIDR notation. */
function isNetwork(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/')
  const version = isIP(address)
  if (version === 0 || rest.length > 0) return false
  return bits === undefined || (/^[1-9]\d{0,2}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128))
}

const mistakeOf = (name: string, value: string, right: string) =>
  `${name} is ${JSON.stringify(value)}; it must be ${right}`

/** Mistakes are collected in `mistakes`; with any of them, nothing that was read is used. */
function readerOf(variables: Variables, mistakes: string[]) {
  return <T, D>(name: string, { right, read }: Kind<T>, absent: D): T | D => {
    const text = variables[name]
    if (text === undefined) return absent
    const value = read(text)
    if (value === undefined) mistakes.push(mistakeOf(name, text, right))
    return value ?? absent
  }
}

/** @throws OperatorError with the name and the value of every invalid variable, and what would be right, a line each */
export function readEnvironment(variables: Variables = process.env) {
  const mistakes: string[] = []
  const read = readerOf(variables, mistakes)
  const refuse = (...wrong: Parameters<typeof mistakeOf>) => mistakes.push(mistakeOf(...wrong))
  const host = read('HOST', HOST, '127.0.0.1')
  const port = read('PORT', PORT, 3000)
  const metricsPort = read('METRICS_PORT', PORT, undefined)
  if (metricsPort === port && port > 0) refuse('METRICS_PORT', String(metricsPort), 'another port than PORT')
  const database = readDatabase(variables, mistakes)
  const environment = {
    host,
    port,
    metricsPort,
    database: database as DatabaseAddress,
    logLevel: read('LOG_LEVEL', oneOf(LOG_LEVELS), 'info'),
    logFormat: read('LOG_FORMAT', oneOf(['json', 'text'] as const, '"json" or "text"'), undefined),
    simulator: read('SIMULATOR', oneOf(['on', 'off'] as const, '"on" or "off"'), undefined),
    drainSeconds: read('DRAIN_SECONDS', integerOf(0, 60), 5),
    bodyMemoryMb: read('BODY_MEMORY_MB', integerOf(16, 65_536), 128),
    rateLimit: read('RATE_LIMIT', REQUESTS_A_MINUTE, undefined),
    trustedProxies: read('TRUSTED_PROXIES', PROXIES, []),
    tracing: readTracing(variables, mistakes),
    chromium: variables.CHROMIUM || undefined,
    // Paths on the command line are relative to this folder; npm changes the current one.
    startedIn: variables.INIT_CWD ?? process.cwd(),
    isNpmScript: variables.npm_lifecycle_event !== undefined
  }
  if (mistakes.length > 0) throw new OperatorError(mistakes.join('\n'))
  return environment
}

const DATABASE_URLS =
  '"sqlite:" and a path, such as "sqlite:data/shop.sqlite", or such as "postgres://user:password@host:5432/shop"'

function readDatabase(variables: Variables, mistakes: string[]): DatabaseAddress | undefined {
  try {
    const { place, text = 'sqlite:data/cart-transfer.sqlite', isFile } = findText('DATABASE_URL', variables)
    const isInMemory = text === 'sqlite::memory:'
    const database = isInMemory ? undefined : readDatabaseUrl(text, variables)
    if (database) return database
    const right = isInMemory ? '"sqlite:" and the path of a file; nothing can be kept in memory' : DATABASE_URLS
    // What follows a colon may have a password, and a file anything.
    const shown = isInMemory ? text : text.replace(/:.*/s, ':…')
    mistakes.push(isFile ? `${place} does not hold ${right}` : mistakeOf('DATABASE_URL', shown, right))
  } catch (error) {
    mistakes.push((error as OperatorError).message)
  }
  return undefined
}

/** @returns undefined if it is neither */
export function readDatabaseUrl(url: string, variables: Variables = process.env): DatabaseAddress | undefined {
  if (/^sqlite:./.test(url)) return { kind: 'sqlite', file: url.slice('sqlite:'.length) }
  // A PostgreSQL whose host is a folder with a socket has no host where URLs have theirs.
  const isPostgres = /^postgres(ql)?:\/\//.test(url) && URL.canParse(url.replace(/^([^?#]*@)(?=\/)/, '$1localhost'))
  if (!isPostgres) return undefined
  const { PGSSLMODE: sslmode, PGSSLROOTCERT: sslrootcert, PGSSLCERT: sslcert, PGSSLKEY: sslkey } = variables
  return { kind: 'postgres', url, tls: { sslmode, sslrootcert, sslcert, sslkey } }
}

export type TracingSettings = {
  sampler: (typeof SAMPLERS)[number]
  /** From 0 to 1: for the samplers that keep a share. */
  ratio: number
  batch: Partial<Record<keyof typeof BATCH, number>>
}

const SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio'
] as const

const ADDRESS: Kind<string> = {
  right: 'an http or https address, such as "http://127.0.0.1:4318"',
  read: text => (/^https?:$/.test(URL.parse(text)?.protocol ?? '') ? text : undefined)
}

const RATIO: Kind<number> = {
  right: 'a number from 0 to 1',
  read: text => (Number(text) >= 0 && Number(text) <= 1 ? Number(text) : undefined)
}

const BATCH = {
  scheduledDelayMillis: 'OTEL_BSP_SCHEDULE_DELAY',
  exportTimeoutMillis: 'OTEL_BSP_EXPORT_TIMEOUT',
  maxQueueSize: 'OTEL_BSP_MAX_QUEUE_SIZE',
  maxExportBatchSize: 'OTEL_BSP_MAX_EXPORT_BATCH_SIZE'
}

/** An empty variable counts as absent, as OpenTelemetry has it. @returns undefined if nothing is traced */
function readTracing(variables: Variables, mistakes: string[]): TracingSettings | undefined {
  const given = Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== ''))
  const read = readerOf(given, mistakes)
  const isOff = given.OTEL_SDK_DISABLED?.toLowerCase() === 'true' || given.OTEL_TRACES_EXPORTER === 'none'
  const endpoints = ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'OTEL_EXPORTER_OTLP_ENDPOINT'].filter(name => name in given)
  if (isOff || endpoints.length === 0) return undefined

  for (const name of endpoints) read(name, ADDRESS, undefined)
  for (const name of ['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', 'OTEL_EXPORTER_OTLP_PROTOCOL']) {
    read(name, oneOf(['http/protobuf'], '"http/protobuf"'), undefined)
  }
  const atLeastOne = integerOf(1, 999_999_999, 'a whole number, at least 1')
  const batch = Object.entries(BATCH).map(([setting, name]) => [setting, read(name, atLeastOne, undefined)])
  return {
    sampler: read('OTEL_TRACES_SAMPLER', oneOf(SAMPLERS), 'parentbased_always_on'),
    ratio: read('OTEL_TRACES_SAMPLER_ARG', RATIO, 1),
    batch: Object.fromEntries(batch.filter(([, value]) => value !== undefined))
  }
}
