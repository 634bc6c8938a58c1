// Says in the log that spans cannot be sent: once, and once when they are sent again.
import type { SpanExporter } from '@opentelemetry/sdk-trace'

type ExportResult = Parameters<Parameters<SpanExporter['export']>[1]>[0]

export type ExportLogger = {
  warn: (details: object, message: string) => void
  info: (message: string) => void
}

/** @param outside makes a callback run outside any trace: spans are exported within the request that was last to add one */
export function reportExports(
  exporter: SpanExporter,
  logger: () => ExportLogger,
  outside: <Callback>(callback: Callback) => Callback
): SpanExporter {
  let isFailing = false
  return {
    export: (spans, done) => {
      const report = ({ code, error }: ExportResult) => {
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
      }
      exporter.export(spans, outside(report))
    },
    shutdown: () => exporter.shutdown()
  }
}
