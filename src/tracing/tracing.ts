// What traces are made with. Only `open-tracing.ts` knows that it is OpenTelemetry.
import type { EventEmitter } from 'node:events'
import type { IncomingHttpHeaders } from 'node:http'
import type { Trace } from '../observer.ts'
import type { Store } from '../store/store.ts'

export type Tracing = {
  /** Begins the span of a request, in the trace that its headers name, if they name one. The route has no values in it. */
  beginRequest: (request: { method: string; route: string | undefined; headers: IncomingHttpHeaders }) => RequestSpan
  /** A part of what is traced at the moment. If nothing is, it is not traced either. */
  part: Trace
  /** Work that no request waits for: a trace of its own. */
  task: Trace
  /** `fetch` as a part of what is traced at the moment; it tells the other side. */
  fetch: typeof fetch
  /** What is traced at the moment, for a line of the log. */
  logFields: () => Record<string, string>
  /** Sends what has not been sent. */
  close: () => Promise<void>
}

type RequestSpan = {
  /** Runs work as a part of the request; so does what listens to these emitters from here on. */
  run: (emitters: EventEmitter[], work: () => void) => void
  /** @param problem the code of its refusal */
  end: (status: number | undefined, problem: string | undefined) => void
}

/** The store with a span for each call that a trace waits for. */
export function traceStore(store: Store, part: Trace): Store {
  const traced = Object.entries(store).map(([name, method]) => [
    name,
    (...args: unknown[]) => part(`store ${name}`, () => (method as (...args: unknown[]) => Promise<unknown>)(...args))
  ])
  return Object.fromEntries(traced) as Store
}
