// The problems of an operation as OpenAPI has them: a response for each status, a schema for each problem.
import { type MistakeCode, type ProblemCode, problems, Refusal } from '../errors.ts'
import { toProblem } from '../pages/problem-view.ts'

/** A problem that an operation may be answered with. */
export type KnownProblem = {
  code: ProblemCode
  /** The name of its schema, if the problem has other mistakes elsewhere. */
  name?: string
  /** What can be wrong with the fields; none if nothing is said about any. */
  mistakes?: MistakeCode[]
  /** Made from the title, if absent. */
  example?: Refusal | undefined
}

/** What can become of any request, wherever it goes. */
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
const FROM_PROXY = {
  type: 'object',
  description: 'A proxy in front of the server has reached none (RFC 9457). Whether anything was taken is unknown.',
  required: ['type', 'title', 'status'],
  properties: {
    type: { type: 'string', const: 'about:blank' },
    title: { type: 'string', description: 'For engineers.' },
    status: { type: 'integer', const: 503 },
    detail: { type: 'string', description: 'What went wrong this time, for engineers.' }
  }
}

const EXAMPLE_REQUEST_ID = '3f2b8c1e-9d4a-4b6f-8e7d-6c5b4a392817'

/** By status, in ascending order. */
export function problemResponses(known: KnownProblem[]): Record<string, object> {
  const byStatus = Object.groupBy(known, ({ code }) => problems[code].status)
  return Object.fromEntries(Object.entries(byStatus).map(([status, some = []]) => [status, response(status, some)]))
}

/** The schemas that the responses refer to, by name. */
export function problemSchemas(known: KnownProblem[]): Record<string, object> {
  return { ...Object.fromEntries(known.map(problem => [nameOf(problem), schemaOf(problem)])), FromProxy: FROM_PROXY }
}

function response(status: string, known: KnownProblem[]): object {
  const names = [...known.map(nameOf), ...(status === '503' ? ['FromProxy'] : [])]
  const references = names.map(name => ({ $ref: `#/components/schemas/${name}` }))
  const headers = headersOf(status)
  return {
    description: known.map(({ code }) => problems[code].title).join('. Or: '),
    ...(headers && { headers }),
    content: {
      'application/problem+json': {
        schema: references.length === 1 ? references[0] : { oneOf: references },
        examples: Object.fromEntries(known.map(problem => [problem.code, { value: exampleOf(problem) }]))
      }
    }
  }
}

function headersOf(status: string): object | undefined {
  if (status === '429' || status === '503') {
    const description = 'After how many seconds to send the same request again.'
    return { 'Retry-After': { required: true, description, schema: { type: 'integer', minimum: 0 } } }
  }
  if (status !== '401') return undefined
  const description = 'The scheme that is asked for (RFC 9110, section 11.6.1).'
  return { 'WWW-Authenticate': { required: true, description, schema: { type: 'string' } } }
}

/** `contract-broken` is `ContractBroken`. */
function nameOf({ code, name }: KnownProblem): string {
  return name ?? code.replace(/(^|-)(.)/g, (_, _dash, letter) => letter.toUpperCase())
}

/** What `toProblem` makes of such a refusal. */
function schemaOf({ code, mistakes }: KnownProblem): object {
  const { status, title } = problems[code]
  const errors = {
    type: 'array',
    minItems: 1,
    description: 'Every mistake that was found.',
    items: {
      type: 'object',
      required: ['pointer', 'code', 'detail'],
      additionalProperties: false,
      properties: {
        pointer: { type: 'string', description: 'Where it is: a JSON pointer into the body, as a URI fragment.' },
        code: { type: 'string', enum: mistakes },
        detail: { type: 'string', description: 'What was found there, and what would be right.' },
        sku: { type: 'string', description: 'The SKU of the line.' }
      }
    }
  }
  return {
    type: 'object',
    description: `${title} (RFC 9457).`,
    required: ['type', 'title', 'status', 'detail', ...(mistakes ? ['errors'] : [])],
    additionalProperties: false,
    properties: {
      type: { type: 'string', const: typeOf(code) },
      title: { type: 'string', examples: [title], description: 'For engineers; programs read `type`.' },
      status: { type: 'integer', const: status },
      detail: { type: 'string', description: 'What went wrong this time, for engineers.' },
      ...(status >= 500 && {
        instance: {
          type: 'string',
          pattern: '^urn:uuid:',
          description: 'The request, as the log of the server has it.'
        }
      }),
      ...(mistakes && { errors })
    }
  }
}

function exampleOf({ code, example }: KnownProblem): object {
  const refusal = example ?? new Refusal(code, { detail: `${problems[code].title}.` })
  return toProblem(refusal, EXAMPLE_REQUEST_ID)
}

function typeOf(code: ProblemCode): string {
  return toProblem(new Refusal(code, { detail: '' }), '').type
}
