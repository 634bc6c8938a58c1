// Runs test files in one process: a process for each costs about a second of CPU before its first test.
import { globSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'

/** How long a test may take, in milliseconds, on a busy machine too: one that hangs fails alone, and the others go on. */
const PATIENCE = 300_000

let isFirst = true

/** Loads the test files of a folder that match: by default all that are in it and below, apart from its `all.test.ts`. */
export async function loadTests(folder: string, names = '**/*'): Promise<void> {
  if (isFirst) {
    isFirst = false
    t.beforeEach(test => {
      test.setTimeout(PATIENCE)
      // tap's own timer does not keep the process, which would end with a test that waits for nothing.
      const keepAlive = setTimeout(() => {}, PATIENCE + 1000)
      test.teardown(() => clearTimeout(keepAlive))
    })
  }
  const files = globSync(`${names}.test.ts`, { cwd: folder }).sort()
  for (const file of files) if (file !== 'all.test.ts') await import(join(folder, file))
}
