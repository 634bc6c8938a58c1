// The packages of OpenTelemetry, loaded only by those who trace. @opentelemetry/sdk-node, which knows all variables by
// itself, would bring gRPC, four exporters and twice the megabytes.

export async function loadTracing() {
  const [api, { AsyncLocalStorageContextManager }, { W3CTraceContextPropagator }, exporting, resources, sdk] =
    await Promise.all([
      import('@opentelemetry/api'),
      import('@opentelemetry/context-async-hooks'),
      import('@opentelemetry/core'),
      import('@opentelemetry/exporter-trace-otlp-proto'),
      import('@opentelemetry/resources'),
      import('@opentelemetry/sdk-trace')
    ])
  const { OTLPTraceExporter } = exporting
  const { BatchSpanProcessor, TracerProvider } = sdk
  const { AlwaysOffSampler, AlwaysOnSampler, ParentBasedSampler, TraceIdRatioBasedSampler } = sdk
  return {
    api,
    AsyncLocalStorageContextManager,
    W3CTraceContextPropagator,
    OTLPTraceExporter,
    resources,
    BatchSpanProcessor,
    TracerProvider,
    AlwaysOffSampler,
    AlwaysOnSampler,
    ParentBasedSampler,
    TraceIdRatioBasedSampler
  }
}

export type TracingLibraries = Awaited<ReturnType<typeof loadTracing>>
