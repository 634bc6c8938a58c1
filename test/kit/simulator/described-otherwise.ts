// A shop that responds to bags as a test says, for example with a description that no app can use.
import type { ServerResponse } from 'node:http'
import type { FastifyInstance } from 'fastify'
import type { Description } from '../../../src/transfer/description.ts'
import { jsonDescription } from '../../../src/transfer/json-description/json-description.ts'
import type { TransferOption } from '../../../src/transfer/option.ts'

/** Option 1 with another description. */
export function describedOtherwise(describe: () => object): TransferOption[] {
  return [{ ...jsonDescription, describe: () => describe() as Description }]
}

/** Has the endpoint of a merchant `/shop` answer by this alone. */
export function answerOtherwise({ server }: FastifyInstance, answer: (response: ServerResponse) => void): void {
  const [route] = server.rawListeners('request')
  server.removeAllListeners('request').on('request', (request, response) => {
    if (request.url === '/shop/cart') answer(response)
    else route?.call(server, request, response)
  })
}
