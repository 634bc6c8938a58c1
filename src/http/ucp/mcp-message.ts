// A message of MCP, read no further than it is needed: ids and carts stay as they were sent.
import { Problem, problemFrom, type ValidationErrorCode } from '../../errors.ts'
import { JsonReader } from '../../transfer/json-reader.ts'
import { maxValues } from '../../transfer/option.ts'

const MESSAGE_FIELDS = {
  '/jsonrpc': 'version',
  '/id': 'id',
  '/method': 'method',
  '/params/protocolVersion': 'protocol',
  '/params/name': 'tool',
  '/params/arguments/id': 'cartId',
  '/params/arguments/cart': 'cart',
  '/params/arguments/meta/ucp-agent/profile': 'profile',
  '/params/arguments/meta/idempotency-key': 'key'
} as const

const POINTERS = Object.keys(MESSAGE_FIELDS) as (keyof typeof MESSAGE_FIELDS)[]

type MessageField = (typeof MESSAGE_FIELDS)[keyof typeof MESSAGE_FIELDS]

/** Its fields, in JSON. */
export type McpMessage = { [field in MessageField]?: string }

/** @throws Problem `malformed-request` if it is no single request, `contract-broken` if it is no JSON, `body-too-large` */
export function readMessage(body: Uint8Array, maxItems: number): McpMessage {
  const reader = new JsonReader(body, maxValues(maxItems))
  const message: McpMessage = {}
  const readObject = (path: string) =>
    reader.entries(name => {
      const pointer = `${path}/${name.replaceAll('/', '~1')}`
      const known = POINTERS.find(one => one === pointer)
      if (known) {
        if (message[MESSAGE_FIELDS[known]] !== undefined) throw invalidMessage(`${pointer} appears more than once.`)
        message[MESSAGE_FIELDS[known]] = reader.raw()
      } else if (reader.isAt('object') && POINTERS.some(one => one.startsWith(`${pointer}/`))) readObject(pointer)
      else reader.skip()
    })
  const isObject = reader.isAt('object')
  if (isObject) readObject('')
  else reader.skip()
  reader.end()
  if (!isObject) throw invalidMessage('Send one JSON-RPC request, an object; batches are not supported.')
  return message
}

/** @throws Problem `contract-broken` if it is there and no text */
export function textField(message: McpMessage, field: MessageField): string | undefined {
  const json = message[field]
  if (json === undefined) return undefined
  if (json.startsWith('"')) return JSON.parse(json)
  throw invalidParameter(field, 'field-type', 'This must be a string.')
}

export function invalidMessage(detail: string): Problem {
  return new Problem('malformed-request', { detail })
}

export function invalidParameter(field: MessageField, code: ValidationErrorCode, what: string): Problem {
  const pointer = POINTERS.find(one => MESSAGE_FIELDS[one] === field) as string
  const detail = `${pointer}: ${what}`
  return problemFrom([{ pointer, code, detail }], { detail })
}
