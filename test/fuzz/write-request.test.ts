// What the fuzzer sends as legal must be legal, or it cries wolf.
import t from 'tap'
import { chooser } from './draft.ts'
import { writeRequest } from './write-request.ts'

/** The chunks of a request's body; extensions and trailers are dropped. */
function chunksOf(request: string): string[] {
  const chunks: string[] = []
  let at = request.indexOf('\r\n\r\n') + 4
  for (;;) {
    const [line = ''] = /^[^\r]*/.exec(request.slice(at, at + 100)) ?? []
    const size = Number.parseInt(line, 16)
    const start = at + line.length + 2
    if (size === 0) return chunks
    chunks.push(request.slice(start, start + size))
    at = start + size + 2
  }
}

t.test('a body is written in no more chunks than any body may have', async t => {
  // No other header, a chunked body, the smallest chunks.
  const smallest = [0, 4, ...Array(40_000).fill(0)]
  for (const length of [1, 900, 1023, 20_000]) {
    const body = Array.from({ length }, (_, i) => String.fromCharCode(97 + (i % 26))).join('')
    const chunks = chunksOf(writeRequest({ method: 'POST', target: '/', body }, chooser(smallest)))
    t.ok(chunks.length <= 1000, `${length} bytes in ${chunks.length} chunks`)
    t.equal(chunks.join(''), body)
  }
})
