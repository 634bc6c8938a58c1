// An operation of OpenAPI: a POST of JSON, with everything that it refers to.
import type { AuthenticationType } from '../transfer/authentication.ts'
import { COMMON_PROBLEMS, type KnownProblem, problemResponses, problemSchemas } from './problem-responses.ts'

export type Operation = {
  path: string
  /** Generators make a class of each. */
  tag: { name: string; description: string }
  id: string
  summary: string
  description: string
  caller?: { name: string; title: string; type: AuthenticationType } | undefined
  /** The body, with the name of its schema. */
  request: { name: string; schema: object; example: object }
  /** By status; the schema of all of them, with its name. */
  answers: Record<string, { description: string; example: object }>
  answer: { name: string; schema: object }
  /** Besides those of any request. */
  problems: KnownProblem[]
}

export function describe({ tag, id, summary, description, caller, request, answers, answer, ...parts }: Operation) {
  const unauthorized: KnownProblem[] = caller ? [{ code: 'unauthorized' }] : []
  const problems = [...COMMON_PROBLEMS, ...unauthorized, ...parts.problems]
  const jsonOf = (name: string, value: object) => ({
    'application/json': { schema: { $ref: `#/components/schemas/${name}` }, examples: { example: { value } } }
  })
  const responses = Object.entries(answers).map(([status, { description, example }]) => [
    status,
    { description, content: jsonOf(answer.name, example) }
  ])
  return {
    operation: {
      tags: [tag.name],
      operationId: id,
      summary,
      description,
      security: caller ? [{ [caller.name]: [] }] : [],
      ...(caller?.type === 'standard-webhooks' && { parameters: SIGNED_HEADERS }),
      requestBody: { required: true, content: jsonOf(request.name, request.example) },
      responses: { ...Object.fromEntries(responses), ...problemResponses(problems) }
    },
    schemas: { [request.name]: request.schema, [answer.name]: answer.schema, ...problemSchemas(problems) },
    securitySchemes: caller && { [caller.name]: SCHEMES[caller.type](caller.title) }
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
