// The OpenAPI file of the hook is valid, and says of each answer what our own reading of it says.
import t from 'tap'
import { Handoff as HandoverSchema, readHandoff } from '../../../../src/integrations/destination/destination.ts'
import { readRefusal, ShopProblem } from '../../../../src/integrations/destination/hook/hook.ts'
import { type Example, readOpenApi } from './openapi.ts'

const { openapi, check, problems } = await readOpenApi()

const CART = {
  reference: 'order-1',
  currency: 'EUR',
  items: [
    { sku: 'MUG', quantity: 2 },
    { sku: 'CLOCK', quantity: 1 }
  ]
}

const NOW = new Date('2026-11-20T10:00:00Z')

/** What a schema allows, without what is said about it. */
function rulesOf(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(rulesOf)
  if (typeof schema !== 'object' || schema === null) return schema
  const { anyOf, required, properties, ...others } = schema as Record<string, unknown>
  const values = Array.isArray(anyOf) && anyOf.every(one => 'const' in one) ? anyOf.map(one => one.const) : undefined
  const kept = Object.entries(others).filter(([key]) => !['description', 'title', 'default'].includes(key))
  return {
    ...Object.fromEntries(kept.map(([key, value]) => [key, rulesOf(value)])),
    ...(values ? { type: 'string', enum: values } : anyOf !== undefined && { anyOf: rulesOf(anyOf) }),
    ...(Array.isArray(required) && { required: required.toSorted() }),
    ...(properties !== undefined && {
      properties: Object.fromEntries(Object.entries(properties as object).map(([key, value]) => [key, rulesOf(value)]))
    })
  }
}

t.test('it is OpenAPI 3.1', async t => {
  t.strictSame(problems, [])
  t.match(openapi, { openapi: /^3\.1\./ })
})

t.test('its schemas of the answers are those that we read answers by', async t => {
  const { Handover, Refusal } = openapi.components.schemas
  t.strictSame(rulesOf(Handover), rulesOf(JSON.parse(JSON.stringify(HandoverSchema))))
  t.strictSame(rulesOf(Refusal), rulesOf(JSON.parse(JSON.stringify(ShopProblem))))
})

t.test('its examples are valid, and we read them', async t => {
  const { requestBody, responses } = openapi.paths['/app-cart'].post
  const valuesOf = (content: Record<string, { examples: Record<string, Example> }>, type: string) =>
    Object.values(content[type]?.examples ?? {}).map(({ value }) => value)
  const carts = valuesOf(requestBody.content, 'application/json')
  const handovers = valuesOf(responses['2XX'].content, 'application/json')
  const refusals = valuesOf(responses['422'].content, 'application/problem+json')
  t.strictSame([carts.length, handovers.length, refusals.length], [2, 4, 2])
  for (const cart of carts) t.ok(check.CartTransfer(cart), JSON.stringify(check.CartTransfer.errors))
  for (const handover of handovers) {
    t.ok(check.Handover(handover), JSON.stringify(check.Handover.errors))
    t.match(readHandoff(handover, NOW), { currency: 'EUR', description: { url: String } })
  }
  for (const problem of refusals) {
    t.ok(check.Refusal(problem), JSON.stringify(check.Refusal.errors))
    t.match(readRefusal(problem, CART).mistakes, [{ code: String }])
  }
})
