// `fetch` with a span for each request, and with the headers by which the other side goes on with the trace.
import type { Tracer } from './tracer.ts'

export function traceFetch({ api, propagator, active, begin }: Tracer, fetch: typeof globalThis.fetch): typeof fetch {
  const { SpanKind, SpanStatusCode, trace } = api
  return (input, init) => {
    const context = active()
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
    const fail = (type: string) => span.setAttribute('error.type', type).setStatus({ code: SpanStatusCode.ERROR })
    return fetch(input, { ...init, headers })
      .then(response => {
        span.setAttribute('http.response.status_code', response.status)
        if (response.status >= 400) fail(String(response.status))
        return response
      })
      .catch(error => {
        const { cause, name } = error as { cause?: { code?: string }; name: string }
        fail(cause?.code ?? name)
        throw error
      })
      .finally(() => span.end())
  }
}
