// Runs test files in one process: a process for each costs about a second of CPU before its first test.
import { globSync } from 'node:fs'
import { join } from 'node:path'

/** Loads these test files of a folder; by default all that are in it and below, apart from its `all.test.ts`. */
export async function loadTests(folder: string, names?: string[]): Promise<void> {
  const files = names?.map(name => `${name}.test.ts`) ?? globSync('**/*.test.ts', { cwd: folder }).sort()
  for (const file of files) if (file !== 'all.test.ts') await import(join(folder, file))
}
