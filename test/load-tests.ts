// Runs the test files of a folder in one process: a process for each costs about a second of CPU before its first test.
import { globSync } from 'node:fs'
import { join } from 'node:path'

/** Loads every test file in this folder and below it, apart from `all.test.ts`, which calls this. */
export async function loadTests(folder: string): Promise<void> {
  for (const file of globSync('**/*.test.ts', { cwd: folder }).sort()) {
    if (file !== 'all.test.ts') await import(join(folder, file))
  }
}
