// An operation of OpenAPI: a POST of JSON, or a GET, with everything that it refers to: a response for each status, and a schema for
// each problem.
import { Type } from '@sinclair/typebox'
import { Problem, type ProblemCode, problems, type ValidationErrorCode } from '../../errors.ts'
import { problemJson } from '../../pages/problem-view.ts'
import type { AuthenticationType } from '../../transfer/authentication.ts'

export type Operation = {
  path: string
  /** Generators make a class of each. */
  tag: { name: string; description: string }
  id: string
  summary: string
  description: string
  /** Any of them may call it; none, if anybody may. */
  callers: Caller[]
  /** The body of a POST, with the name of its schema; without one it is a GET. */
  request?: { name: string; schema: object; example: object }
  parameters?: object[]
  /** By status; the schema of all of them, with its name. */
  answers: Record<string, { description: string; example: object }>
  answer: { name: string; schema: object }
  /** Besides those of any request. */
  problems: KnownProblem[]
}

export type Caller = { name: string; title: string; type: AuthenticationType }

type KnownProblem = {
  code: ProblemCode
  /** The name of its schema, if the problem has other mistakes elsewhere. */
  name?: string
  mistakes?: ValidationErrorCode[]
  /** Made from the title, if absent. */
  example?: Problem | undefined
}

export function describe({ path, tag, id, summary, description, callers, request, ...parts }: Operation) {
  const { answers, answer } = parts
  const unauthorized: KnownProblem[] = callers.length > 0 ? [{ code: 'unauthorized' }] : []
  const common = COMMON_PROBLEMS.filter(({ code }) => request || code !== 'body-too-large')
  const known = [...common, ...unauthorized, ...parts.problems]
  const isSigned = callers.length > 0 && callers.every(({ type }) => type === 'standard-webhooks')
  const parameters = [...(parts.parameters ?? []), ...(isSigned ? SIGNED_HEADERS : [])]
  const jsonOf = (name: string, value: object) => ({
    'application/json': { schema: { $ref: `#/components/schemas/${name}` }, examples: { example: { value } } }
  })
  const responses = Object.entries(answers).map(([status, { description, example }]) => [
    status,
    { description, content: jsonOf(answer.name, example) }
  ])
  const operation = {
    tags: [tag.name],
    operationId: id,
    summary,
    description,
    security: callers.map(({ name }) => ({ [name]: [] })),
    ...(parameters.length > 0 && { parameters }),
    ...(request && { requestBody: { required: true, content: jsonOf(request.name, request.example) } }),
    responses: { ...Object.fromEntries(responses), ...problemResponses(known) }
  }
  return {
    paths: { [path]: { [request ? 'post' : 'get']: operation } },
    schemas: {
      ...(request && { [request.name]: request.schema }),
      [answer.name]: answer.schema,
      ...problemSchemas(known)
    },
    securitySchemes: Object.fromEntries(callers.map(({ name, title, type }) => [name, SCHEMES[type](title)]))
  }
}

const SCHEMES: Record<AuthenticationType, (title: string) => object> = {
  bearer: title => ({ type: 'http', scheme: 'bearer', description: `The token of ${title} (RFC 6750).` }),
  'standard-webhooks': title => {
    const description =
      `The signature of ${title}, as Standard Webhooks (https://www.standardwebhooks.com) describes: "v1," and, in ` +
      'base64, the HMAC-SHA256 of webhook-id, a full stop, webhook-timestamp, a full stop and the bytes of the body.'
    return { type: 'apiKey', in: 'header', name: 'webhook-signature', description }
  }
}

const SIGNED_HEADERS = [
  header('webhook-id', 'Any text; the signature covers it.', '.'),
  header('webhook-timestamp', 'Whole seconds since 1970, at most five minutes off.', '^\\d{1,12}$')
]

function header(name: string, description: string, pattern: string): object {
  return { name, in: 'header', required: true, description, schema: { type: 'string', pattern } }
}

const COMMON_PROBLEMS: KnownProblem[] = [
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

function problemResponses(known: KnownProblem[]): Record<string, object> {
  const byStatus = Object.groupBy(known, ({ code }) => problems[code].status)
  return Object.fromEntries(Object.entries(byStatus).map(([status, some = []]) => [status, response(status, some)]))
}

/** Those that the responses refer to, by name. */
function problemSchemas(known: KnownProblem[]): Record<string, object> {
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

const HEADERS: Record<string, object> = {
  401: { 'WWW-Authenticate': { required: true, ...ASKED_FOR } },
  429: { 'Retry-After': { required: true, ...RETRY_AFTER } },
  503: { 'Retry-After': { required: true, ...RETRY_AFTER } }
}

/** `contract-broken` is `ContractBroken`. */
function nameOf({ code, name }: KnownProblem): string {
  return name ?? code.replace(/(^|-)(.)/g, (_, _dash, letter) => letter.toUpperCase())
}

function schemaOf({ code, mistakes }: KnownProblem): object {
  const { status, title } = problems[code]
  const { type } = problemJson(new Problem(code, { detail: '' }), '')
  const mistake = Type.Object(
    {
      pointer: Type.String({ description: 'Where it is: a JSON pointer into the body, as a URI fragment.' }),
      code: Type.String({ enum: mistakes }),
      detail: Type.String({ description: 'What was found there, and what would be right.' }),
      sku: Type.Optional(Type.String({ description: 'The SKU of the line.' })),
      limit: Type.Optional(
        Type.Union([Type.Integer({ minimum: 0 }), Type.String()], {
          description:
            'The most that is sold: units of the SKU, or a total in major units as text; if that is too small, the least.'
        })
      )
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
  const refusal = example ?? new Problem(code, { detail: `${problems[code].title}.` })
  return problemJson(refusal, EXAMPLE_REQUEST_ID)
}
