// UCP carts over MCP: JSON-RPC 2.0, one message a POST, no session. The operations are those of `cart-operations.ts`.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Problem } from '../../errors.ts'
import { maxBody } from '../../transfer/option.ts'
import { rpcError, rpcResult, toolResult } from '../../ucp/json-rpc.ts'
import { mcpTools } from '../../ucp/mcp-tools.ts'
import { NEWEST } from '../../ucp/versions.ts'
import { acceptBody, refuseContentEncoding } from '../admit-request.ts'
import { loggedCall, recordTransfers, type WayContext } from '../transfer-record.ts'
import type { CartCall, CartOperations, CartResult } from './cart-operations.ts'
import { type IdentifyPlatform, profileIn } from './identify-platform.ts'
import { invalidMessage, invalidParameter, type McpMessage, readMessage, textField } from './mcp-message.ts'

/** Those of MCP that have no batches. The first is for clients of any other. */
const MCP_VERSIONS = ['2025-11-25', '2025-06-18']

declare module 'fastify' {
  interface FastifyRequest {
    /** Of a message of MCP that was read; its id in JSON. */
    mcp: { id: string } | undefined
  }
}

type McpRoute = { context: WayContext; operations: CartOperations; identify: IdentifyPlatform }

type Tool = {
  does: 'transfer' | 'cancellation' | 'reading'
  run: (call: CartCall, message: McpMessage) => Promise<CartResult>
}

export async function mcpRoute(app: FastifyInstance, { context, operations, identify }: McpRoute): Promise<void> {
  const { merchant, way } = context
  const { maxItems } = way.transfer
  const tools = new Map<string, Tool>([
    ['create_cart', { does: 'transfer', run: (call, sent) => operations.create(call, cartIn(sent)) }],
    ['get_cart', { does: 'reading', run: (call, sent) => operations.get(call, cartIdIn(sent)) }],
    ['update_cart', { does: 'transfer', run: (call, sent) => operations.update(call, cartIdIn(sent), cartIn(sent)) }],
    ['cancel_cart', { does: 'cancellation', run: (call, sent) => operations.cancel(call, cartIdIn(sent)) }]
  ])
  const list = JSON.stringify({ tools: mcpTools(maxItems) })

  app.decorateRequest('mcp', undefined)
  recordTransfers(app, context, (refusal, reply) =>
    rpcError(reply.request.mcp?.id ?? 'null', refusal, reply.getHeader('Retry-After'))
  )
  app.addHook('onSend', (request, _reply, payload, done) => {
    // A message that could not be read may have been a cart, and is logged as one.
    if (request.mcp && !request.transfer?.call) request.transfer = undefined
    done(null, payload)
  })
  refuseContentEncoding(app)
  const route = acceptBody(app, [way.option.encoding], maxBody(maxItems))
  app.post<{ Body: Buffer }>('/mcp', route, async (request, reply) => {
    const message = readMessage(request.body, maxItems)
    const result = await answer(request as FastifyRequest, message)
    reply.header('cache-control', 'no-store')
    if (result === undefined) return reply.code(202).send()
    return reply.type('application/json').send(rpcResult(message.id as string, result))
  })

  /** @returns the result, in JSON; undefined for a notification */
  async function answer(request: FastifyRequest, message: McpMessage): Promise<string | undefined> {
    const { id, version, method = 'null' } = message
    const isLegal = id === undefined || /^["\d-]|^null$/.test(id)
    request.mcp = { id: (isLegal && id) || 'null' }
    if (!isLegal || version !== '"2.0"' || !method.startsWith('"')) {
      throw invalidMessage('Send "jsonrpc": "2.0", an id that is a string or a number, and a method.')
    }
    const name: string = JSON.parse(method)
    if (id === undefined) {
      if (name.startsWith('notifications/')) return undefined
      throw invalidMessage('Send an id: only notifications have none.')
    }
    if (name === 'tools/call') return call(request, message)
    if (name === 'tools/list') return list
    if (name === 'ping') return '{}'
    if (name === 'initialize') {
      const asked = textField(message, 'protocol')
      const protocolVersion = MCP_VERSIONS.find(one => one === asked) ?? MCP_VERSIONS[0]
      const serverInfo = { name: merchant.name, version: NEWEST }
      return JSON.stringify({ protocolVersion, capabilities: { tools: {} }, serverInfo })
    }
    throw new Problem('not-found', { detail: 'The methods are tools/list, tools/call, initialize and ping.' })
  }

  async function call(request: FastifyRequest, message: McpMessage): Promise<string> {
    const name = textField(message, 'tool') ?? ''
    const tool = tools.get(name)
    if (!tool) throw invalidParameter('tool', 'value-malformed', `The tools are ${[...tools.keys()].join(', ')}.`)
    const { headers, log } = request
    const id = message.cartId?.slice(1, -1)
    const note = (sent: { profile?: string | undefined; key?: string | undefined }) => {
      if (tool.does !== 'reading')
        request.transfer = { call: loggedCall(tool.does === 'cancellation', { ...sent, id }) }
    }
    note({})
    const profile = textField(message, 'profile') ?? profileIn(headers['ucp-agent'])
    const key = textField(message, 'key') || headers['idempotency-key']?.toString() || undefined
    note({ profile, key })
    const platform = await identify(request, profile)
    const made = { platform, key, sent: message.cart ?? '', language: headers['accept-language'], log }
    const { transfer, body, status } = await tool.run(made, message)
    if (tool.does !== 'reading') request.transfer = { ...request.transfer, ...transfer }
    else log.debug({ merchant: merchant.id, option: way.name, reference: id, status }, name)
    return toolResult(body)
  }
}

function cartIn({ cart }: McpMessage): Buffer {
  if (cart === undefined) throw invalidParameter('cart', 'field-missing', 'This field is required.')
  if (!cart.startsWith('{')) throw invalidParameter('cart', 'field-type', 'This must be an object.')
  return Buffer.from(cart)
}

function cartIdIn(message: McpMessage): string {
  const id = textField(message, 'cartId')
  if (id === undefined) throw invalidParameter('cartId', 'field-missing', 'This field is required.')
  return id
}
