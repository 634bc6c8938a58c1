// A named pipe: whoever reads it waits until somebody writes.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Test } from 'tap'

/** Makes a named pipe, which is deleted when the test ends. @returns its path */
export function makePipe(t: Test): string {
  const folder = mkdtempSync(join(tmpdir(), 'cart-transfer-pipe-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'pipe')
  execFileSync('mkfifo', [path])
  return path
}
