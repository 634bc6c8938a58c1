// Values checked against schemas: what is an error, where and in which words, and that any other validator agrees.
import { equal } from 'node:assert/strict'
import { Ajv } from 'ajv'
import fc from 'fast-check'
import t from 'tap'
import { conforms, fillDefaults, schemaErrors } from '../src/check-value.ts'
import { type TSchema, Type } from '../src/schema.ts'

const closed = { additionalProperties: false }

t.test('each error has its place, and says what would be right', async t => {
  const schema = Type.Object(
    {
      name: Type.String({ minLength: 2, maxLength: 3, pattern: '^[a-z]*$' }),
      size: Type.Integer({ minimum: 1, maximum: 3 }),
      weight: Type.Optional(Type.Number({ minimum: 0.5 })),
      isNew: Type.Optional(Type.Boolean()),
      nothing: Type.Optional(Type.Null()),
      anything: Type.Optional(Type.Unknown()),
      kind: Type.Optional(Type.Union([Type.Literal('a'), Type.Literal(1)])),
      only: Type.Optional(Type.Union([Type.Literal('a')], { description: 'an a' })),
      one: Type.Optional(Type.Literal(1)),
      tags: Type.Optional(Type.Array(Type.String(), { minItems: 2, maxItems: 3, uniqueItems: true })),
      texts: Type.Optional(Type.Record(Type.String({ pattern: '^[a-z]{2}$' }), Type.String(), closed)),
      'a/b~c': Type.Optional(Type.Record(Type.String(), Type.Integer()))
    },
    closed
  )
  const valid = { name: 'abc', size: 2 }
  const cases: [rest: object, ...errors: string[]][] = [
    [{}],
    [{ weight: 1, isNew: true, nothing: null, anything: [], kind: 1, only: 'a', one: 1, tags: ['a', 'b'] }],
    [{ texts: { en: 'Mug' }, 'a/b~c': { any: 1 }, weight: undefined }],
    [{ name: undefined }, '/name: Expected string'],
    [
      { name: 'A' },
      '/name: Expected string length greater or equal to 2',
      "/name: Expected string to match '^[a-z]*$'"
    ],
    [{ name: 'abcd' }, '/name: Expected string length less or equal to 3'],
    [{ size: '2' }, '/size: Expected integer'],
    [{ size: 1.5 }, '/size: Expected integer'],
    [{ size: 0 }, '/size: Expected integer to be greater or equal to 1'],
    [{ size: 4 }, '/size: Expected integer to be less or equal to 3'],
    [{ weight: Number.NaN }, '/weight: Expected number'],
    [{ weight: 0 }, '/weight: Expected number to be greater or equal to 0.5'],
    [{ isNew: 1 }, '/isNew: Expected boolean'],
    [{ nothing: 0 }, '/nothing: Expected null'],
    [{ kind: 'b' }, '/kind: Expected union value'],
    [{ only: 'b' }, "/only: Expected 'a'"],
    [{ one: 2 }, '/one: Expected 1'],
    [{ tags: 'a' }, '/tags: Expected array'],
    [{ tags: ['a'] }, '/tags: Expected array length to be greater or equal to 2'],
    [{ tags: ['a', 1] }, '/tags/1: Expected string'],
    [{ tags: ['a', 'b', 'a'] }, '/tags: Expected array elements to be unique'],
    [{ tags: ['a', 'b', 'c', 'd'] }, '/tags: Expected array length to be less or equal to 3'],
    [{ texts: [] }, '/texts: Expected object'],
    [{ texts: { english: 'Mug' } }, '/texts/english: Unexpected property'],
    [{ 'a/b~c': { 'd/e': 'f' } }, '/a~1b~0c/d~1e: Expected integer'],
    [{ more: 1 }, '/more: Unexpected property']
  ]
  for (const [rest, ...errors] of cases) {
    const value = { ...valid, ...rest }
    const found = schemaErrors(schema, value).map(({ path, message }) => `${path}: ${message}`)
    t.strictSame(found, errors, JSON.stringify(rest))
    t.equal(conforms(schema, value), errors.length === 0)
  }
  t.match(schemaErrors(schema, null), [{ path: '', message: 'Expected object', problem: 'wrong' }])
  t.match(schemaErrors(schema, { size: 1, more: 1 }), [
    { path: '/name', problem: 'missing', message: 'Expected required property', schema: { minLength: 2 } },
    { path: '/more', problem: 'unknown', value: 1, schema: { additionalProperties: false } },
    { path: '/name', problem: 'wrong', message: 'Expected string', value: undefined }
  ])
})

t.test('defaults are filled in wherever they are, and nothing that is there is replaced', async t => {
  const inner = Type.Object({ size: Type.Optional(Type.Integer({ default: 3 })) })
  const schema = Type.Object({
    name: Type.Optional(Type.String({ default: 'mug' })),
    list: Type.Optional(Type.Array(inner)),
    either: Type.Optional(Type.Union([Type.Literal(false), inner])),
    choice: Type.Optional(Type.Union([Type.Literal('a'), Type.Literal('b')], { default: 'b' })),
    texts: Type.Optional(Type.Record(Type.String(), Type.String()))
  })
  t.strictSame(fillDefaults(schema, {}), { name: 'mug', choice: 'b' })
  const withDefault = { ...inner, default: {} }
  t.strictSame(fillDefaults(withDefault, undefined), { size: 3 })
  t.strictSame(withDefault.default, {}, 'the default itself stays as it is')
  t.strictSame(
    fillDefaults(schema, { name: '', list: [{}, { size: 1 }], either: {}, choice: 'a', texts: { a: 'b' } }),
    {
      name: '',
      list: [{ size: 3 }, { size: 1 }],
      either: { size: 3 },
      choice: 'a',
      texts: { a: 'b' }
    }
  )
  t.strictSame(fillDefaults(schema, { either: false }), { either: false, name: 'mug', choice: 'b' })
})

t.test('any value conforms to any schema if another validator says so', async () => {
  const schemas = fc.letrec<{ schema: TSchema }>(tie => ({
    schema: fc.oneof(
      { maxDepth: 3 },
      fc.constantFrom(
        Type.Unknown(),
        Type.Null(),
        Type.Boolean(),
        Type.Literal('a'),
        Type.Literal(2),
        Type.String({ minLength: 1 }),
        Type.String({ maxLength: 1, pattern: 'a' }),
        Type.Number({ maximum: 1 }),
        Type.Integer({ minimum: 1 })
      ),
      fc.tuple(tie('schema'), fc.boolean()).map(([items, uniqueItems]) => Type.Array(items, { uniqueItems })),
      tie('schema').map(items => Type.Array(items, { minItems: 1, maxItems: 2 })),
      fc.array(tie('schema'), { minLength: 1, maxLength: 3 }).map(kinds => Type.Union(kinds)),
      tie('schema').map(value => Type.Record(Type.String({ pattern: '^a' }), value, closed)),
      fc
        .tuple(fc.dictionary(fc.constantFrom('a', 'b', 'ab'), tie('schema')), fc.boolean(), fc.boolean())
        .map(([properties, isOptional, isClosed]) => {
          const entries = Object.entries(properties)
          const optional = entries.map(([name, inner]) => [name, isOptional ? Type.Optional(inner) : inner] as const)
          return Type.Object(Object.fromEntries(optional), isClosed ? closed : {})
        })
    )
  })).schema
  const scalar = fc.constantFrom(null, true, 'a', 'b', '', 'aa', 0, 1, 2, 0.5)
  const values = fc.letrec(tie => ({
    value: fc.oneof(
      { maxDepth: 3 },
      scalar,
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom('a', 'b', 'ab', 'c'), tie('value'), { noNullPrototype: true })
    )
  })).value
  const ajv = new Ajv({ strict: false })
  fc.assert(
    fc.property(schemas, fc.array(values), (schema, all) => {
      const validate = ajv.compile(schema)
      for (const value of all) equal(conforms(schema, value), validate(value), JSON.stringify({ schema, value }))
      ajv.removeSchema()
    }),
    { numRuns: 300 }
  )
})
