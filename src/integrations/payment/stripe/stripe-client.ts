// Stripe's SDK, with our requests to other servers in place of its own, loaded by the first call: it has 200 files. Its errors
// quote what was sent, and ours do not.
import type { Stripe } from 'stripe'
import type { Fetch } from '../../outgoing/http-client.ts'
import { PaymentFailed, ProviderDown } from '../provider.ts'

/** Of an answer, in bytes: a session has a few thousand. */
const MAX_ANSWER = 256 * 1024

/** How old a notification may be, in seconds: as Stripe's libraries have it. */
const TOLERANCE = 300

/** Of what was not the request's fault. 409: another with the same key of idempotency is in progress. */
const MAY_SUCCEED_LATER = [409, 429]

const KEY_HINTS: Record<number, string> = {
  401: '; is the key that secretVariable names still valid?',
  403: '; the key must be allowed to write Checkout Sessions and refunds, and to read PaymentIntents, charges and disputes',
  404: '; is the key of the account and the mode in which it was paid?'
}

/** @param apiUrl the origin of a stand-in for Stripe's API */
export function stripeClient(secret: string, fetch: Fetch, apiUrl: string | undefined) {
  // Whoever asks knows how long a shopper waits, and asks again.
  const config = { apiVersion: '2026-10-28.endive', maxNetworkRetries: 0, telemetry: false } as const
  return {
    /** @throws PaymentFailed */
    ask: async <Answer>(signal: AbortSignal, call: (stripe: Stripe) => Promise<Answer>): Promise<Answer> => {
      const { Stripe } = await import('stripe')
      // The SDK takes no signal, so each call has a client of its own.
      const httpClient = Stripe.createFetchHttpClient(fetchFor(fetch, signal, apiUrl))
      try {
        return await call(new Stripe(secret, { ...config, httpClient }))
      } catch (error) {
        throw stripeFailure(error)
      }
    },
    /** @returns whether one of these secrets has signed it, not long before a time in milliseconds */
    isSigned: async (body: Buffer, signature: string, secrets: string[], at: number): Promise<boolean> => {
      const { Stripe } = await import('stripe')
      const verifier = Stripe.webhooks.signature as NonNullable<typeof Stripe.webhooks.signature>
      return secrets.some(secret => {
        try {
          return verifier.verifyHeader(body, signature, secret, TOLERANCE, undefined, at)
        } catch {
          // Of an odd signature it throws whatever its parts throw.
          return false
        }
      })
    }
  }
}

type SdkRequest = { method: string; headers: [string, string][]; body?: string }

/** What it throws is the `detail` of the SDK's error, which tries nothing again by itself. */
function fetchFor(fetch: Fetch, signal: AbortSignal, apiUrl: string | undefined): typeof globalThis.fetch {
  const request = async (url: string, { method, headers, body }: SdkRequest): Promise<Response> => {
    try {
      const { origin, pathname, search } = new URL(url)
      const target = (apiUrl ?? origin) + pathname + search
      const sent = { method, headers: Object.fromEntries(new Headers(headers)), ...(body !== undefined && { body }) }
      const answer = await fetch(target, { ...sent, signal })
      const { status } = answer
      if (status >= 500 || MAY_SUCCEED_LATER.includes(status)) {
        answer.body?.cancel().catch(() => {})
        throw new ProviderDown(`Stripe answered ${status}${requestNamed(answer.headers.get('request-id'))}`)
      }
      const chunks: Uint8Array[] = []
      let bytes = 0
      for await (const chunk of answer.body ?? []) {
        chunks.push(chunk)
        bytes += chunk.length
        if (bytes > MAX_ANSWER) throw new PaymentFailed(`Stripe's answer has more than ${MAX_ANSWER} bytes`)
      }
      return new Response(answer.body && Buffer.concat(chunks), answer)
    } catch (error) {
      if (error instanceof PaymentFailed) throw error
      const { cause: { code } = {} } = error as { cause?: { code?: string } }
      throw new ProviderDown(signal.aborted ? 'Stripe has not answered in time' : `no connection to Stripe: ${code}`)
    }
  }
  return request as typeof globalThis.fetch
}

type SdkError = Partial<Pick<Stripe.errors.StripeError, 'statusCode' | 'rawType' | 'code' | 'param' | 'requestId'>> & {
  detail?: unknown
}

/** As of an account that is paid out in another currency: its least is worth more than that of the currency itself. */
const AMOUNT_CODES: Record<string, 'least' | 'most'> = { amount_too_small: 'least', amount_too_large: 'most' }

export class StripeRejection extends PaymentFailed {
  override readonly breaks: PaymentFailed['breaks']
  readonly status: number
  readonly code: string | undefined
  readonly param: string | undefined

  constructor({ statusCode = 0, rawType, code, param, requestId }: SdkError) {
    const words = [rawType, code, param].filter(word => /^[\w.[\]]{1,100}$/.test(word ?? ''))
    super(`Stripe answered ${statusCode} (${words.join(', ')})${requestNamed(requestId)}${KEY_HINTS[statusCode] ?? ''}`)
    this.status = statusCode
    this.code = code
    this.param = param
    this.breaks = AMOUNT_CODES[code ?? '']
  }
}

function stripeFailure(error: unknown): PaymentFailed {
  const sdkError = error as SdkError
  if (sdkError.detail instanceof PaymentFailed) return sdkError.detail
  if (sdkError.statusCode) return new StripeRejection(sdkError)
  return new PaymentFailed("Stripe's answer is not one of its API")
}

/** Stripe's own name for a request, by which its dashboard finds it. */
function requestNamed(id: string | null | undefined): string {
  return /^req_\w{1,64}$/.test(id ?? '') ? `, request ${id}` : ''
}
