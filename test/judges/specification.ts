// The JSON Schemas of UCP's specification, of each version.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import type { UcpVersion } from '../../src/ucp/versions.ts'

const SOURCE = 'https://ucp.dev/'

/** Where the schema of an answer is. `mcp` and `rpc-error` are what it comes in, of which only the newest version has any. */
const IDS = {
  '2026-08-25': {
    cart: 'schemas/shopping/cart.json',
    error: 'schemas/common/types/error_response.json',
    profile: 'schemas/profile.json#/$defs/business_schema',
    mcp: 'schemas/transports/mcp_tool_call.json#/$defs/response',
    'rpc-error': 'schemas/transports/jsonrpc.json#/$defs/error_response'
  },
  '2026-04-08': {
    cart: 'schemas/shopping/cart.json',
    error: 'schemas/shopping/types/error_response.json',
    profile: 'discovery/profile_schema.json#/$defs/business_profile'
  }
} satisfies Record<UcpVersion, Record<string, string>>

export type AnswerSchema = keyof (typeof IDS)['2026-08-25']

/** What is wrong with an answer; undefined if nothing is. */
export type Judge = (schema: AnswerSchema, answer: unknown) => string | undefined

/** @param folder `source` of the specification */
export function judgeOf(version: UcpVersion, folder: string): Judge {
  const formats = {
    uri: (text: string) => URL.canParse(text),
    'uri-reference': (text: string) => URL.canParse(text, 'https://ucp.dev'),
    'date-time': (text: string) => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(text),
    uuid: true
  } as const
  const ajv = new Ajv2020({ allErrors: true, strict: false, formats })
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.json')) continue
    const schema = JSON.parse(readFileSync(join(folder, name), 'utf8'))
    // They name each other by their places, which not every $id is.
    if (schema.$schema) ajv.addSchema({ ...schema, $id: SOURCE + name })
  }
  const ids: Partial<Record<AnswerSchema, string>> = IDS[version]
  return (schema, answer) => {
    const validate = ajv.getSchema(SOURCE + ids[schema])
    if (!validate) throw new Error(`UCP ${version} has no schema for ${schema}`)
    return validate(answer) ? undefined : ajv.errorsText(validate.errors)
  }
}
