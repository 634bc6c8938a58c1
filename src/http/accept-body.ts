// How a body is received: as the bytes of one media type, untouched (contract 4.1 and 4.2).
import type { FastifyInstance, FastifyRequest, RouteShorthandOptions } from 'fastify'
import { Refusal } from '../errors.ts'

/**
 * Makes the routes of one plugin receive bodies of this media type as a Buffer; parameters after `;` are allowed.
 * @returns the options of such a route: any other Content-Type is refused with 415 before its body is read
 */
export function acceptBody(app: FastifyInstance, mediaType: string, bodyLimit: number): RouteShorthandOptions {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser<Buffer>(mediaType, { parseAs: 'buffer', bodyLimit }, (_request, body, done) =>
    done(null, body)
  )
  return {
    onRequest: (request: FastifyRequest, _reply: unknown, done: (error?: Error) => void) => {
      if (request.mediaType === mediaType) return done()
      const sent = request.headers['content-type']
      const detail = `The Content-Type is ${sent === undefined ? 'missing' : JSON.stringify(sent)}; send ${mediaType}.`
      done(new Refusal('media-type-unsupported', { detail }))
    }
  }
}

/** Refuses requests whose content is encoded, as by gzip, in all routes of a plugin: we read none of these codings. */
export function refuseContentEncoding(app: FastifyInstance): void {
  app.addHook('onRequest', ({ headers }, _reply, done) => {
    const { 'content-encoding': coding = 'identity' } = headers
    if (coding.toLowerCase() === 'identity') return done()
    const detail = `The Content-Encoding is ${JSON.stringify(coding)}; send the body without one.`
    done(new Refusal('media-type-unsupported', { detail, headers: { 'Accept-Encoding': 'identity' } }))
  })
}
