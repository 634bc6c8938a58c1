// Gives back to the system what only the start has needed. V8 would keep it as room for new objects: with the demo's
// merchants, 16 of 121 MB (`npm run bench -- --only start`).
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** Collects all garbage, which takes some 40 ms of the calling thread. */
export function releaseMemory(): void {
  // With `--expose-gc` in the command, a start would take 10 ms more: V8 checks its snapshot against such flags, and code
  // that it has kept too, so that the flag must not stay.
  setFlagsFromString('--expose-gc')
  const collect: NodeJS.GCFunction = runInNewContext('gc')
  setFlagsFromString('--no-expose-gc')
  collect({ type: 'major', execution: 'sync', flavor: 'last-resort' })
}
