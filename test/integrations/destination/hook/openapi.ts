// The hook's OpenAPI file, validated and with every reference resolved, and its schemas compiled.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Validator } from '@seriousme/openapi-schema-validator'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { ROOT } from '../../../node-process.ts'

export type Example = { value: unknown }

type Content = Record<string, { examples: Record<string, Example> }>

export type OpenApi = {
  paths: Record<
    '/app-cart',
    {
      post: {
        parameters: { name: string; schema: object }[]
        requestBody: { content: Content }
        responses: Record<'2XX' | '422', { content: Content }>
      }
    }
  >
  components: { schemas: Record<'CartTransfer' | 'Handover' | 'Refusal', object> }
}

export async function readOpenApi() {
  const validator = new Validator()
  const file = join(ROOT, 'src/integrations/destination/hook/openapi.json')
  const { valid, errors } = await validator.validate(JSON.parse(readFileSync(file, 'utf8')))
  const openapi = validator.resolveRefs() as OpenApi
  const ajv = new Ajv2020({ allErrors: true, strict: false })
  const check = Object.fromEntries(
    Object.entries(openapi.components.schemas).map(([name, schema]) => [name, ajv.compile(schema)])
  ) as Record<keyof OpenApi['components']['schemas'], ValidateFunction>
  return { openapi, check, problems: valid ? [] : errors }
}
