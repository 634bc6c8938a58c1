// Traces by OpenTelemetry, sent to a collector. Nothing is registered globally, and no library is patched: what is traced
// is what is passed around. No span holds a token, a query, an address or anything about a person. It is loaded only if
// there is somewhere to send them; @opentelemetry/sdk-node would bring gRPC and four exporters.
import {
  type Attributes,
  type Context,
  defaultTextMapGetter,
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
import type { TracingSettings } from '../environment.ts'
import type { Tracing } from './tracing.ts'

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

export type ExportLogger = {
  warn: (details: object, message: string) => void
  info: (message: string) => void
}

export function openTracing(settings: TracingSettings, parts: TracingParts): Tracing {
  const { fetch, logger, patience = PATIENCE } = parts
  const contexts = new AsyncLocalStorageContextManager()
  const propagator = new W3CTraceContextPropagator()
  const provider = new TracerProvider({
    // OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES say who sends the spans, or nobody does.
    resource: defaultResource()
      .merge(resourceFromAttributes({ 'service.name': NAME }))
      .merge(detectResources({ detectors: [serviceInstanceIdDetector, envDetector] })),
    sampler: samplerOf(settings),
    spanProcessors: [
      new BatchSpanProcessor({
        ...settings.batch,
        // Spans are exported within the request that was last to add one: what the log says of it belongs to none.
        exporter: reportExports(new OTLPTraceExporter(), logger, report => contexts.bind(ROOT_CONTEXT, report))
      })
    ]
  })
  const tracer = provider.getTracer(NAME)
  const begin = (name: string, kind: SpanKind, attributes: Attributes, context: Context) =>
    tracer.startSpan(name, { kind, attributes }, context)

  function runWithin<T>(name: string, context: Context, work: () => Promise<T>): Promise<T> {
    const span = begin(name, SpanKind.INTERNAL, {}, context)
    // It ends also if the work throws before it has a promise.
    return contexts
      .with(trace.setSpan(context, span), async () => work())
      .catch(error => {
        // Its message may say what was in a cart.
        fail(span, (error as Error).name)
        throw error
      })
      .finally(() => span.end())
  }
  return {
    beginRequest: ({ method, route, headers }) => {
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
    },
    part: (name, work) => {
      const context = contexts.active()
      return trace.getSpan(context)?.isRecording() ? runWithin(name, context, work) : work()
    },
    task: (name, work) => runWithin(name, ROOT_CONTEXT, work),
    fetch: (input, init) => {
      const context = contexts.active()
      if (!trace.getSpan(context)) return fetch(input, init)
      const request = input instanceof Request ? input : undefined
      const { hostname, port, protocol } = new URL(request?.url ?? String(input))
      const method = init?.method ?? request?.method ?? 'GET'
      // The path itself may hold the id of a cart.
      const attributes = {
        'http.request.method': method,
        'server.address': hostname,
        'server.port': Number(port) || (protocol === 'https:' ? 443 : 80)
      }
      const span = begin(method, SpanKind.CLIENT, attributes, context)
      const headers = new Headers(init?.headers ?? request?.headers)
      propagator.inject(trace.setSpan(context, span), headers, { set: (to, name, value) => to.set(name, value) })
      return fetch(input, { ...init, headers })
        .then(response => {
          span.setAttribute('http.response.status_code', response.status)
          if (response.status >= 400) fail(span, String(response.status))
          return response
        })
        .catch(error => {
          const { cause, name } = error as { cause?: { code?: string }; name: string }
          fail(span, cause?.code ?? name)
          throw error
        })
        .finally(() => span.end())
    },
    logFields: () => {
      const span = trace.getSpanContext(contexts.active())
      if (!span) return {}
      const { traceId, spanId, traceFlags } = span
      return { trace_id: traceId, span_id: spanId, trace_flags: traceFlags.toString(16).padStart(2, '0') }
    },
    close: async () => {
      const { promise: late, resolve } = Promise.withResolvers<void>()
      const timer = setTimeout(resolve, patience)
      await Promise.race([provider.shutdown(), late])
      clearTimeout(timer)
    }
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

type ExportResult = Parameters<Parameters<SpanExporter['export']>[1]>[0]

/** Says in the log that spans cannot be sent: once, and once when they are sent again. */
function reportExports(
  exporter: SpanExporter,
  logger: () => ExportLogger,
  outside: <Callback>(callback: Callback) => Callback
): SpanExporter {
  let isFailing = false
  return {
    export: (spans, done) => {
      const report = ({ code, error }: ExportResult) => {
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
      exporter.export(spans, outside(report))
    },
    shutdown: () => exporter.shutdown()
  }
}
