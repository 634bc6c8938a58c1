// `npm run schema`: writes the schemas of merchant files and conformance profiles to config/, for editors, and the tables of
// settings in its README.
import { readFileSync, writeFileSync } from 'node:fs'
import { destinations } from '../integrations/destination/index.ts'
import { paymentProviders } from '../integrations/payment/index.ts'
import { profileSchema } from '../kit/conformance/profile.ts'
import { merchantSchema } from '../merchant/merchant-schema.ts'
import { transferOptions } from '../transfer/index.ts'
import { writeSettingsTables } from './settings-tables.ts'

const inConfig = (name: string) => new URL(`../../config/${name}`, import.meta.url)

const write = (name: string, schema: object) => writeFileSync(inConfig(name), `${JSON.stringify(schema, null, 2)}\n`)

write('merchant.schema.json', merchantSchema(transferOptions, destinations, paymentProviders))
write('conform.schema.json', profileSchema(transferOptions))

const forOurPage = merchantSchema(transferOptions, destinations, paymentProviders, {})
const readme = inConfig('README.md')
writeFileSync(readme, writeSettingsTables(readFileSync(readme, 'utf8'), forOurPage))
