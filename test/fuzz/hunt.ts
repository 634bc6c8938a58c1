// Looks for a case that fails, and makes it small.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import type { FuzzCase } from './fuzz-case.ts'

/** A case that fails, as small as it could be made, and why; `isAlone` if it fails without others beside it too. */
export type Found = { fuzzCase: FuzzCase; why: string; isAlone: boolean }

export type TryOne = (fuzzCase: FuzzCase) => Promise<unknown>

/** How long a case is made smaller, in milliseconds. */
const SHRINK_TIME = 20_000

/** Where a case that fails comes from: fast-check makes it again. */
export type Trace = { seed: number; path: string; fuzzCase: FuzzCase; why: string }

/** Tries that many cases, one after another. @returns the first that fails */
export async function hunt(
  cases: fc.Arbitrary<FuzzCase>,
  tryOne: TryOne,
  { seed, count }: { seed: number; count: number }
): Promise<Trace | undefined> {
  const result = await fc.check(propertyOf(cases, tryOne), { seed, numRuns: count, endOnFailure: true })
  if (!result.failed) return undefined
  const [fuzzCase] = result.counterexample as [FuzzCase]
  return { seed, path: String(result.counterexamplePath), fuzzCase, why: reasonOf(result.errorInstance) }
}

/** Tries a case again, without others beside it, and smaller ones while they fail too. */
export async function shrink(cases: fc.Arbitrary<FuzzCase>, tryOne: TryOne, trace: Trace): Promise<Found> {
  const { seed, path } = trace
  const property = propertyOf(cases, tryOne)
  const result = await fc.check(property, { seed, path, numRuns: 1, interruptAfterTimeLimit: SHRINK_TIME })
  if (!result.failed || !result.counterexample) return { ...trace, isAlone: false }
  const [fuzzCase] = result.counterexample as [FuzzCase]
  return { fuzzCase, why: reasonOf(result.errorInstance), isAlone: true }
}

function propertyOf(cases: fc.Arbitrary<FuzzCase>, tryOne: TryOne) {
  return fc.asyncProperty(cases, async fuzzCase => {
    await tryOne(fuzzCase)
  })
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** A case as an entry of `kept.json`. */
export function entryOf({ fuzzCase, why }: Pick<Found, 'fuzzCase' | 'why'>): string {
  return JSON.stringify({ why: why.split('\n')[0], ...fuzzCase }, undefined, 2)
}

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
