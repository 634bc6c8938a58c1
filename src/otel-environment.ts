// The variables of OpenTelemetry that decide whether there are traces, and which of them are kept. Where they go, and with
// which headers, its exporter reads by itself.

export type TracingSettings = {
  sampler: TracesSampler
  /** From 0 to 1: for the samplers that keep a share. */
  ratio: number
  batch: {
    scheduledDelayMillis?: number
    exportTimeoutMillis?: number
    maxQueueSize?: number
    maxExportBatchSize?: number
  }
}

const SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio'
] as const

export type TracesSampler = (typeof SAMPLERS)[number]

const ENDPOINTS = ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'OTEL_EXPORTER_OTLP_ENDPOINT']

const PROTOCOLS = ['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', 'OTEL_EXPORTER_OTLP_PROTOCOL']

const BATCH = {
  OTEL_BSP_SCHEDULE_DELAY: 'scheduledDelayMillis',
  OTEL_BSP_EXPORT_TIMEOUT: 'exportTimeoutMillis',
  OTEL_BSP_MAX_QUEUE_SIZE: 'maxQueueSize',
  OTEL_BSP_MAX_EXPORT_BATCH_SIZE: 'maxExportBatchSize'
} as const

/**
 * An empty variable counts as absent, as OpenTelemetry has it.
 * @returns undefined if nothing is traced
 */
export function readTracing(
  variables: Record<string, string | undefined>,
  refuse: (name: string, value: string, right: string) => void
): TracingSettings | undefined {
  const endpoints = ENDPOINTS.filter(name => variables[name])
  const isOff = variables.OTEL_SDK_DISABLED?.toLowerCase() === 'true' || variables.OTEL_TRACES_EXPORTER === 'none'
  if (endpoints.length === 0 || isOff) return undefined

  for (const name of endpoints) {
    const value = String(variables[name])
    if (!/^https?:$/.test(URL.parse(value)?.protocol ?? '')) {
      refuse(name, value, 'an http or https address, such as "http://127.0.0.1:4318"')
    }
  }
  for (const name of PROTOCOLS) {
    const value = variables[name]
    if (value && value !== 'http/protobuf') refuse(name, value, '"http/protobuf"')
  }
  const { OTEL_TRACES_SAMPLER, OTEL_TRACES_SAMPLER_ARG } = variables
  const sampler = SAMPLERS.find(name => name === (OTEL_TRACES_SAMPLER || 'parentbased_always_on'))
  if (!sampler) refuse('OTEL_TRACES_SAMPLER', String(OTEL_TRACES_SAMPLER), `one of ${SAMPLERS.join(', ')}`)
  const ratio = Number(OTEL_TRACES_SAMPLER_ARG || 1)
  if (!(ratio >= 0 && ratio <= 1)) {
    refuse('OTEL_TRACES_SAMPLER_ARG', String(OTEL_TRACES_SAMPLER_ARG), 'a number from 0 to 1')
  }
  const batch: TracingSettings['batch'] = {}
  for (const [name, setting] of Object.entries(BATCH)) {
    const value = variables[name]
    if (!value) continue
    if (!/^[1-9]\d{0,8}$/.test(value)) refuse(name, value, 'a whole number, at least 1')
    batch[setting] = Number(value)
  }
  return sampler && { sampler, ratio, batch }
}
