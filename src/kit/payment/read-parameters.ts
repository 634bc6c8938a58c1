// The parameters of a request, as Stripe's SDK sends them: a form with brackets in its names, as in
// `line_items[0][price_data][currency]=eur`. What a schema does not name is refused, as is every other writing.
import type { Static, TSchema } from '@sinclair/typebox'
import { Value, ValueErrorType, ValuePointer } from '@sinclair/typebox/value'
import { RefusedCall } from './refused-call.ts'

/** A text, or the fields of an object or a list by their names. */
type Sent = string | Map<string, Sent>

/** @param form urlencoded @throws RefusedCall */
export function readParameters<Schema extends TSchema>(form: string, schema: Schema): Static<Schema> {
  const parameters = shape(parseForm(form), schema)
  const error = Value.Errors(schema, parameters).First()
  if (!error) return parameters as Static<Schema>
  const [first, ...others] = ValuePointer.Format(error.path)
  const param = [first, ...others.map(part => `[${part}]`)].join('')
  if (error.type === ValueErrorType.ObjectRequiredProperty) {
    throw new RefusedCall(`Missing required param: ${param}.`, { code: 'parameter_missing', param })
  }
  if (error.type === ValueErrorType.ObjectAdditionalProperties) {
    const message = `Received unknown parameter: ${param} (unknown to this stand-in, if not to Stripe)`
    throw new RefusedCall(message, { code: 'parameter_unknown', param })
  }
  const code = error.type === ValueErrorType.StringMinLength ? 'parameter_invalid_empty' : error.schema.code
  throw new RefusedCall(`Invalid ${param}: ${error.schema.description ?? error.message}`, { code, param })
}

function parseForm(form: string): Sent {
  const root = new Map<string, Sent>()
  for (const [name, text] of new URLSearchParams(form)) {
    const [, first = '', brackets = ''] = /^([^[\]]+)((?:\[[^[\]]*\])*)$/.exec(name) ?? []
    const path = [first, ...Array.from(brackets.matchAll(/\[(.*?)\]/g), ([, key = '']) => key)]
    const last = path.pop()
    let fields: Sent | undefined = root
    for (const key of path) {
      if (!fields.has(key)) fields.set(key, new Map())
      fields = fields.get(key)
      if (!(fields instanceof Map)) throw new RefusedCall(`Invalid object: ${name}`, { param: name })
    }
    const key = last || String(fields.size)
    if (first === '' || fields.has(key)) throw new RefusedCall(`Invalid or repeated: ${name}`, { param: name })
    fields.set(key, text)
  }
  return root
}

/** A text becomes a number, and fields a list, where the schema has one, and only if it is written as one. */
function shape(sent: Sent, schema: TSchema | undefined): unknown {
  if (typeof sent === 'string') {
    if (schema?.type === 'integer') return /^-?\d+$/.test(sent) ? Number(sent) : sent
    return schema?.type === 'boolean' && sent === 'false' ? false : sent
  }
  const isList = schema?.type === 'array' && [...sent.keys()].every((key, i) => key === String(i))
  if (isList) return Array.from(sent.values(), item => shape(item, schema.items))
  return Object.fromEntries(Array.from(sent, ([key, field]) => [key, shape(field, schema?.properties?.[key])]))
}
