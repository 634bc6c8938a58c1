import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Type } from '@sinclair/typebox'
import t from 'tap'
import { writeSettingsTables } from '../../src/cli/settings-tables.ts'
import { destinations } from '../../src/integrations/destination/index.ts'
import { paymentProviders } from '../../src/integrations/payment/index.ts'
import { merchantSchema } from '../../src/merchant/merchant-schema.ts'
import { transferOptions } from '../../src/transfer/index.ts'

t.test('the tables of settings in config/README.md are those of the schema', async t => {
  const readme = readFileSync(join(import.meta.dirname, '../../config/README.md'), 'utf8')
  const schema = merchantSchema(transferOptions, destinations, paymentProviders, {})
  t.equal(readme, writeSettingsTables(readme, schema), 'run `npm run schema`')
})

const named = (description: string) => Type.String({ description })

const schema = Type.Object({
  name: named('what shoppers see, such as "Acme"'),
  delivery: Type.Optional(
    Type.Array(Type.Object({ id: named('a name') }), {
      description: 'a list of { "id": … }, such as [{ "id": "post" }]'
    })
  ),
  texts: Type.Optional(
    Type.Record(Type.String(), Type.Object({ title: named('a title in <b>') }), { description: 'by language' })
  ),
  days: Type.Optional(Type.Tuple([Type.Integer(), Type.Integer()], { description: 'two numbers' })),
  checkout: Type.Object({
    path: named('a path'),
    payment: Type.Optional(
      Type.Object({ minutes: Type.Integer({ default: 60, description: 'a number' }), key: named('a key') })
    ),
    destination: Type.Union([
      Type.Object({ type: Type.Literal('page', { description: 'where carts go' }) }),
      Type.Object({ type: Type.Literal('hook', { description: 'where carts go' }), url: named('an address') })
    ]),
    dark: Type.Union([Type.Object({ accent: named('a colour') }), Type.Literal(false)], {
      description: 'colours, or false'
    })
  })
})

const part = (section: string, before: string) => `<!-- written by npm run schema, ${section} -->${before}<!-- end -->`

t.test('each setting is in the table of its innermost section, and nothing else of the document changes', async t => {
  const document = (others: string, checkout: string, payment: string) =>
    `# Settings\n${part('others', others)}\n${part('checkout', checkout)}\n${part('checkout.payment', payment)}\nThe end`
  const table = (...rows: string[]) =>
    `\n\n${['| key | default | meaning |', '| --- | --- | --- |', ...rows].join('\n')}\n\n`
  const expected = document(
    table(
      '| `name` | required | what shoppers see, such as `"Acme"` |',
      '| `delivery` |  | a list of `{ "id": … }`, such as `[{ "id": "post" }]` |',
      '| `delivery[].id` | required | a name |',
      '| `texts` |  | by language |',
      '| `texts.*.title` | required | a title in `<b>` |',
      '| `days` |  | two numbers |'
    ),
    table(
      '| `checkout.path` | required | a path |',
      '| `checkout.destination.type` | required | where carts go |',
      '| `checkout.destination.url` for `"hook"` | required | an address |',
      '| `checkout.dark` | required | colours, or false |',
      '| `checkout.dark.accent` | required | a colour |'
    ),
    table(
      '| `checkout.payment.minutes` | required with `checkout.payment` | a number |',
      '| `checkout.payment.key` | required with `checkout.payment` | a key |'
    )
  )
  t.equal(writeSettingsTables(document('', '\nold\n', '\n\n'), schema), expected)
  t.equal(writeSettingsTables(expected, schema), expected, 'again')
})

t.test('a part that does not end is refused', async t => {
  const message = 'the document has no part from "<!-- written by npm run schema, others -->" to "<!-- end -->"'
  t.throws(() => writeSettingsTables('<!-- written by npm run schema, others -->', schema), { message })
})
