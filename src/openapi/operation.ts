// An operation of OpenAPI: a POST of JSON, with everything that it refers to.
import { type KnownProblem, problemResponses, problemSchemas } from './problem-responses.ts'
import type { OperationSecurity } from './security-schemes.ts'

/** Generators make a class of each. */
type Tag = { name: string; description: string }

export type Operation = {
  path: string
  tag: Tag
  operation: object
  /** What the operation refers to, by name. */
  schemas: Record<string, object>
  securitySchemes: Record<string, object>
}

export type OperationParts = {
  path: string
  tag: Tag
  id: string
  summary: string
  description: string
  security: OperationSecurity
  /** The body, with the name of its schema. */
  request: { name: string; schema: object; example: object }
  /** By status; the schema of all of them, with its name. */
  answers: Record<string, { description: string; example: object }>
  answer: { name: string; schema: object }
  problems: KnownProblem[]
}

export function postOperation(parts: OperationParts): Operation {
  const { path, tag, id, summary, description, security, request, answers, answer, problems } = parts
  const jsonOf = (name: string, value: object) => ({
    'application/json': { schema: { $ref: `#/components/schemas/${name}` }, examples: { example: { value } } }
  })
  const responses = Object.entries(answers).map(([status, { description, example }]) => [
    status,
    { description, content: jsonOf(answer.name, example) }
  ])
  return {
    path,
    tag,
    operation: {
      tags: [tag.name],
      operationId: id,
      summary,
      description,
      ...security.parts,
      requestBody: { required: true, content: jsonOf(request.name, request.example) },
      responses: { ...Object.fromEntries(responses), ...problemResponses(problems) }
    },
    schemas: { [request.name]: request.schema, [answer.name]: answer.schema, ...problemSchemas(problems) },
    securitySchemes: security.schemes
  }
}
