// Says in the log that spans cannot be sent: once, and once when they are sent again.
import type { SpanExporter } from '@opentelemetry/sdk-trace'

export type ExportLogger = {
  warn: (details: object, message: string) => void
  info: (message: string) => void
}

export function reportExports(exporter: SpanExporter, logger: () => ExportLogger): SpanExporter {
  let isFailing = false
  return {
    export: (spans, done) =>
      exporter.export(spans, result => {
        const { code, error } = result
        const hasFailed = code !== 0
        const log = logger()
        if (hasFailed && !isFailing) {
          const { code: cause, message }: { code?: string | number; message?: string } = Object(error)
          const reason = [cause, message].filter(Boolean).join(': ')
          log.warn({ reason }, 'traces cannot be sent, and are dropped until they can')
        }
        if (!hasFailed && isFailing) log.info('traces are sent again')
        isFailing = hasFailed
        // OpenTelemetry's own report of a failure has a stack, for every batch.
        done({ code: 0 })
      }),
    shutdown: () => exporter.shutdown()
  }
}
