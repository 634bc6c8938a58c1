// How Stripe's API refuses: https://docs.stripe.com/api/errors
import type Stripe from 'stripe'

type Details = { status?: number; type?: Stripe.RawErrorType; code?: string; param?: string }

export class RefusedCall extends Error {
  readonly status: number
  readonly details: object

  constructor(message: string, { status = 400, type = 'invalid_request_error', ...details }: Details = {}) {
    super(message)
    this.status = status
    this.details = { type, message, ...details }
  }
}

/** @param param where the id was sent @throws RefusedCall if it was not found */
export function found<T>(object: T | undefined, kind: string, id: string, param: string): T {
  if (object) return object
  throw new RefusedCall(`No such ${kind}: '${id}'`, { status: 404, code: 'resource_missing', param })
}
