// Runs a command as a terminal would, but in this process: another one takes a second of CPU to start.
import { Readable, Writable } from 'node:stream'
import { type Command, executeCommand, type Flags } from '../../src/cli/run-command.ts'
import type { NodeRun } from '../node-process.ts'

/** A stream that keeps what is written to it. */
function memory(): { stream: Writable; text: () => string } {
  let text = ''
  const stream = new Writable({
    write: (chunk, _encoding, done) => {
      text += chunk
      done()
    }
  })
  return { stream, text: () => text }
}

/** @param typed the lines on its standard input */
export async function runHere<Known extends Flags>(
  command: Command<Known>,
  args: string[],
  variables: NodeJS.ProcessEnv,
  typed: string[] = []
): Promise<NodeRun> {
  const [stdout, stderr] = [memory(), memory()]
  const stdin = Readable.from(typed.map(line => `${line}\n`))
  const streams = { stdin, stdout: stdout.stream, stderr: stderr.stream }
  const code = await executeCommand(command, args, streams, variables)
  return { code, stdout: stdout.text(), stderr: stderr.text() }
}
