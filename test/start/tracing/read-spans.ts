// Reads the body of an OTLP request (opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest) without a library
// for Protocol Buffers: a message is a list of numbered fields.

export type SentSpan = {
  traceId: string
  spanId: string
  /** Empty if it has none. */
  parentSpanId: string
  traceState: string
  name: string
  /** 1: internal, 2: server, 3: client. */
  kind: number
  attributes: Record<string, unknown>
  /** 0: unset, 1: ok, 2: error. */
  status: number
  events: number
  resource: Record<string, unknown>
}

type Fields = Map<number, (Buffer | number)[]>

export function readSpans(body: Buffer): SentSpan[] {
  return all(readMessage(body), 1).flatMap(resourceSpans => {
    const resource = attributesOf(readMessage(one(resourceSpans, 1)), 1)
    return all(resourceSpans, 2).flatMap(scope => all(scope, 2).map(span => spanOf(span, resource)))
  })
}

function spanOf(span: Fields, resource: Record<string, unknown>): SentSpan {
  const status = span.get(15)?.[0]
  return {
    traceId: one(span, 1).toString('hex'),
    spanId: one(span, 2).toString('hex'),
    traceState: one(span, 3).toString(),
    parentSpanId: one(span, 4).toString('hex'),
    name: one(span, 5).toString(),
    kind: Number(span.get(6)?.[0] ?? 0),
    attributes: attributesOf(span, 9),
    events: span.get(11)?.length ?? 0,
    status: status === undefined ? 0 : Number(readMessage(status as Buffer).get(3)?.[0] ?? 0),
    resource
  }
}

/** The sub-messages of a field. */
function all(message: Fields, field: number): Fields[] {
  return (message.get(field) ?? []).map(value => readMessage(value as Buffer))
}

function one(message: Fields, field: number): Buffer {
  return (message.get(field)?.[0] ?? Buffer.alloc(0)) as Buffer
}

function attributesOf(message: Fields, field: number): Record<string, unknown> {
  const pairs = all(message, field).map(pair => {
    const value = readMessage(one(pair, 2))
    return [one(pair, 1).toString(), value.get(1)?.[0]?.toString() ?? value.get(3)?.[0] ?? value.get(2)?.[0]]
  })
  return Object.fromEntries(pairs)
}

function readMessage(bytes: Buffer): Fields {
  const fields: Fields = new Map()
  let at = 0
  const varint = (): number => {
    let value = 0
    for (let scale = 1; ; scale *= 128) {
      const byte = bytes.readUInt8(at++)
      value += (byte & 127) * scale
      if (byte < 128) return value
    }
  }
  const take = (length: number): Buffer => {
    at += length
    return bytes.subarray(at - length, at)
  }
  while (at < bytes.length) {
    const tag = varint()
    const wire = tag & 7
    const value = wire === 0 ? varint() : take(wire === 1 ? 8 : wire === 5 ? 4 : varint())
    const field = tag >>> 3
    fields.set(field, [...(fields.get(field) ?? []), value])
  }
  return fields
}
