// Traces by OpenTelemetry, sent to a collector. Nothing is registered globally, and no library is patched. No span holds a
// token, a query, an address or anything about a person. (@opentelemetry/sdk-node would bring gRPC and four exporters.)
import { setTimeout as sleep } from 'node:timers/promises'
import {
  type Attributes,
  type Context,
  defaultTextMapGetter,
  defaultTextMapSetter,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace
} from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { W3CTraceContextPropagator } from '@opentelemetry/core'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
  serviceInstanceIdDetector
} from '@opentelemetry/resources'
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider
} from '@opentelemetry/sdk-trace'
import type { TracingSettings } from '../../environment.ts'
import type { Fetch } from '../../integrations/outgoing/http-client.ts'
import type { Log, Trace, Tracing } from '../../observer.ts'

const NAME = 'cart-transfer'

/** How long a stop waits for the last spans to be sent, in milliseconds. */
const PATIENCE = 3000

type TracingParts = {
  fetch: Fetch
  /** Lazy: the log's lines name the trace, so tracing opens before the log does. */
  logger: () => Log
  patience?: number
}

export function openTracing(settings: TracingSettings, { fetch, logger, patience = PATIENCE }: TracingParts) {
  const contexts = new AsyncLocalStorageContextManager()
  const propagator = new W3CTraceContextPropagator()
  const provider = new TracerProvider({
    // OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES override the name.
    resource: defaultResource()
      .merge(resourceFromAttributes({ 'service.name': NAME }))
      .merge(detectResources({ detectors: [serviceInstanceIdDetector, envDetector] })),
    sampler: samplerOf(settings),
    spanProcessors: [
      new BatchSpanProcessor({
        ...settings.batch,
        exporter: reportExports(new OTLPTraceExporter(), logger, contexts)
      })
    ]
  })
  const tracer = provider.getTracer(NAME)
  const begin = (name: string, kind: SpanKind, attributes: Attributes, context: Context) =>
    tracer.startSpan(name, { kind, attributes }, context)

  /** Runs work as a span, which also ends if the work throws before it has a promise. */
  function runWithin<T>(span: Span, context: Context, work: () => Promise<T>): Promise<T> {
    return contexts
      .with(trace.setSpan(context, span), async () => work())
      .catch(error => {
        const { cause, name } = error as Error & { cause?: { code?: string } }
        // Its message may say what was in a cart. Why fetch failed is in its cause.
        fail(span, (name === 'TypeError' && cause?.code) || name)
        throw error
      })
      .finally(() => span.end())
  }
  return {
    beginRequest: (({ method, route, headers }) => {
      const context = propagator.extract(ROOT_CONTEXT, headers, defaultTextMapGetter)
      // The path itself may hold a token.
      const attributes = { 'http.request.method': method, ...(route !== undefined && { 'http.route': route }) }
      const span = begin(route === undefined ? method : `${method} ${route}`, SpanKind.SERVER, attributes, context)
      return {
        run: (emitters, work) => {
          const within = trace.setSpan(context, span)
          for (const emitter of emitters) contexts.bind(within, emitter)
          contexts.with(within, work)
        },
        end: (status, problem) => {
          if (problem !== undefined) span.setAttribute('cart_transfer.problem', problem)
          if (status === undefined) span.setAttribute('error.type', 'client_left')
          else span.setAttribute('http.response.status_code', status)
          if (status !== undefined && status >= 500) fail(span, String(status))
          span.end()
        }
      }
    }) satisfies Tracing['beginRequest'],
    part: ((name, work) => {
      const context = contexts.active()
      if (!trace.getSpan(context)?.isRecording()) return work()
      return runWithin(begin(name, SpanKind.INTERNAL, {}, context), context, work)
    }) satisfies Trace,
    /** Work that no request waits for: a trace of its own. */
    task: ((name, work) =>
      runWithin(begin(name, SpanKind.INTERNAL, {}, ROOT_CONTEXT), ROOT_CONTEXT, work)) satisfies Trace,
    /** `fetch` as a part of what is traced at the moment; passes the trace context on. */
    fetch: (async (url, options) => {
      const context = contexts.active()
      if (!trace.getSpan(context)) return fetch(url, options)
      const { hostname, port, protocol } = new URL(url)
      const { method = 'GET' } = options
      // The path itself may hold the id of a cart.
      const attributes = {
        'http.request.method': method,
        'server.address': hostname,
        'server.port': Number(port) || (protocol === 'https:' ? 443 : 80)
      }
      const span = begin(method, SpanKind.CLIENT, attributes, context)
      return runWithin(span, context, async () => {
        const headers = { ...options.headers }
        propagator.inject(contexts.active(), headers, defaultTextMapSetter)
        const response = await fetch(url, { ...options, headers })
        span.setAttribute('http.response.status_code', response.status)
        if (response.status >= 400) fail(span, String(response.status))
        return response
      })
    }) satisfies Fetch,
    /** What is traced at the moment, for a line of the log. */
    logFields: (): Record<string, string> => {
      const span = trace.getSpanContext(contexts.active())
      if (!span) return {}
      const { traceId, spanId, traceFlags } = span
      return { trace_id: traceId, span_id: spanId, trace_flags: traceFlags.toString(16).padStart(2, '0') }
    },
    /** Sends what has not been sent. */
    close: () => Promise.race([provider.shutdown(), sleep(patience, undefined, { ref: false })])
  }
}

function fail(span: Span, type: string): void {
  span.setAttribute('error.type', type).setStatus({ code: SpanStatusCode.ERROR })
}

function samplerOf({ sampler, ratio }: TracingSettings): Sampler {
  const roots = {
    always_on: () => new AlwaysOnSampler(),
    always_off: () => new AlwaysOffSampler(),
    traceidratio: () => new TraceIdRatioBasedSampler(ratio)
  }
  const root = roots[sampler.replace('parentbased_', '') as keyof typeof roots]()
  return sampler.startsWith('parentbased_') ? new ParentBasedSampler({ root }) : root
}

/** Logs once when exports start to fail, and once when they work again. */
function reportExports(
  exporter: SpanExporter,
  logger: TracingParts['logger'],
  contexts: AsyncLocalStorageContextManager
): SpanExporter {
  let isFailing = false
  return {
    export: (spans, done) => {
      const report: typeof done = ({ code, error }) => {
        const hasFailed = code !== 0
        if (hasFailed && !isFailing) {
          const { code: cause, message }: { code?: string | number; message?: string } = Object(error)
          const reason = [cause, message].filter(Boolean).join(': ')
          logger().warn({ reason }, 'traces cannot be sent, and are dropped until they can')
        }
        if (!hasFailed && isFailing) logger().info('traces are sent again')
        isFailing = hasFailed
        // OpenTelemetry's own report of a failure has a stack, for every batch.
        done({ code: 0 })
      }
      // An export runs in the context of the request that last added a span; its log lines belong to no request.
      exporter.export(spans, contexts.bind(ROOT_CONTEXT, report))
    },
    shutdown: () => exporter.shutdown()
  }
}
