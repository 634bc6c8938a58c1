// JSON-RPC 2.0, as UCP has it over HTTP: what a result or a refusal is written as.
import { type Problem, problems } from '../errors.ts'
import { protocolError } from './cart-answer.ts'

/** @param id as it was sent, in JSON @param result JSON */
export const rpcResult = (id: string, result: string): string => `{"jsonrpc":"2.0","id":${id},"result":${result}}`

/** The result of a tool, which is JSON. */
export const toolResult = (json: string): string =>
  `{"structuredContent":${json},"content":[{"type":"text","text":${JSON.stringify(json)}}]}`

/** @param id as in `rpcResult`; `null` if it could not be read @param retryAfter the header of that name */
export function rpcError(id: string, problem: Problem, retryAfter: unknown): string {
  const code = rpcCode(problem)
  const message = STANDARD_MESSAGES[code] ?? problems[problem.code].title
  const data = { ...protocolError(problem), ...(retryAfter !== undefined && { retry_after: Number(retryAfter) }) }
  return `{"jsonrpc":"2.0","id":${id},"error":${JSON.stringify({ code, message, data })}}`
}

/** As JSON-RPC has them. */
const STANDARD_MESSAGES: Record<number, string> = {
  [-32700]: 'Parse error',
  [-32600]: 'Invalid Request',
  [-32601]: 'Method not found',
  [-32602]: 'Invalid params'
}

const DISCOVERY = ['invalid-profile-url', 'profile-unreachable', 'profile-malformed', 'version-unsupported']

/** Refusals of who calls, and of what may be called again later. */
const REFUSED_CALLS = [401, 403, 409, 429, 503]

function rpcCode({ code, mistakes: [mistake] }: Problem): number {
  const { status } = problems[code]
  if (DISCOVERY.includes(code)) return -32001
  if (REFUSED_CALLS.includes(status)) return -32000
  if (code === 'not-found') return -32601
  if (mistake) return ['json-malformed', 'encoding-malformed'].includes(mistake.code) ? -32700 : -32602
  return status >= 500 ? -32603 : -32600
}
