// Stores in a schema of its test.
import type { Test } from 'tap'
import { openPostgres } from '../../../src/store/postgres/postgres-store.ts'
import { sharedPostgres } from '../../postgres.ts'
import type { OpenStore } from '../store-suite.ts'

const urls = new WeakMap<Test, string>()

/** The address of the test's schema. */
export async function urlOf(t: Test): Promise<string> {
  const url = urls.get(t) ?? (await (await sharedPostgres()).newUrl())
  urls.set(t, url)
  return url
}

/** Opens one more store on the schema of the test, which is new at first. */
export const openTested: OpenStore = async t => openPostgres(await urlOf(t))
