// Decoding the body of a response as a browser does.
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import t from 'tap'
import { responseText } from '../../../src/kit/client/response-text.ts'

const E = Uint8Array.of(0xe9)
const page = (head: string) => Buffer.from(`<!doctype html>${head}é`, 'latin1')

const CASES: [what: string, type: string | undefined, body: Uint8Array, text: string][] = [
  ['a character set in the header', 'text/html; charset="iso-8859-1"', E, 'é'],
  ['an unknown one', 'text/html; charset=none-such', E, '\ufffd'],
  ['no header', undefined, E, '\ufffd'],
  ['one in a meta element', 'text/html', page('<meta name=x><meta charset=iso-8859-1>'), 'é'],
  [
    'one in a meta element with http-equiv',
    'text/html',
    page('<meta http-equiv="c" content="text/html; charset=latin1">'),
    'é'
  ],
  [
    'the header takes precedence over the page',
    'text/html; charset=utf-8',
    page('<meta charset=iso-8859-1>'),
    '\ufffd'
  ],
  ['a meta element in JSON is ignored', 'application/json', page('<meta charset=iso-8859-1>'), '\ufffd'],
  ['a byte order mark takes precedence over both', 'text/html; charset=latin1', Buffer.from('\ufeffé'), 'é'],
  ['a byte order mark of two bytes', 'text/html', Buffer.from('\ufeffé', 'utf16le'), 'é']
]

for (const [what, type, body, text] of CASES) {
  t.test(what, async t => {
    const headers = type === undefined ? [] : [{ name: 'Content-Type', value: type }]
    t.equal(responseText({ headers, body }).slice(-1), text)
  })
}

t.test('unrequested compression is undone, and a body that cannot be decompressed is left as is', async t => {
  const text = (coding: string, body: Uint8Array) =>
    responseText({ headers: [{ name: 'content-encoding', value: coding }], body })
  const bodies: [string, Uint8Array][] = [
    ['gzip', gzipSync('page')],
    ['X-GZIP', gzipSync('page')],
    ['br', brotliCompressSync('page')],
    ['deflate', deflateSync('page')],
    ['identity', Buffer.from('page')],
    ['gzip', Buffer.from('page')]
  ]
  for (const [coding, body] of bodies) t.equal(text(coding, body), 'page', coding)
})
