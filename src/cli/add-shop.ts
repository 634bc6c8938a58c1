// `npm run add-shop`: asks what a shop needs, or takes it as flags, and writes a merchant file that starts.
import { createInterface } from 'node:readline/promises'
import { readEnvironment } from '../environment.ts'
import { type Ask, addShop } from './new-shop.ts'
import { runCommand } from './run-command.ts'

const USAGE = `npm run add-shop -- FILE.json [--name TEXT] [--feed FILE|URL] [--currencies GBP,EUR] [--locale en-GB]
                         [--option 1] [--public-url URL] [--continue-url URL]

Writes a merchant file with what a shop needs, and tries it. Asks for what no flag gives; an empty answer takes what is
in brackets. Without a feed there is one with two example products. No file is overwritten.

exit code: 0 the shop can be started, 1 it could not, and nothing was written, 2 the arguments cannot be read
`

async function run(args: string[]): Promise<number> {
  // Not as a terminal: Ctrl-C then ends the process at once, as anywhere else.
  const lines = createInterface({ input: process.stdin, terminal: false })
  const answers = lines[Symbol.asyncIterator]()
  const ask: Ask = async question => {
    process.stdout.write(question)
    const { value } = await answers.next()
    return value
  }
  try {
    process.stdout.write(await addShop(args, readEnvironment(), ask))
  } finally {
    lines.close()
  }
  return 0
}

await runCommand({ usage: USAGE, run, failed: 1 })
