// An option 1 whose shop responds as a test says, for example with a description that no app can use.
import type { FastifyReply } from 'fastify'
import { transferOptions } from '../../../src/transfer/index.ts'
import type { TransferOption } from '../../../src/transfer/option.ts'

export function describedOtherwise(answer: (reply: FastifyReply) => unknown): TransferOption[] {
  const [first] = transferOptions
  if (!first) throw new Error('there is no option')
  return [
    {
      ...first,
      plugin: async app => {
        app.post('', async (_request, reply) => answer(reply))
      }
    }
  ]
}
