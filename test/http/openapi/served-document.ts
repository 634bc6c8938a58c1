// The OpenAPI document of a merchant as it is served: validated, and used to check requests and answers.
import { Validator } from '@seriousme/openapi-schema-validator'
import { Ajv2020 } from 'ajv/dist/2020.js'
import type { FastifyInstance } from 'fastify'

type Example = { value: unknown }
type Content = Record<string, { examples: Record<string, Example> }>
type Answer = { content: Content; headers?: Record<string, { schema: object }> }

export type Operation = {
  security: object[]
  parameters?: { name: string }[]
  /** Of a POST. */
  requestBody: { content: Content }
  responses: Record<string, Answer>
}

export type Document = {
  servers: { url: string }[]
  paths: Record<string, { post?: Operation; get?: Operation }>
  components: { schemas: Record<string, object>; securitySchemes?: Record<string, object> }
}

export type Sent = { status: number; headers: Record<string, unknown>; body: string }

/** @param text the document as it was sent */
export async function readDocument(text: string) {
  const { valid, errors } = await new Validator().validate(JSON.parse(text))
  const document: Document = JSON.parse(text)
  // OpenAPI has keywords of its own.
  const ajv = new Ajv2020({ allErrors: true, strict: false }).addSchema(document, 'document')
  const mistakesIn = (value: unknown, ...path: string[]) => {
    const pointer = path.map(part => part.replaceAll('~', '~0').replaceAll('/', '~1')).join('/')
    const check = ajv.getSchema(`document#/${encodeURI(pointer)}`)
    if (!check) return [`no schema at ${pointer}`]
    return check(value) ? [] : (check.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`)
  }
  const methodAt = (path: string) => (document.paths[path]?.get ? 'get' : 'post')
  const operationAt = (path: string) => document.paths[path]?.[methodAt(path)]
  return {
    document,
    problems: valid ? [] : errors,
    operationAt,
    /** What the schema of the request says of a body. */
    requestMistakes: (path: string, body: unknown) =>
      mistakesIn(body, 'paths', path, 'post', 'requestBody', 'content', 'application/json', 'schema'),
    /** What the document says of an answer. */
    answerMistakes: (path: string, { status, headers, body }: Sent) => {
      const answer = operationAt(path)?.responses[status]
      if (!answer) return [`no response ${status}`]
      const type = String(headers['content-type']).replace(/;.*/, '')
      const missing = Object.keys(answer.headers ?? {}).filter(name => headers[name.toLowerCase()] === undefined)
      const place = ['paths', path, methodAt(path), 'responses', `${status}`, 'content', type, 'schema']
      return [...missing.map(name => `no ${name}`), ...mistakesIn(JSON.parse(body), ...place)]
    }
  }
}

/** @param path of the merchant, as in its publicUrl */
export async function servedDocument(app: FastifyInstance, path = '/shop') {
  const { body } = await app.inject(`${path}/openapi.json`)
  return readDocument(body)
}
