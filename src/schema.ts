// Schemas: plain JSON Schema, with the types that TypeScript derives from them. TypeBox, whose functions these are, is 250
// modules: a sixth of the time to start, and 19 MB. Its types cost nothing, and of its functions these few are needed.
import type { Type as TypeBox } from '@sinclair/typebox'

export type { Static, TObject, TProperties, TSchema } from '@sinclair/typebox'

type Schema = Record<string, unknown>

/** Keys of symbols are left out of JSON. */
const OPTIONAL = Symbol('optional')

export const Type = {
  Unknown: (more: Schema = {}) => more,
  String: (more: Schema = {}) => ({ ...more, type: 'string' }),
  Number: (more: Schema = {}) => ({ ...more, type: 'number' }),
  Integer: (more: Schema = {}) => ({ ...more, type: 'integer' }),
  Null: (more: Schema = {}) => ({ ...more, type: 'null' }),
  Boolean: (more: Schema = {}) => ({ ...more, type: 'boolean' }),
  Literal: (value: unknown, more: Schema = {}) => ({ ...more, const: value, type: typeof value }),
  Array: (items: Schema, more: Schema = {}) => ({ ...more, type: 'array', items }),
  Object: (properties: Record<string, Schema>, more: Schema = {}) => {
    const required = Object.keys(properties).filter(name => !(OPTIONAL in (properties[name] as Schema)))
    return { ...more, type: 'object', ...(required.length > 0 && { required }), properties }
  },
  Record: ({ pattern = '^(.*)$' }: Schema, value: Schema, more: Schema = {}) => ({
    ...more,
    type: 'object',
    patternProperties: { [String(pattern)]: value }
  }),
  Union: (kinds: Schema[], more: Schema = {}) =>
    kinds.length === 1 ? { ...more, ...kinds[0] } : { ...more, anyOf: kinds },
  /** A property that may be absent. */
  Optional: (schema: Schema) => ({ ...schema, [OPTIONAL]: true })
} as unknown as Pick<
  typeof TypeBox,
  | 'Unknown'
  | 'Null'
  | 'String'
  | 'Number'
  | 'Integer'
  | 'Boolean'
  | 'Literal'
  | 'Array'
  | 'Object'
  | 'Record'
  | 'Union'
  | 'Optional'
>
