// Traces by OpenTelemetry, sent to a collector. Nothing is registered globally, and no library is patched: what is traced
// is what is passed around. No span holds a token, a query, an address or anything about a person.
import type { Context, Span } from '@opentelemetry/api'
import type { TracingSettings } from '../environment.ts'
import { loadTracing, type TracingLibraries } from './load-tracing.ts'
import { type ExportLogger, reportExports } from './report-exports.ts'
import { makeSampler } from './sampler.ts'
import { traceFetch } from './traced-fetch.ts'
import type { Tracer } from './tracer.ts'
import type { RequestSpan, TracedRequest, Tracing } from './tracing.ts'

const NAME = 'cart-transfer'

/** How long a stop waits for the last spans to be sent, in milliseconds. */
const PATIENCE = 3000

export type TracingParts = {
  fetch: typeof fetch
  /** Its lines have what is traced, so there is tracing before there is a log. */
  logger: () => ExportLogger
  /** In milliseconds. */
  patience?: number
}

export async function openTracing(
  settings: TracingSettings,
  { fetch, logger, patience = PATIENCE }: TracingParts
): Promise<Tracing> {
  const libraries = await loadTracing()
  const { api, AsyncLocalStorageContextManager, BatchSpanProcessor, OTLPTraceExporter, TracerProvider } = libraries
  const contexts = new AsyncLocalStorageContextManager()
  const outside = <Callback>(callback: Callback) => contexts.bind(api.ROOT_CONTEXT, callback)
  const exporter = reportExports(new OTLPTraceExporter(), logger, outside)
  const provider = new TracerProvider({
    resource: resourceOf(libraries),
    sampler: makeSampler(settings, libraries),
    spanProcessors: [new BatchSpanProcessor({ ...settings.batch, exporter })]
  })
  const otelTracer = provider.getTracer(NAME)
  const { SpanKind, SpanStatusCode, ROOT_CONTEXT, trace } = api
  const tracer: Tracer = {
    api,
    propagator: new libraries.W3CTraceContextPropagator(),
    active: () => contexts.active(),
    begin: (name, kind, attributes, context) => otelTracer.startSpan(name, { kind, attributes }, context)
  }

  function runWithin<T>(span: Span, context: Context, work: () => Promise<T>): Promise<T> {
    // Its span ends also if it throws before it has a promise.
    return contexts
      .with(trace.setSpan(context, span), async () => work())
      .catch(error => {
        // Its message may say what was in a cart.
        span.setAttribute('error.type', (error as Error).name).setStatus({ code: SpanStatusCode.ERROR })
        throw error
      })
      .finally(() => span.end())
  }
  return {
    beginRequest: request => {
      const context = tracer.propagator.extract(ROOT_CONTEXT, request.headers, api.defaultTextMapGetter)
      const span = beginServerSpan(tracer, request, context)
      return {
        run: (emitters, work) => {
          const within = trace.setSpan(context, span)
          for (const emitter of emitters) contexts.bind(within, emitter)
          contexts.with(within, work)
        },
        end: endServerSpan(tracer, span)
      }
    },
    part: (name, work) => {
      const context = tracer.active()
      if (!trace.getSpan(context)?.isRecording()) return work()
      return runWithin(tracer.begin(name, SpanKind.INTERNAL, {}, context), context, work)
    },
    task: (name, work) => runWithin(tracer.begin(name, SpanKind.INTERNAL, {}, ROOT_CONTEXT), ROOT_CONTEXT, work),
    fetch: traceFetch(tracer, fetch),
    logFields: () => {
      const span = trace.getSpanContext(tracer.active())
      if (!span) return {}
      return {
        trace_id: span.traceId,
        span_id: span.spanId,
        trace_flags: span.traceFlags.toString(16).padStart(2, '0')
      }
    },
    close: async () => {
      const { promise: late, resolve } = Promise.withResolvers<void>()
      const timer = setTimeout(resolve, patience)
      await Promise.race([provider.shutdown(), late])
      clearTimeout(timer)
    }
  }
}

/** Who sends the spans: OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES say it, or nobody does. */
function resourceOf({ resources }: TracingLibraries) {
  const { defaultResource, detectResources, envDetector, resourceFromAttributes, serviceInstanceIdDetector } = resources
  return defaultResource()
    .merge(resourceFromAttributes({ 'service.name': NAME }))
    .merge(detectResources({ detectors: [serviceInstanceIdDetector, envDetector] }))
}

function beginServerSpan({ api, begin }: Tracer, { method, route }: TracedRequest, context: Context): Span {
  // The path itself may hold a token.
  const attributes = { 'http.request.method': method, ...(route !== undefined && { 'http.route': route }) }
  return begin(route === undefined ? method : `${method} ${route}`, api.SpanKind.SERVER, attributes, context)
}

function endServerSpan({ api }: Tracer, span: Span): RequestSpan['end'] {
  return (status, problem) => {
    if (status !== undefined) span.setAttribute('http.response.status_code', status)
    if (problem !== undefined) span.setAttribute('cart_transfer.problem', problem)
    if (status === undefined) span.setAttribute('error.type', 'client_left')
    else if (status >= 500) {
      span.setAttribute('error.type', String(status)).setStatus({ code: api.SpanStatusCode.ERROR })
    }
    span.end()
  }
}
