// Runs in a folder where Vendure is installed. `node program.cjs` fills its database; `node program.cjs PORT` starts it.
const { readFileSync, writeFileSync } = require('node:fs')
const { join } = require('node:path')
const typescript = require('typescript')

// Before Vendure is loaded: a test tells nobody about itself.
process.env.VENDURE_DISABLE_TELEMETRY = 'true'

const {
  bootstrap,
  DefaultSearchPlugin,
  defaultConfig,
  dummyPaymentHandler,
  JobQueueService,
  mergeConfig
} = require('@vendure/core')
const { populate } = require('@vendure/core/cli')

/** Compiled as in a project that `npx @vendure/create` makes. */
function appOrders() {
  const { outputText } = typescript.transpileModule(readFileSync(join(__dirname, 'app-orders.ts'), 'utf8'), {
    compilerOptions: {
      module: typescript.ModuleKind.CommonJS,
      target: typescript.ScriptTarget.ES2022,
      experimentalDecorators: true,
      emitDecoratorMetadata: true
    }
  })
  writeFileSync(join(__dirname, 'app-orders.cjs'), outputText)
  return require('./app-orders.cjs').AppOrders
}

const isNew = process.argv[2] === undefined
const port = Number(process.argv[2] ?? 0)

const config = mergeConfig(defaultConfig, {
  apiOptions: { port, hostname: '127.0.0.1' },
  authOptions: { tokenMethod: ['bearer', 'cookie'], cookieOptions: { secret: 'of-a-test' } },
  // Kept in memory once it is filled: a kill loses the sessions, and never damages the file.
  dbConnectionOptions: { type: 'sqljs', location: join(__dirname, 'shop.sqlite'), autoSave: isNew, synchronize: isNew },
  importExportOptions: { importAssetsDir: __dirname },
  customFields: {
    Order: [
      { name: 'cartReference', type: 'string', nullable: true },
      { name: 'cartAttribution', type: 'text', nullable: true }
    ]
  },
  // The search index changes only when it is told to, so that it can be out of date.
  plugins: [DefaultSearchPlugin.init({ bufferUpdates: true }), appOrders()],
  paymentOptions: { paymentMethodHandlers: [dummyPaymentHandler] }
})

const initialData = {
  defaultLanguage: 'en',
  defaultZone: 'Europe',
  countries: [{ name: 'United Kingdom', code: 'GB', zone: 'Europe' }],
  taxRates: [{ name: 'Standard', percentage: 20 }],
  shippingMethods: [{ name: 'Post', price: 490 }],
  paymentMethods: [
    {
      name: 'Card',
      handler: { code: dummyPaymentHandler.code, arguments: [{ name: 'automaticSettle', value: 'true' }] }
    }
  ],
  collections: []
}

async function start() {
  const app = await bootstrap(config)
  await app.get(JobQueueService).start()
  return app
}

async function fill() {
  const app = await populate(start, initialData, join(__dirname, 'products.csv'))
  const url = `${await app.getUrl()}/admin-api`
  let token = ''
  const ask = async (query, variables = {}) => {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: JSON.stringify({ query, variables })
    })
    token = response.headers.get('vendure-auth-token') ?? token
    const { data, errors } = await response.json()
    if (errors) throw new Error(JSON.stringify(errors))
    return data
  }
  await ask('mutation { login(username: "superadmin", password: "superadmin") { __typename } }')
  await ask('mutation { updateChannel(input: { id: 1, availableCurrencyCodes: [USD, GBP] }) { __typename } }')
  const { productVariants } = await ask('{ productVariants { items { id sku price } } }')
  const inPounds = productVariants.items.filter(({ sku }) => sku !== 'DOLLARS')
  await ask('mutation($input: [UpdateProductVariantInput!]!) { updateProductVariants(input: $input) { id } }', {
    input: inPounds.map(({ id, price }) => ({
      id,
      prices: [
        { currencyCode: 'USD', price },
        { currencyCode: 'GBP', price: price - 100 }
      ]
    }))
  })
  for (const promotion of [{ couponCode: 'SUMMER10' }, { couponCode: 'OLD', endsAt: '2026-01-01T00:00:00Z' }]) {
    await ask('mutation($input: CreatePromotionInput!) { createPromotion(input: $input) { __typename } }', {
      input: {
        ...promotion,
        enabled: true,
        conditions: [],
        actions: [{ code: 'order_percentage_discount', arguments: [{ name: 'discount', value: '10' }] }],
        translations: [{ languageCode: 'en', name: promotion.couponCode }]
      }
    })
  }
  await ask('mutation { reindex { id } }')
  for (let found = 0; found < productVariants.items.length; ) {
    found = (await ask('{ search(input: { groupByProduct: false }) { totalItems } }')).search.totalItems
  }
  const gone = productVariants.items.find(({ sku }) => sku === 'GONE')
  await ask('mutation($id: ID!) { updateProductVariants(input: [{ id: $id, enabled: false }]) { id } }', {
    id: gone.id
  })
  await app.close()
}

if (isNew) fill().then(() => process.exit())
else start()
