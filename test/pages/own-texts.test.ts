// A merchant's own texts: whichever the schema names is refused if a language lacks it, and is on a page in its language.
import type { TSchema } from '@sinclair/typebox'
import t from 'tap'
import { destinations } from '../../src/integrations/destination/index.ts'
import { paymentProviders } from '../../src/integrations/payment/index.ts'
import { merchantSchema } from '../../src/merchant/merchant-schema.ts'
import { shopperTextMark } from '../../src/merchant/setting-types.ts'
import { transferOptions } from '../../src/transfer/index.ts'
import { textOf } from './read-page.ts'
import { type Form, formOf, openShop } from './shopper.ts'

/** The texts outside lists, and the names that templates have them by. */
function textsOf({ properties = {} }: TSchema, key: string[] = []): { key: string[]; name: string | undefined }[] {
  return Object.entries<TSchema>(properties).flatMap(([part, schema]) => {
    const mark = shopperTextMark(schema)
    return [...(mark ? [{ key: [...key, part], name: mark.name }] : []), ...textsOf(schema, [...key, part])]
  })
}

// The addresses of links are shown with their names.
const TEXTS = textsOf(merchantSchema(transferOptions, destinations, paymentProviders)).filter(
  ({ key }) => key[0] !== 'links'
)

/** The settings of a shop in English and German, with these texts. */
function settingsWith(texts: { key: string[]; text: object }[]): Record<string, object> {
  const settings: Record<string, object> = { locales: ['de'] }
  for (const { key, text } of texts) {
    const [section = '', name = ''] = key
    settings[section] = { ...settings[section], [name]: text }
  }
  return settings
}

t.test('each text is on the checkout page or the confirmation, in the language of the shopper', async t => {
  t.ok(TEXTS.length >= 2 && TEXTS.every(({ name }) => name !== undefined), 'each has a name')
  const texts = TEXTS.map(({ key, name }) => ({ key, text: { en: `English ${name}.`, de: `Deutscher ${name}.` } }))
  const { get, submit, transfer } = await openShop(t, '2B', settingsWith(texts))
  const url = `/shop/checkout/${await transfer()}`
  const shown = await get(url, 'en')
  const german = await get(url, 'de')
  const { location } = (await submit(formOf(shown.body) as Form)).headers
  const english = textOf(shown.body + (await get(String(location), 'en')).body)
  const inGerman = textOf(german.body + (await get(String(location).replace('lang=en', 'lang=de'), 'en')).body)
  for (const { text } of texts) {
    t.match(english, text.en)
    t.match(inGerman, text.de)
    t.notMatch(inGerman, text.en)
  }
})

t.test('each text has to be there in every language of the pages', async t => {
  for (const { key } of TEXTS) {
    const settings = settingsWith([{ key, text: { en: 'A sentence.', fr: 'Une phrase.' } }])
    await t.rejects(openShop(t, '2B', settings), {
      message: new RegExp(
        `${key.join('[.]')}: there is no text for "de"; give one for each language\\n.*${key.join('[.]')}[.]fr: no page`
      )
    })
  }
})
