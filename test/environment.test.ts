// The environment variables: what is accepted, what is refused, and that a refusal says what would be right.
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { loadEnvFile, readEnvironment, readSecret, readSimulatorKey } from '../src/environment.ts'
import { OperatorError } from '../src/errors.ts'
import { bearerToken, webhookSecret } from '../src/secrets.ts'

/** Without an address, what else concerns traces is not read. */
const TRACED = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' }

t.test('an empty environment gives the defaults', async t => {
  t.strictSame(readEnvironment({}), {
    host: '127.0.0.1',
    port: 3000,
    metricsPort: undefined,
    database: { kind: 'sqlite', file: 'data/cart-transfer.sqlite' },
    logLevel: 'info',
    logFormat: undefined,
    simulator: undefined,
    drainSeconds: 5,
    bodyMemoryMb: 128,
    rateLimit: undefined,
    trustedProxies: [],
    tracing: undefined,
    chromium: undefined,
    startedIn: process.cwd(),
    isNpmScript: false
  })
})

t.test('.env of the current folder sets what is not set, and need not be there', async t => {
  const folder = t.testdir({ '.env': '# A shop\nOF_THE_FILE="from the file"\nSET_BEFORE=file\n' })
  const before = process.cwd()
  t.teardown(() => process.chdir(before))
  process.chdir(folder)
  process.env.SET_BEFORE = 'before'
  loadEnvFile()
  t.match(process.env, { OF_THE_FILE: 'from the file', SET_BEFORE: 'before' })
  rmSync('.env')
  loadEnvFile()
  mkdirSync('.env')
  t.throws(loadEnvFile, { name: 'Error', message: /^\.env cannot be read: / })
})

t.test('every valid value is used unchanged', async t => {
  const cases: [variable: string, value: string, read: object][] = [
    ['HOST', '::', { host: '::' }],
    ['HOST', 'shop-1.internal.example', { host: 'shop-1.internal.example' }],
    ['PORT', '0', { port: 0 }],
    ['PORT', '65535', { port: 65_535 }],
    ['METRICS_PORT', '0', { metricsPort: 0 }],
    ['DATABASE_URL', 'sqlite:shop.sqlite', { database: { kind: 'sqlite', file: 'shop.sqlite' } }],
    ['DATABASE_URL', 'sqlite:/var/lib/a:b.sqlite', { database: { kind: 'sqlite', file: '/var/lib/a:b.sqlite' } }],
    ['LOG_LEVEL', 'debug', { logLevel: 'debug' }],
    ['LOG_LEVEL', 'silent', { logLevel: 'silent' }],
    ['LOG_FORMAT', 'json', { logFormat: 'json' }],
    ['LOG_FORMAT', 'text', { logFormat: 'text' }],
    ['CHROMIUM', '/opt/chrome', { chromium: '/opt/chrome' }],
    ['CHROMIUM', '', {}],
    ['SIMULATOR', 'on', { simulator: 'on' }],
    ['SIMULATOR', 'off', { simulator: 'off' }],
    ['DRAIN_SECONDS', '0', { drainSeconds: 0 }],
    ['DRAIN_SECONDS', '60', { drainSeconds: 60 }],
    ['BODY_MEMORY_MB', '16', { bodyMemoryMb: 16 }],
    ['RATE_LIMIT', '600', { rateLimit: 600 }],
    ['TRUSTED_PROXIES', '', { trustedProxies: [] }],
    ['TRUSTED_PROXIES', '127.0.0.1,10.0.0.0/8,fd00::/8', { trustedProxies: ['127.0.0.1', '10.0.0.0/8', 'fd00::/8'] }],
    ['TRUSTED_PROXIES', ' 127.0.0.1, 10.0.0.0/8 ,::1 ', { trustedProxies: ['127.0.0.1', '10.0.0.0/8', '::1'] }],
    ['INIT_CWD', '/home/me', { startedIn: '/home/me' }],
    ['npm_lifecycle_event', 'start', { isNpmScript: true }]
  ]
  for (const [variable, value, read] of cases) {
    t.strictSame(readEnvironment({ [variable]: value }), { ...readEnvironment({}), ...read }, `${variable}=${value}`)
  }
})

t.test('an invalid variable is reported with its value and what would be right', async t => {
  const database = '"sqlite:data/shop.sqlite", or such as "postgres://user:password@host:5432/shop"'
  const port = 'a whole number from 0 to 65535'
  const address = 'an http or https address, such as "http://127.0.0.1:4318"'
  const ofParent = ['always_on', 'always_off', 'traceidratio'].map(sampler => `parentbased_${sampler}`)
  const cases: [variable: string, right: string, values: string[]][] = [
    ['HOST', 'an address or a host name', ['', 'two words', 'http://localhost', '-x', '127.0.0.1:80']],
    ['PORT', port, ['', '65536', '-1', '80.0', '8e3', ' 80']],
    ['METRICS_PORT', port, ['70000']],
    ['METRICS_PORT', 'another port than PORT', ['3000']],
    ['DATABASE_URL', `"sqlite:" and a path, such as ${database}`, ['', 'shop.sqlite']],
    ['DATABASE_URL', '"sqlite:" and the path of a file; nothing can be kept in memory', ['sqlite::memory:']],
    ['SIMULATOR', '"on" or "off"', ['', 'ON', 'true']],
    ['DRAIN_SECONDS', 'a whole number from 0 to 60', ['61', '5s']],
    ['BODY_MEMORY_MB', 'a whole number from 16 to 65536', ['', '15', '065', '16.5', '65537']],
    ['RATE_LIMIT', 'a whole number of requests a minute, at least 1', ['0', '007', '1.5']],
    [
      'TRUSTED_PROXIES',
      'addresses or networks with commas between them, such as "10.0.0.0/8,::1"',
      ['nginx', '::1 ::2', '10.0.0.0/33', '::1/129', '10.0.0.0/8/8']
    ],
    ['LOG_FORMAT', '"json" or "text"', ['', 'pretty', 'JSON']],
    ['LOG_LEVEL', 'one of fatal, error, warn, info, debug, trace, silent', ['loud', 'INFO']],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', address, ['collector:4317']],
    ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', address, ['no address']],
    ['OTEL_EXPORTER_OTLP_PROTOCOL', '"http/protobuf"', ['grpc']],
    ['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', '"http/protobuf"', ['http/json']],
    ['OTEL_TRACES_SAMPLER', `one of always_on, always_off, traceidratio, ${ofParent.join(', ')}`, ['jaeger_remote']],
    ['OTEL_TRACES_SAMPLER_ARG', 'a number from 0 to 1', ['1.5', 'half']],
    ['OTEL_BSP_SCHEDULE_DELAY', 'a whole number, at least 1', ['0']]
  ]
  for (const [variable, right, values] of cases) {
    for (const value of values) {
      const error = new OperatorError(`${variable} is "${value}"; it must be ${right}`)
      t.throws(() => readEnvironment({ ...TRACED, [variable]: value }), error, `${variable}=${value}`)
    }
  }
  t.match(readEnvironment({ PORT: '0', METRICS_PORT: '0' }), { port: 0, metricsPort: 0 })
})

t.test('a password in DATABASE_URL is not repeated', async t => {
  for (const url of ['sqlite:', 'mysql://shop:s3cret@db.example/shop', 'postgres://shop:s3cret@db.example:port/shop']) {
    const message = new RegExp(`^DATABASE_URL is "${url.replace(/:.*/, ':…')}"; it must be "sqlite:" and a path`)
    t.throws(() => readEnvironment({ DATABASE_URL: url }), { message })
  }
})

t.test('a PostgreSQL is named by a URL of libpq, whose variables for TLS count too', async t => {
  const noTls = { sslmode: undefined, sslrootcert: undefined, sslcert: undefined, sslkey: undefined }
  for (const url of [
    'postgres://db/shop',
    'postgresql://u:p@h:5432/shop?sslmode=require',
    'postgres://u@/s?host=/run'
  ]) {
    t.strictSame(readEnvironment({ DATABASE_URL: url }).database, { kind: 'postgres', url, tls: noTls })
  }
  const url = 'postgres://db/shop'
  t.match(readEnvironment({ DATABASE_URL: url, PGSSLMODE: 'require', PGSSLROOTCERT: '/ca.pem' }).database, {
    tls: { sslmode: 'require', sslrootcert: '/ca.pem' }
  })
})

const TOKEN = 'a-token-of-at-least-thirty-two-characters'

t.test('a secret may be in a file, which need not end without a line end', async t => {
  const folder = t.testdir({ token: TOKEN, unix: `${TOKEN}\n`, dos: `${TOKEN}\r\n`, url: 'sqlite:shop.sqlite\n' })
  t.equal(readSecret('ACME_TOKEN', bearerToken, { ACME_TOKEN: TOKEN }), TOKEN)
  for (const name of ['token', 'unix', 'dos']) {
    const file = { ACME_TOKEN_FILE: join(folder, name) }
    t.equal(readSecret('ACME_TOKEN', bearerToken, file), TOKEN, name)
    // As an image may set it, and a manifest cannot unset it.
    t.equal(readSecret('ACME_TOKEN', bearerToken, { ...file, ACME_TOKEN: '' }), TOKEN, name)
  }
  const database = { kind: 'sqlite', file: 'shop.sqlite' }
  t.match(readEnvironment({ DATABASE_URL_FILE: join(folder, 'url'), DATABASE_URL: '' }), { database })
})

t.test(
  'a secret that cannot be used is refused with its variable, its path and what to do, and never printed',
  async t => {
    const folder = t.testdir({ empty: '', line: '\n', two: `${TOKEN}\n\n`, other: 's3cret!' })
    const path = (name: string) => join(folder, name)
    const token = `32 to 512 random characters of A to Z, a to z, 0 to 9 and "-._~+/", and "=" at the end only`
    const orFile = 'set ACME_TOKEN_FILE to the path of a file with it'
    const inFile = (name: string, problem: string) =>
      `the file "${path(name)}", which ACME_TOKEN_FILE names, ${problem}`
    const empty = 'is empty; put into it what ACME_TOKEN would hold'
    const unread = (why: string) => `cannot be read: ${why}; give the path of a file that this user may read`
    const cases: [variables: Record<string, string>, message: string][] = [
      [{}, `the environment variable ACME_TOKEN is not set; give it ${token}, or ${orFile}`],
      [{ ACME_TOKEN: '' }, `the environment variable ACME_TOKEN is not set; give it ${token}, or ${orFile}`],
      [{ ACME_TOKEN: 's3cret!' }, `the environment variable ACME_TOKEN is not a bearer token; give it ${token}`],
      [
        { ACME_TOKEN: `${TOKEN} ` },
        `the environment variable ACME_TOKEN has white space at its start or end; give it ${token}`
      ],
      [
        { ACME_TOKEN: TOKEN, ACME_TOKEN_FILE: path('two') },
        'ACME_TOKEN and ACME_TOKEN_FILE are both set; keep one of them'
      ],
      [{ ACME_TOKEN_FILE: path('none') }, inFile('none', unread('no such file or directory'))],
      [{ ACME_TOKEN_FILE: folder }, inFile('', unread('illegal operation on a directory')).replace('/"', '"')],
      [{ ACME_TOKEN_FILE: path('empty') }, inFile('empty', empty)],
      [{ ACME_TOKEN_FILE: path('line') }, inFile('line', empty)],
      [{ ACME_TOKEN_FILE: path('two') }, inFile('two', `has white space at its start or end; give it ${token}`)],
      [{ ACME_TOKEN_FILE: path('other') }, inFile('other', `is not a bearer token; give it ${token}`)]
    ]
    for (const [variables, message] of cases) {
      t.throws(() => readSecret('ACME_TOKEN', bearerToken, variables), new OperatorError(message))
    }
    t.throws(() => readSecret('ACME_SECRET', webhookSecret, {}), {
      message:
        'the environment variable ACME_SECRET is not set; give it "whsec_" and 24 to 64 random bytes in base64, or set ACME_SECRET_FILE to the path of a file with it'
    })
    t.throws(() => readSimulatorKey({ SIMULATOR_KEY_FILE: path('other') }), {
      message: `the file "${path('other')}", which SIMULATOR_KEY_FILE names, is not a key; give it ${token}`
    })
    const none = path('none')
    const both = 'DATABASE_URL and DATABASE_URL_FILE are both set; keep one of them'
    const databases: [variables: Record<string, string>, mistake: string][] = [
      [{ DATABASE_URL: 'sqlite:a', DATABASE_URL_FILE: none }, both],
      [
        { DATABASE_URL_FILE: none },
        `the file "${none}", which DATABASE_URL_FILE names, ${unread('no such file or directory')}`
      ],
      [
        { DATABASE_URL_FILE: path('other') },
        `the file "${path('other')}", which DATABASE_URL_FILE names, does not hold "sqlite:" and a path, such as "sqlite:data/shop.sqlite", or such as "postgres://user:password@host:5432/shop"`
      ]
    ]
    for (const [variables, mistake] of databases) {
      const port = 'PORT is "x"; it must be a whole number from 0 to 65535'
      t.throws(() => readEnvironment({ ...variables, PORT: 'x' }), new OperatorError(`${port}\n${mistake}`))
    }
  }
)

t.test('the simulator has a key of its own, unless one is set', async t => {
  t.equal(readSimulatorKey({ SIMULATOR_KEY: TOKEN }), TOKEN)
  const keys = [{}, {}, { SIMULATOR_KEY: '', SIMULATOR_KEY_FILE: '' }].map(variables => readSimulatorKey(variables))
  t.equal(new Set(keys).size, 3)
  for (const key of keys) t.ok(bearerToken.isValid(key))
})

t.test('all mistakes are reported together, one per line', async t => {
  const wrong = { HOST: ' ', PORT: 'x', DATABASE_URL: 'x', LOG_LEVEL: 'x', SIMULATOR: 'x' }
  const lines = Object.keys(wrong).map(name => `${name} is ".*"; it must be .*`)
  t.throws(() => readEnvironment(wrong), { message: new RegExp(`^${lines.join('\n')}$`) })
})

t.test("OpenTelemetry's variables: without an address nothing is traced, an empty one is none", async t => {
  const defaults = { sampler: 'parentbased_always_on', ratio: 1, batch: {} }
  const cases: [variables: Record<string, string>, tracing: object | undefined][] = [
    [{ OTEL_SERVICE_NAME: 'shop', OTEL_TRACES_SAMPLER: 'no sampler' }, undefined],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: '' }, undefined],
    [{ ...TRACED, OTEL_SDK_DISABLED: 'True' }, undefined],
    [{ ...TRACED, OTEL_TRACES_EXPORTER: 'none' }, undefined],
    [TRACED, defaults],
    [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://otel.example/v1/traces' }, defaults],
    [{ ...TRACED, OTEL_SDK_DISABLED: 'false', OTEL_TRACES_SAMPLER: '', OTEL_BSP_SCHEDULE_DELAY: '' }, defaults],
    [{ ...TRACED, OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf' }, defaults],
    [
      { ...TRACED, OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.25' },
      { ...defaults, sampler: 'traceidratio', ratio: 0.25 }
    ],
    [
      {
        ...TRACED,
        OTEL_BSP_SCHEDULE_DELAY: '100',
        OTEL_BSP_EXPORT_TIMEOUT: '200',
        OTEL_BSP_MAX_QUEUE_SIZE: '300',
        OTEL_BSP_MAX_EXPORT_BATCH_SIZE: '400'
      },
      {
        ...defaults,
        batch: { scheduledDelayMillis: 100, exportTimeoutMillis: 200, maxQueueSize: 300, maxExportBatchSize: 400 }
      }
    ]
  ]
  for (const [variables, tracing] of cases) {
    t.strictSame(readEnvironment(variables).tracing, tracing, JSON.stringify(variables))
  }
})
