// The problems of an operation as OpenAPI has them: a response for each status, a schema for each problem.
import { Type } from '@sinclair/typebox'
import { type MistakeCode, type ProblemCode, problems, Refusal } from '../errors.ts'
import { toProblem } from '../pages/problem-view.ts'

export type KnownProblem = {
  code: ProblemCode
  /** The name of its schema, if the problem has other mistakes elsewhere. */
  name?: string
  mistakes?: MistakeCode[]
  /** Made from the title, if absent. */
  example?: Refusal | undefined
}

/** Of any request. */
export const COMMON_PROBLEMS: KnownProblem[] = [
  { code: 'malformed-request' },
  { code: 'request-timeout' },
  { code: 'body-too-large' },
  { code: 'media-type-unsupported' },
  { code: 'too-many-requests' },
  { code: 'headers-too-large' },
  { code: 'internal-error' },
  { code: 'store-unavailable' },
  { code: 'overloaded' }
]

/** The proxy in front answers by itself if it reaches no server, as in config/deploy/nginx/. */
const FROM_PROXY = Type.Object(
  {
    type: Type.String({ const: 'about:blank' }),
    title: Type.String({ description: 'For engineers.' }),
    status: Type.Integer({ const: 503 }),
    detail: Type.Optional(Type.String({ description: 'What went wrong this time, for engineers.' }))
  },
  { description: 'A proxy in front of the server has reached none (RFC 9457). Whether anything was taken is unknown.' }
)

const EXAMPLE_REQUEST_ID = '3f2b8c1e-9d4a-4b6f-8e7d-6c5b4a392817'

/** By status, in ascending order. */
export function problemResponses(known: KnownProblem[]): Record<string, object> {
  const byStatus = Object.groupBy(known, ({ code }) => problems[code].status)
  return Object.fromEntries(Object.entries(byStatus).map(([status, some = []]) => [status, response(status, some)]))
}

/** Those that the responses refer to, by name. */
export function problemSchemas(known: KnownProblem[]): Record<string, object> {
  return { ...Object.fromEntries(known.map(problem => [nameOf(problem), schemaOf(problem)])), FromProxy: FROM_PROXY }
}

function response(status: string, known: KnownProblem[]): object {
  const names = [...known.map(nameOf), ...(status === '503' ? ['FromProxy'] : [])]
  const references = names.map(name => ({ $ref: `#/components/schemas/${name}` }))
  return {
    description: known.map(({ code }) => problems[code].title).join('. Or: '),
    ...(status in HEADERS && { headers: HEADERS[status] }),
    content: {
      'application/problem+json': {
        schema: references.length === 1 ? references[0] : { oneOf: references },
        examples: Object.fromEntries(known.map(problem => [problem.code, { value: exampleOf(problem) }]))
      }
    }
  }
}

const seconds = Type.Integer({ minimum: 0 })
const RETRY_AFTER = { description: 'After how many seconds to send the same request again.', schema: seconds }
const ASKED_FOR = { description: 'The scheme that is asked for (RFC 9110, section 11.6.1).', schema: Type.String() }

/** The headers that a response of a status always has. */
const HEADERS: Record<string, object> = {
  401: { 'WWW-Authenticate': { required: true, ...ASKED_FOR } },
  429: { 'Retry-After': { required: true, ...RETRY_AFTER } },
  503: { 'Retry-After': { required: true, ...RETRY_AFTER } }
}

/** `contract-broken` is `ContractBroken`. */
function nameOf({ code, name }: KnownProblem): string {
  return name ?? code.replace(/(^|-)(.)/g, (_, _dash, letter) => letter.toUpperCase())
}

/** What `toProblem` makes of such a refusal. */
function schemaOf({ code, mistakes }: KnownProblem): object {
  const { status, title } = problems[code]
  const { type } = toProblem(new Refusal(code, { detail: '' }), '')
  const mistake = Type.Object(
    {
      pointer: Type.String({ description: 'Where it is: a JSON pointer into the body, as a URI fragment.' }),
      code: Type.String({ enum: mistakes }),
      detail: Type.String({ description: 'What was found there, and what would be right.' }),
      sku: Type.Optional(Type.String({ description: 'The SKU of the line.' }))
    },
    { additionalProperties: false }
  )
  const instance = Type.String({ pattern: '^urn:uuid:', description: 'The request, as the log of the server has it.' })
  return Type.Object(
    {
      type: Type.String({ const: type }),
      title: Type.String({ examples: [title], description: 'For engineers; programs read `type`.' }),
      status: Type.Integer({ const: status }),
      detail: Type.String({ description: 'What went wrong this time, for engineers.' }),
      ...(status >= 500 && { instance: Type.Optional(instance) }),
      ...(mistakes && { errors: Type.Array(mistake, { minItems: 1, description: 'Every mistake that was found.' }) })
    },
    { description: `${title} (RFC 9457).`, additionalProperties: false }
  )
}

function exampleOf({ code, example }: KnownProblem): object {
  const refusal = example ?? new Refusal(code, { detail: `${problems[code].title}.` })
  return toProblem(refusal, EXAMPLE_REQUEST_ID)
}
