// A collector for tests: a real HTTP server that takes spans by OTLP, as http/protobuf.
import type { IncomingHttpHeaders } from 'node:http'
import type { Test } from 'tap'
import { listen } from '../../listen.ts'
import { readSpans, type SentSpan } from './read-spans.ts'

export type Collector = {
  /** For OTEL_EXPORTER_OTLP_ENDPOINT. */
  endpoint: string
  spans: SentSpan[]
  requests: { url: string | undefined; headers: IncomingHttpHeaders }[]
  /** What it answers from now on; 0: it hangs. */
  answer: (status: number) => void
}

export async function openCollector(t: Test): Promise<Collector> {
  const spans: SentSpan[] = []
  const requests: Collector['requests'] = []
  let status = 200
  const { origin } = await listen(t, async (request, response) => {
    const body = Buffer.concat(await request.toArray())
    requests.push({ url: request.url, headers: request.headers })
    if (status === 0) return
    if (status === 200) spans.push(...readSpans(body))
    response.writeHead(status).end()
  })
  return {
    endpoint: origin,
    spans,
    requests,
    answer: next => {
      status = next
    }
  }
}
