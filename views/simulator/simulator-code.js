// A request as code that sends it: the same method, address, headers and bytes. Secrets are not in it: it has the name of
// the variable in place of each.

/** Headers that every HTTP client sets itself. */
const TRANSPORT = ['host', 'content-length', 'connection', 'transfer-encoding']

/** Characters that do not print, or reorder those that do, and what ends a string or means something in one. */
const SPECIAL = /["\\$`]|[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu

/** A string between double quotes. @param unicode writes a code point, in hexadecimal @param plain what needs no backslash */
function literal(text, unicode, plain) {
  const escaped = text.toWellFormed().replace(SPECIAL, found => {
    if (found === '\n') return '\\n'
    if (/["\\$`]/.test(found)) return plain.includes(found) ? found : `\\${found}`
    return unicode(found.codePointAt(0).toString(16), found)
  })
  return `"${escaped}"`
}

/** As UTF-16, for languages that know no other escapes. */
const unit = found =>
  Array.from({ length: found.length }, (_, i) => `\\u${found.charCodeAt(i).toString(16).padStart(4, '0')}`).join('')

const STRING = {
  js: text => literal(text, (_hex, found) => unit(found), '$`'),
  python: text => literal(text, hex => `\\U${hex.padStart(8, '0')}`, '$`'),
  kotlin: text => literal(text, (_hex, found) => unit(found), '`'),
  swift: text => literal(text, hex => `\\u{${hex}}`, '$`')
}

/** The headers to set, each as a pair of expressions. @param read an expression for the value of a variable */
function headersOf({ headers }, string, read) {
  const sent = headers.filter(({ name }) => !TRANSPORT.includes(name.toLowerCase()))
  return sent.map(({ name, value, variable }) => {
    const secret = variable === undefined ? '' : ` + ${read(variable)}`
    return [string(name), string(secret ? value.replace(`$${variable}`, '') : value) + secret]
  })
}

function fetchCode(request) {
  const { method, url, body } = request
  if (body !== undefined && /^(GET|HEAD)$/i.test(method)) return `// fetch cannot send a ${method} with a body`
  // Pairs, as a header may be repeated.
  const pairs = headersOf(request, STRING.js, variable => variable).map(pair => `    [${pair.join(', ')}]`)
  const parts = [
    `  method: ${STRING.js(method)}`,
    `  headers: [\n${pairs.join(',\n')}\n  ]`,
    ...(body === undefined ? [] : [`  body: ${STRING.js(body)}`])
  ]
  const call = `const response = await fetch(${STRING.js(url)}, {\n${parts.join(',\n')}\n})`
  return `${call}\nconsole.log(response.status, await response.text())`
}

/** With http.client, as urllib.request joins repeated headers and changes their names. */
function pythonCode(request) {
  const { method, url, body } = request
  const { protocol, host, origin } = new URL(url)
  const path = url.slice(origin.length) || '/'
  const headers = headersOf(request, STRING.python, variable => `os.environ[${STRING.python(variable)}]`)
  const hasSecret = request.headers.some(({ variable }) => variable !== undefined)
  const length = body !== undefined || !/^(GET|HEAD)$/i.test(method)
  return [
    `import http.client${hasSecret ? '\nimport os' : ''}`,
    '',
    ...(body === undefined ? [] : [`body = ${STRING.python(body)}.encode()`]),
    `connection = http.client.${protocol === 'https:' ? 'HTTPSConnection' : 'HTTPConnection'}(${STRING.python(host)})`,
    `connection.putrequest(${STRING.python(method)}, ${STRING.python(path)}, skip_accept_encoding=True)`,
    ...headers.map(([name, value]) => `connection.putheader(${name}, ${value})`),
    ...(length ? [`connection.putheader("Content-Length", ${body === undefined ? '"0"' : 'str(len(body))'})`] : []),
    `connection.endheaders(${body === undefined ? '' : 'body'})`,
    'response = connection.getresponse()',
    'print(response.status, response.read().decode())'
  ].join('\n')
}

function kotlinCode(request) {
  const { method, url, body } = request
  if (body !== undefined && /^(GET|HEAD)$/i.test(method))
    return `// HttpURLConnection cannot send a ${method} with a body`
  const headers = headersOf(request, STRING.kotlin, variable => `System.getenv(${STRING.kotlin(variable)})!!`)
  return [
    'import java.net.HttpURLConnection',
    'import java.net.URI',
    '',
    `val connection = URI(${STRING.kotlin(url)}).toURL().openConnection() as HttpURLConnection`,
    'connection.instanceFollowRedirects = false',
    `connection.requestMethod = ${STRING.kotlin(method)}`,
    ...headers.map(([name, value]) => `connection.addRequestProperty(${name}, ${value})`),
    ...(body === undefined
      ? []
      : [
          'connection.doOutput = true',
          `connection.outputStream.use { it.write(${STRING.kotlin(body)}.toByteArray()) }`
        ]),
    'val answer = if (connection.responseCode < 400) connection.inputStream else connection.errorStream',
    `println("\${connection.responseCode} \${answer?.reader()?.readText()}")`
  ].join('\n')
}

function swiftCode(request) {
  const { method, url, body } = request
  if (body !== undefined && method.toUpperCase() === 'GET') return '// URLSession cannot send a GET with a body'
  const read = variable => `ProcessInfo.processInfo.environment[${STRING.swift(variable)}]!`
  return [
    'import Foundation',
    '',
    `var request = URLRequest(url: URL(string: ${STRING.swift(url)})!)`,
    `request.httpMethod = ${STRING.swift(method)}`,
    ...headersOf(request, STRING.swift, read).map(
      ([name, value]) => `request.addValue(${value}, forHTTPHeaderField: ${name})`
    ),
    ...(body === undefined ? [] : [`request.httpBody = Data(${STRING.swift(body)}.utf8)`]),
    'let (data, response) = try await URLSession.shared.data(for: request)',
    'print((response as! HTTPURLResponse).statusCode, String(decoding: data, as: UTF8.self))'
  ].join('\n')
}

/** The server writes the command for curl. */
export const codeIn = {
  curl: ({ curl }) => curl,
  fetch: fetchCode,
  Python: pythonCode,
  Kotlin: kotlinCode,
  Swift: swiftCode
}
