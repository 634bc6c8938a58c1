// What the parts of tracing share.
import type { Context, Span } from '@opentelemetry/api'
import type { TracingLibraries } from './load-tracing.ts'

export type Tracer = Pick<TracingLibraries, 'api'> & {
  propagator: InstanceType<TracingLibraries['W3CTraceContextPropagator']>
  /** The context of what is being done. */
  active: () => Context
  /** Begins a span that has the context's as its parent. */
  begin: (name: string, kind: number, attributes: Record<string, string | number>, context: Context) => Span
}
