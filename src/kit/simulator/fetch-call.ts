// Formats a web request as a call of fetch, to paste into a script or the console of Node. In the console of a browser it
// sends less: without an error, browsers drop Cookie, Origin and other headers that are theirs to set, and a request to
// another origin than the page's needs CORS.
import type { WebHeader, WebRequest } from '../../transfer/option.ts'
import { TRANSPORT_HEADERS } from '../client/send-request.ts'

export function fetchCall({ method, url, headers, body }: WebRequest): string {
  if (body !== undefined && /^(GET|HEAD)$/i.test(method)) return `// fetch cannot send a ${method} with a body`
  const sent = headers.filter(({ name }) => !TRANSPORT_HEADERS.includes(name.toLowerCase()))
  // Pairs, as a header may be repeated.
  const pairs = sent.map(header => `    [${JSON.stringify(header.name)}, ${writeValue(header)}]`)
  const parts = [
    `  method: ${JSON.stringify(method)}`,
    `  headers: [\n${pairs.join(',\n')}\n  ]`,
    ...(body === undefined ? [] : [`  body: ${JSON.stringify(body)}`])
  ]
  return `await fetch(${JSON.stringify(url)}, {\n${parts.join(',\n')}\n})`
}

/** A secret is a constant with the name of its variable: without one the call fails, and names it. */
function writeValue({ value, variable }: WebHeader): string {
  if (variable === undefined) return JSON.stringify(value)
  return `\`${value.replace(`$${variable}`, `\${${variable}}`)}\``
}
