// The JSON Schema of merchant files for editors: the file in config/ matches what the server checks.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TSchema } from '@sinclair/typebox'
import { Ajv } from 'ajv'
import t from 'tap'
import { destinations } from '../../src/integrations/destination/index.ts'
import { paymentProviders } from '../../src/integrations/payment/index.ts'
import { merchantSchema } from '../../src/merchant/merchant-schema.ts'
import { transferOptions } from '../../src/transfer/index.ts'
import { jsonDescription } from '../../src/transfer/json-description/json-description.ts'
import { isOnlyForOurPage } from '../../src/transfer/option.ts'
import { merchantFile } from '../build.ts'
import { readMerchantFiles } from '../read-merchants.ts'

const CONFIG = join(import.meta.dirname, '../../config')

function readConfig(name: string): Record<string, unknown> {
  return JSON.parse(readFileSync(join(CONFIG, name), 'utf8'))
}

const validate = new Ajv({ allErrors: true }).compile(readConfig('merchant.schema.json'))

t.test('config/merchant.schema.json is the schema that the server uses', async t => {
  const fresh = JSON.parse(JSON.stringify(merchantSchema(transferOptions, destinations, paymentProviders)))
  t.strictSame(readConfig('merchant.schema.json'), fresh, 'run `npm run schema` to write config/merchant.schema.json')
})

t.test('the demo merchants are valid, and name the schema for editors', async t => {
  const names = ['harbour.json', 'kissa.json', 'orchard.json', 'werft.json']
  for (const name of names) {
    const file = readConfig(name)
    t.ok(validate(file), `${name}: ${JSON.stringify(validate.errors)}`)
    t.equal(file.$schema, './merchant.schema.json', `${name} names the schema`)
  }
})

t.test('config/minimal.json can be started, and without any of its keys it cannot', async t => {
  const folder = t.testdir({})
  const read = (file: object) => {
    writeFileSync(join(folder, 'minimal.json'), JSON.stringify(file))
    return readMerchantFiles([join(folder, 'minimal.json')], {
      options: transferOptions,
      destinations,
      providers: paymentProviders
    })
  }
  const minimal = readConfig('minimal.json')
  const [merchant] = read(minimal)
  t.equal(merchant?.catalogue?.feeds[0]?.address, join(folder, 'minimal.tsv'))
  t.ok(existsSync(join(CONFIG, 'minimal.tsv')))
  for (const [key, value] of Object.entries(minimal)) {
    t.throws(() => read({ ...minimal, [key]: undefined }), { message: `${key}: missing` }, key)
    if (typeof value !== 'object' || value === null || Array.isArray(value)) continue
    for (const part of Object.keys(value)) {
      t.throws(() => read({ ...minimal, [key]: { ...value, [part]: undefined } }), { message: /: / }, `${key}.${part}`)
    }
  }
})

t.test('a JSON Schema validator refuses what the server refuses', async t => {
  const cases: [rule: string, file: object][] = [
    ['an unknown key', { ...merchantFile('1'), colour: 'blue' }],
    ['an unknown key in transfer', merchantFile('1', { transfer: { colour: 'blue' } })],
    ['a key of another option', merchantFile('2A', { transfer: { description: {} } })],
    ['an unknown option', merchantFile('none')],
    ['a missing key', { ...merchantFile('1'), name: undefined }],
    ['a path with a trailing slash', merchantFile('1', { transfer: { path: '/cart/' } })],
    ['a path with dot segments', merchantFile('1', { transfer: { path: '/a/../cart' } })],
    ['more lines than a cart can have', merchantFile('1', { transfer: { maxItems: 901 } })],
    ['an id with invalid characters', merchantFile('1', { id: 'Shop' })]
  ]
  for (const option of ['1', '2A', '2B']) t.ok(validate(merchantFile(option)), `a file of option ${option} passes`)
  for (const [rule, file] of cases) t.notOk(validate(JSON.parse(JSON.stringify(file))), rule)
})

/** Every key that a schema allows, with its description. */
function keysOf(schema: object, path: string): [key: string, description: unknown][] {
  const {
    properties = {},
    items,
    anyOf = []
  } = schema as {
    properties?: Record<string, { description?: string }>
    items?: object
    anyOf?: object[]
  }
  return [
    ...Object.entries(properties).flatMap(([name, part]): [string, unknown][] => [
      [`${path}.${name}`, part.description],
      ...keysOf(part, `${path}.${name}`)
    ]),
    ...(items ? keysOf(items, `${path}[]`) : []),
    ...anyOf.flatMap(part => keysOf(part, path))
  ]
}

t.test('every key has a description, which the error messages use', async t => {
  const keys = keysOf(merchantSchema(transferOptions, destinations, paymentProviders), '')
  t.ok(keys.length > 30, 'the keys were found')
  t.strictSame(
    keys.filter(([, description]) => !description),
    []
  )
})

t.test('where bags lead to an own shop, a setting that says nothing there is marked as one for our page', async t => {
  const schema = merchantSchema([jsonDescription], destinations, paymentProviders)
  const sections: [prefix: string, schema: TSchema][] = [
    ['', schema],
    ['transfer.', schema.properties.transfer?.anyOf[0]],
    ['checkout.', schema.properties.checkout as TSchema]
  ]
  const unmarked = sections.flatMap(([prefix, section]) =>
    Object.entries<TSchema>(section.properties).flatMap(([name, schema]) =>
      isOnlyForOurPage(schema) ? [] : prefix + name
    )
  )
  const haveEffect = [
    ...[
      '$schema',
      'id',
      'name',
      'publicUrl',
      'locale',
      'locales',
      'messages',
      'texts',
      'currencies',
      'theme',
      'links',
      'views'
    ],
    ...['transfer', 'catalogue', 'checkout', 'transfer.option', 'transfer.path', 'transfer.maxItems'],
    ...['transfer.maxQuantity', 'transfer.keepRecordsDays', 'transfer.attribution', 'transfer.acceptHyphenated'],
    'transfer.authentication',
    ...['checkout.continueShoppingUrl', 'checkout.shopUrl', 'checkout.expiresAfterMinutes', 'checkout.deleteAfterDays'],
    ...['checkout.appInjectsStyles', 'checkout.destination']
  ]
  t.strictSame(unmarked, haveEffect, 'mark it OnlyForOurPage, or add it here')
})
