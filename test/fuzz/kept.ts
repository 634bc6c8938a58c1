// Cases that failed once, as small as they could be made. They run first, always.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FuzzCase } from './fuzz-case.ts'

export type Kept = FuzzCase & {
  /** What was wrong. */
  why: string
}

export function readKept(): Kept[] {
  return JSON.parse(readFileSync(join(import.meta.dirname, 'kept.json'), 'utf8'))
}

/** The SKUs of the carts in them, which a catalogue has to have. */
export function skusOf(kept: Kept[]): string[] {
  return kept.flatMap(({ answers = [] }) => answers.flatMap(({ lines = [] }) => lines.map(({ sku }) => sku)))
}
