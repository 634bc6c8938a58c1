// How a caller proves who it is, as OpenAPI has it. No secret is in it, nor the name of a variable that holds one.
import type { AuthenticationType } from '../transfer/authentication.ts'

export type OperationSecurity = {
  /** What an operation says of it. */
  parts: { security: object[]; parameters?: object[] }
  /** What it refers to, by name. */
  schemes: Record<string, object>
}

export const NO_SECURITY: OperationSecurity = { parts: { security: [] }, schemes: {} }

/** @param holder who has the secret */
export function securityOf(type: AuthenticationType, name: string, holder: string): OperationSecurity {
  const security = [{ [name]: [] }]
  if (type === 'bearer') {
    const token = { type: 'http', scheme: 'bearer', description: `The token of ${holder} (RFC 6750).` }
    return { parts: { security }, schemes: { [name]: token } }
  }
  const description =
    `The signature of ${holder}, as Standard Webhooks (https://www.standardwebhooks.com) describes: "v1," and, in ` +
    'base64, the HMAC-SHA256 of webhook-id, a full stop, webhook-timestamp, a full stop and the bytes of the body.'
  return {
    parts: {
      security,
      parameters: [
        header('webhook-id', 'Any text; the signature covers it.', '.'),
        header('webhook-timestamp', 'Whole seconds since 1970, at most five minutes off.', '^\\d{1,12}$')
      ]
    },
    schemes: { [name]: { type: 'apiKey', in: 'header', name: 'webhook-signature', description } }
  }
}

function header(name: string, description: string, pattern: string): object {
  return { name, in: 'header', required: true, description, schema: { type: 'string', pattern } }
}
