// The store with a span for each call that a trace waits for.

import type { Trace } from '../observer.ts'
import type { Store } from '../store/store.ts'

export function traceStore(store: Store, part: Trace): Store {
  const traced = Object.entries(store).map(([name, method]) => [
    name,
    (...args: unknown[]) => part(`store ${name}`, () => (method as (...args: unknown[]) => Promise<unknown>)(...args))
  ])
  return Object.fromEntries(traced) as Store
}
