// `npm run schema`: writes the schemas of merchant files and conformance profiles to config/, for editors.
import { writeFileSync } from 'node:fs'
import { destinations } from '../integrations/destination/index.ts'
import { paymentProviders } from '../integrations/payment/index.ts'
import { profileSchema } from '../kit/conformance/profile.ts'
import { merchantSchema } from '../merchant/merchant-schema.ts'
import { transferOptions } from '../transfer/index.ts'

function write(name: string, schema: object): void {
  writeFileSync(new URL(`../../config/${name}`, import.meta.url), `${JSON.stringify(schema, null, 2)}\n`)
}

write('merchant.schema.json', merchantSchema(transferOptions, destinations, paymentProviders))
write('conform.schema.json', profileSchema(transferOptions))
