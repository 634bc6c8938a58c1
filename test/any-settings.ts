// Any merchant file that the schema allows, for properties of pages: a setting that is added to the schema is drawn by itself.
import type { TSchema } from '@sinclair/typebox'
import fc from 'fast-check'
import { paymentProviders } from '../src/integrations/payment/index.ts'
import { merchantSchema } from '../src/merchant/merchant-schema.ts'
import { shopperTextMark } from '../src/merchant/setting-types.ts'
import { languageOf } from '../src/messages/messages.ts'
import { transferOptions } from '../src/transfer/index.ts'
import { merchantFile } from './build.ts'

export type AnySettings = ReturnType<typeof merchantFile>

const SCHEMA = merchantSchema(transferOptions, [], paymentProviders, {})

const LOCALES = [['en-GB', 'ar'], ['de-DE', 'ja', 'en-GB'], ['en-US'], ['fr-FR', 'es']] as const

const DELIVERED = ['GB', 'US', 'JP']

type Known = Record<string, fc.Arbitrary<unknown>>

/** What no schema knows, by key: what a text means, and which settings another test is about. */
function knownSettings(mark: string, [locale]: readonly string[]): Known {
  const oneOf = (...values: unknown[]) => fc.constantFrom(...values)
  return {
    $schema: oneOf('merchant.schema.json'),
    id: oneOf(mark),
    publicUrl: oneOf(`http://127.0.0.1:3000/${mark}`, `https://${mark}.example/${mark}`),
    locale: oneOf(locale),
    locales: oneOf([]),
    texts: oneOf({ promise: `promise ${mark}` }),
    messages: oneOf({ [languageOf(String(locale))]: { 'place-order': `Buy ${mark}` } }),
    currencies: oneOf(['GBP']),
    countries: oneOf(['GB'], DELIVERED, DELIVERED.toReversed()),
    'delivery.*.id': oneOf(mark),
    'delivery.*.price': oneOf('0', '4.50', { GBP: '9.50' }),
    'delivery.*.freeFrom': oneOf('60'),
    'delivery.*.countries': oneOf(['GB']),
    'webhook.url': oneOf(`https://${mark}.example/`),
    'webhook.secretVariable': oneOf('HOOK_SECRET'),
    'theme.logo': oneOf(`https://${mark}.example/logo.png`),
    'theme.hero': oneOf(`https://${mark}.example/hero.png`),
    'theme.phoneHero': oneOf(`https://${mark}.example/phone.png`),
    'theme.fontFile': oneOf(undefined),
    'theme.light': oneOf({ accent: '#0b57d0' }),
    'theme.dark': oneOf(false, { accent: '#a8c7fa' }),
    views: oneOf(undefined),
    // A UCP cart has another id each time, and only one merchant at an origin takes them; its page is that of any bag.
    transfer: oneOf(
      ...transferOptions.flatMap(({ name, answer }) => (answer === 'protocol' ? [] : merchantFile(name).transfer))
    ),
    catalogue: oneOf({ feed: 'feed.tsv' }),
    'checkout.path': oneOf('/checkout'),
    'checkout.continueShoppingUrl': oneOf(`${mark}://continue`),
    'checkout.shopUrl': oneOf(`https://${mark}.example/`),
    'checkout.completeTitle': oneOf(`Done ${mark}`),
    'checkout.expiresAfterMinutes': fc.integer({ min: 120, max: 10_080 }),
    'checkout.maxTotal': oneOf('900'),
    'checkout.deliveryDates.timeZone': oneOf('Europe/London', 'Asia/Tokyo'),
    'checkout.deliveryDates.daysOff.*': oneOf('sun', '12-25', '2026-11-23'),
    'checkout.payment.secretVariable': oneOf('STRIPE_KEY'),
    'checkout.payment.webhookSecretVariable': oneOf('STRIPE_SECRET'),
    'checkout.payment.apiUrl': oneOf(undefined),
    'checkout.payment.pageOrigin': oneOf(undefined),
    'checkout.destination': oneOf({ type: 'page' })
  }
}

/** @param mark in every text, and as host name: no other merchant's page has it @param paidAt the stand-in for Stripe */
export function anySettings(mark: string, paidAt: string): fc.Arbitrary<AnySettings> {
  const drawn = (schema: TSchema, key: string, known: Known, languages: string[]): fc.Arbitrary<unknown> => {
    const draw = (part: TSchema, name: string) => drawn(part, key === '' ? name : `${key}.${name}`, known, languages)
    if (known[key]) return known[key]
    const text = shopperTextMark(schema)
    if (text) {
      const inLanguage = (code: string) =>
        text.problemOf === undefined ? `${key} ${code} ${mark}` : `https://${mark}.example/${key}/${code}`
      return fc.constantFrom(inLanguage('any'), Object.fromEntries(languages.map(code => [code, inLanguage(code)])))
    }
    if (schema.const !== undefined) return fc.constant(schema.const)
    if (schema.anyOf) return fc.oneof(...schema.anyOf.map((one: TSchema) => drawn(one, key, known, languages)))
    if (schema.type === 'boolean') return fc.boolean()
    if (schema.type === 'integer') {
      const { minimum, maximum, multipleOf = 1 } = schema
      return fc.integer({ min: minimum / multipleOf, max: maximum / multipleOf }).map(n => n * multipleOf)
    }
    if (schema.type === 'array' || schema.items) {
      if (Array.isArray(schema.items)) return fc.tuple(...schema.items.map((one: TSchema) => draw(one, '*')))
      const most = { minLength: schema.minItems ?? 0, maxLength: 3 }
      return schema.uniqueItems
        ? fc.uniqueArray(draw(schema.items, '*'), most)
        : fc.array(draw(schema.items, '*'), most)
    }
    if (schema.type === 'object' && schema.properties) {
      const taken = Object.entries<TSchema>(schema.properties).filter(([, { refusal }]) => refusal === undefined)
      const parts = taken.map(([name, part]) => [name, draw(part, name)] as const)
      return fc.record(Object.fromEntries(parts), { requiredKeys: schema.required ?? [] })
    }
    if (schema.type === 'string' && schema.pattern === undefined) return fc.constant(`${key} ${mark}`)
    throw new Error(`any-settings.ts cannot know what "${key}" may be: add it to knownSettings`)
  }
  return fc.constantFrom(...LOCALES).chain(locales => {
    const languages = [...new Set(locales.map(languageOf))]
    const settings = drawn(SCHEMA, '', knownSettings(mark, locales), languages)
    return settings.map(drawn => consistent({ ...(drawn as AnySettings), locales: locales.slice(1) }, paidAt))
  })
}

/** What settings ask of each other: a hero for phones only beside another, an id for each delivery method, one that delivers everywhere, days for dates. */
function consistent(settings: AnySettings, apiUrl: string): AnySettings {
  const delivery = settings.delivery?.map(({ countries, days, ...method }, i) => ({
    ...method,
    id: `${method.id}-${i}`,
    ...(i > 0 && settings.countries && countries && { countries }),
    ...(days && { days: days.toSorted((a, b) => a - b) })
  }))
  const { deliveryDates, payment, ...checkout } = settings.checkout as AnySettings['checkout'] & Record<string, object>
  const hasDays = delivery?.some(({ days }) => days)
  const { phoneHero, ...theme }: { hero?: string; phoneHero?: string } = settings.theme ?? {}
  return {
    ...settings,
    ...(settings.theme && { theme: { ...theme, ...(theme.hero && phoneHero && { phoneHero }) } }),
    ...(delivery && { delivery }),
    checkout: {
      ...checkout,
      ...(hasDays && deliveryDates && { deliveryDates }),
      ...(payment && { payment: { ...payment, apiUrl } })
    }
  }
}
