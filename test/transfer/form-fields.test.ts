// Strict form decoding: exactly what the sender meant, or the reason why that cannot be known.
import fc from 'fast-check'
import t from 'tap'
import { decode, readFields } from '../../src/transfer/form-cart.ts'
import { anyText } from '../any-text.ts'

function fieldsOf(form: string): [name: string, value: string][] {
  const fields: [string, string][] = []
  readFields(form, Infinity, (name, value) => fields.push([name, value]))
  return fields
}

t.test('fields are split at ampersands, in the order sent and still encoded', async t => {
  const cases: [form: string, fields: [name: string, value: string][]][] = [
    ['', []],
    ['&', []],
    ['&&a=1&&', [['a', '1']]],
    [
      'b=2&a=1&b=3',
      [
        ['b', '2'],
        ['a', '1'],
        ['b', '3']
      ]
    ],
    ['a', [['a', '']]],
    ['a=', [['a', '']]],
    ['=1', [['', '1']]],
    ['=', [['', '']]],
    ['a=1=2', [['a', '1=2']]],
    ['a=1;b=2', [['a', '1;b=2']]],
    ['a%3D1=%26', [['a%3D1', '%26']]],
    ['items[0][sku]=a+b', [['items[0][sku]', 'a+b']]],
    ['a=\xff\r\n', [['a', '\xff\r\n']]]
  ]
  for (const [form, fields] of cases) t.strictSame(fieldsOf(form), fields, JSON.stringify(form))
})

t.test('valid encodings are decoded exactly', async t => {
  const cases: [encoded: string, text: string][] = [
    ['', ''],
    ['MUG', 'MUG'],
    ['+a%2Bb+c%20', ' a+b c '],
    ['%2b%2B', '++'],
    ['%25', '%'],
    ['%26%3D', '&='],
    ['%C3%A9', 'é'],
    ['%c3%a9', 'é'],
    ['\xc3\xa9', 'é'], // raw UTF-8 bytes
    ['\xc3%a9', 'é'],
    ['%E3%82%BD-%E2%98%95', 'ソ-☕'],
    ['%F0%9D%92%B3', '𝒳'],
    ['%EF%BB%BFa', '\ufeffa'],
    ['%0D%0A%09%7F', '\r\n\t\x7f'],
    ['%01', '\x01'],
    ['[0]', '[0]'],
    ['%5B0%5d', '[0]'],
    ['%2500', '%00'],
    ['%25u0041', '%u0041']
  ]
  for (const [encoded, text] of cases) t.strictSame(decode(encoded), { text }, JSON.stringify(encoded))
})

t.test('invalid encodings are reported, never silently replaced', async t => {
  const percent = 'a % that two hexadecimal digits do not follow'
  const utf8 = (byte: string, offset = 0) => `bytes that are not UTF-8: 0x${byte} at offset ${offset}, counted from 0`
  const cases: [encoded: string, unreadable: string][] = [
    ['%', percent],
    ['a%', percent],
    ['%4', percent],
    ['%zz', percent],
    ['%4g', percent],
    ['%g4', percent],
    ['%%41', percent],
    ['%u0041', percent],
    ['% 41', percent],
    ['%+1', percent],
    ['%-1', percent],
    ['%0x', percent],
    ['%\xb11', percent],
    ['\xe9', utf8('E9')],
    ['%E9', utf8('E9')],
    ['%C3', utf8('C3')],
    ['%C3+', utf8('C3')],
    ['%80', utf8('80')],
    ['%C0%AF', utf8('C0')], // an overlong slash
    ['%E0%80%AF', utf8('E0')],
    ['%ED%A0%80', utf8('ED')], // half of a surrogate pair
    ['%F4%90%80%80', utf8('F4')], // past the last code point
    ['%FE%FF%00%41', 'a NUL character'],
    ['%FF', utf8('FF')],
    ['caf%E9+%FF', utf8('E9', 3)],
    ['a+%C3%A9%FF', utf8('FF', 4)],
    ['%00', 'a NUL character'],
    ['MUG%00', 'a NUL character'],
    ['\0', 'a NUL character']
  ]
  for (const [encoded, unreadable] of cases) {
    t.strictSame(decode(encoded), { unreadable }, JSON.stringify(encoded))
  }
})

const text = anyText().filter(value => value.isWellFormed() && !value.includes('\0'))

t.test('everything that a browser encodes is decoded back unchanged', async () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(text, text)), fields => {
      const form = new URLSearchParams(fields).toString()
      const read = fieldsOf(form).map(([name, value]) => [decode(name), decode(value)])
      const sent = fields.map(([name, value]) => [{ text: name }, { text: value }])
      return JSON.stringify(read) === JSON.stringify(sent)
    })
  )
})

t.test('any bytes are decoded as the web platform decodes them, or not at all', async () => {
  const raw = fc.array(fc.constantFrom(...Buffer.from('%+&=aF0[\xc3\xa9\xff', 'latin1')), { maxLength: 12 })
  fc.assert(
    fc.property(fc.oneof(raw, fc.array(fc.integer({ min: 0, max: 255 }))), values => {
      const escaped = values.map(byte =>
        byte > 0x7f || byte === 0x26 ? `%${byte.toString(16)}` : String.fromCharCode(byte)
      )
      const lenient = new URLSearchParams(`x=${escaped.join('')}`).get('x') ?? ''
      const read = decode(String.fromCharCode(...values))
      // A lenient decoder leaves or inserts one of these for what it cannot decode.
      return 'text' in read ? read.text === lenient : /[%\0\ufffd]/.test(lenient)
    }),
    { numRuns: 1000 }
  )
})
