// `npm run schema`: writes the schema of merchant files to where editors look for it.
import { writeFileSync } from 'node:fs'
import { transferOptions } from '../transfer/index.ts'
import { merchantSchema } from './merchant-schema.ts'

const file = new URL('../../config/merchant.schema.json', import.meta.url)
writeFileSync(file, `${JSON.stringify(merchantSchema(transferOptions), null, 2)}\n`)
