// How errors become refusals.
import type { FastifyRequest } from 'fastify'
import t from 'tap'
import { Refusal, StoreUnavailable, StoreUncertain } from '../../src/errors.ts'
import { formByAccept, toRefusal } from '../../src/http/error-handler.ts'

t.test('every error becomes a refusal', async t => {
  const fastify = (statusCode: number) => Object.assign(new Error('why'), { statusCode })
  const refusal = new Refusal('not-found', { detail: 'mine' })
  t.equal(toRefusal(refusal), refusal)
  const cases = [
    [fastify(400), 'malformed-request', 'why'],
    [fastify(403), 'not-found', 'Nothing is served at this address.'],
    [fastify(404), 'not-found', 'Nothing is served at this address.'],
    [fastify(413), 'body-too-large', 'why'],
    [fastify(415), 'media-type-unsupported', 'why'],
    [fastify(500), 'internal-error', 'The server failed; the log has the cause under this request id.'],
    [new TypeError('why'), 'internal-error', 'The server failed; the log has the cause under this request id.'],
    [new StoreUnavailable('why'), 'store-unavailable', /nothing was taken/],
    [new StoreUncertain('why'), 'store-unavailable', /whether anything was taken is unknown/]
  ] as const
  for (const [error, code, message] of cases) t.match(toRefusal(error), { code, message }, `${code}`)
})

t.test('a browser gets a page where a program gets problem+json', async t => {
  const formFor = (accept?: string) => formByAccept({ headers: { accept } } as FastifyRequest)
  t.equal(formFor('text/html,application/xhtml+xml,*/*;q=0.8'), 'page')
  t.equal(formFor('*/*'), 'problem+json')
  t.equal(formFor(), 'problem+json')
})
