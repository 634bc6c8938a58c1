// The flags of a script of ours, read and refused as those of our commands are.
import { type Arguments, executeCommand, type Flags, UsageError } from '../src/cli/run-command.ts'

/** Exits if the usage, or what is wrong, is all that there is to say. */
export async function readFlags<Known extends Flags>(usage: string, flags: Known): Promise<Arguments<Known>['values']> {
  const given: Arguments<Known>['values'][] = []
  const run = async ({ values, positionals: [argument] }: Arguments<Known>) => {
    if (argument !== undefined) throw new UsageError(`${argument} is not a flag`)
    given.push(values)
    return 0
  }
  // Not `.env`: the servers that the scripts start have an environment of their own.
  const code = await executeCommand({ usage: `${usage}\n`, flags, run }, process.argv.slice(2), process, {})
  const [values] = given
  return values ?? process.exit(code)
}
