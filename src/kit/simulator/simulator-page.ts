// How the simulator's pages are sent: their headers, and their templates.
import type { FastifyReply } from 'fastify'
import { contentSecurityPolicy } from '../../pages/storefront.ts'

/** Only this server's own files, no inline scripts, and no framing by other sites. */
export const PAGE_HEADERS = {
  'content-security-policy': contentSecurityPolicy({
    'default-src': "'none'",
    'script-src': "'self'",
    'style-src': "'self'",
    'connect-src': "'self'",
    'frame-src': "'self'",
    'img-src': "'self'",
    'form-action': "'none'",
    'frame-ancestors': "'none'",
    'base-uri': "'none'"
  }),
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'same-origin',
  'x-frame-options': 'DENY',
  'cache-control': 'no-cache'
}

/** @param name of its template in views/simulator/ */
export function sendView(reply: FastifyReply, name: string, view: object, headers = PAGE_HEADERS): Promise<string> {
  return reply.headers(headers).viewAsync(`simulator/${name}`, view)
}
