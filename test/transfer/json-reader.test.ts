// The JSON reader beside JSON.parse: it accepts the same texts and reads the same values from them; and what it keeps,
// limits and reports beyond that.
import fc from 'fast-check'
import t from 'tap'
import type { SentField } from '../../src/cart/read-cart.ts'
import { Problem } from '../../src/errors.ts'
import { JsonReader } from '../../src/transfer/json-reader.ts'
import { anyText } from '../any-text.ts'

const open = (text: string | Uint8Array, maxValues = 5000) =>
  new JsonReader(typeof text === 'string' ? Buffer.from(text) : text, maxValues)

function skipAll(text: string | Uint8Array, maxValues?: number): void {
  const reader = open(text, maxValues)
  reader.skip()
  reader.end()
}

/** What a refusal says; undefined if the text is read. */
function problem(read: () => void): string | undefined {
  try {
    read()
    return undefined
  } catch (error) {
    if (error instanceof Problem) return error.message
    throw error
  }
}

const isRead = (text: string) => problem(() => skipAll(text)) === undefined

function isParsed(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** Reads all of a value whose parsed form is known: the names in it, of which the last counts, as in JSON.parse. */
function readLike(reader: JsonReader, parsed: unknown): unknown {
  if (reader.isAt('array')) {
    const elements: unknown[] = []
    const known = Array.isArray(parsed) ? parsed : []
    reader.elements(() => void elements.push(readLike(reader, known[elements.length])))
    return elements
  }
  if (reader.isAt('object')) {
    const members = new Map<string, unknown>()
    const known = (typeof parsed === 'object' ? parsed : undefined) ?? {}
    reader.members(Object.keys(known), name => members.set(name, readLike(reader, known[name as keyof typeof known])))
    return Object.fromEntries(members)
  }
  const start = reader.value()
  if (start.is === 'number') return Number(start.literal)
  return start.is === 'text' ? start.text : start.is === 'null' ? null : parsed
}

/** JSON as anybody may write it: with spaces, escapes, numbers in every form and names that occur twice. */
const { written } = fc.letrec<Record<'written' | 'member', string>>(tie => {
  const space = fc.constantFrom('', '', '', ' ', '\n', ' \t\r\n ')
  const around = (json: fc.Arbitrary<string>) => fc.tuple(space, json, space).map(parts => parts.join(''))
  const digits = fc.constantFrom('0', '7', '10', '9999', '123456789012345678901234567890')
  const number = fc
    .tuple(fc.constantFrom('', '-'), digits, fc.constantFrom('', '.0', '.50', 'e1', 'E+2', '.1e-30'))
    .map(parts => parts.join(''))
  const escaped = (text: string) =>
    text.replace(/[\s\S]/g, unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
  const plain = anyText({ maxLength: 8 }).map(text => JSON.stringify(text))
  // Without escapes: names that have some are read in a test of their own.
  const name = fc.oneof(
    fc.constantFrom('"sku"', '"items"', '""', '"proto"', '"7"'),
    plain.filter(text => !text.includes('\\'))
  )
  const escapes = fc.constantFrom('"\\u0073ku"', '"\\/\\b\\"\\\\"')
  const string = fc.oneof(
    plain,
    name,
    escapes,
    anyText({ maxLength: 4 }).map(text => `"${escaped(text)}"`)
  )
  return {
    member: fc.tuple(around(name), tie('written')).map(([key, value]) => `${key}:${value}`),
    written: around(
      fc.oneof(
        { depthSize: 'small', withCrossShrink: true },
        fc.oneof(number, string, fc.constantFrom('true', 'false', 'null')),
        fc.tuple(space, fc.array(tie('written'), { maxLength: 4 })).map(([gap, all]) => `[${all.join() || gap}]`),
        fc.tuple(space, fc.array(tie('member'), { maxLength: 4 })).map(([gap, all]) => `{${all.join() || gap}}`)
      )
    )
  }
})

t.test('every JSON text is read, with the values that JSON.parse reads from it', async () => {
  fc.assert(
    fc.property(written, text => {
      const parsed: unknown = JSON.parse(text)
      const reader = open(text)
      const values = readLike(reader, parsed)
      reader.end()
      return isRead(text) && JSON.stringify(values) === JSON.stringify(parsed)
    }),
    { numRuns: 2000 }
  )
})

t.test('a text is read if and only if JSON.parse parses it', async () => {
  const piece = fc.constantFrom(
    ...'{}[]",:\\\u2028\ufeff\0\x1f\x7f\t \n-+.eE019tfnulaé',
    '"a"',
    'true',
    'nul',
    '\\u00',
    '"\\'
  )
  /** A text with a piece put in, or in place of one of its characters, or with one left out. */
  const mutated = fc
    .tuple(written, piece, fc.nat(), fc.constantFrom(0, 1, 1), fc.boolean())
    .map(([text, put, at, cut, isPut]) => {
      const place = at % (text.length + 1)
      return text.slice(0, place) + (isPut ? put : '') + text.slice(place + cut)
    })
    .filter(text => text.isWellFormed() && !text.startsWith('\ufeff'))
  const pieces = fc.array(piece, { maxLength: 8 }).map(parts => parts.join(''))
  const hostile = pieces.filter(text => !text.startsWith('\ufeff'))
  fc.assert(
    fc.property(fc.oneof(mutated, mutated, hostile), text => isRead(text) === isParsed(text)),
    { numRuns: 5000 }
  )
})

t.test('numbers are kept as they are written, and other values by their type', async t => {
  const cases: [text: string, value: SentField][] = [
    ['2.0', { is: 'number', literal: '2.0' }],
    [' -0 ', { is: 'number', literal: '-0' }],
    ['1E+400', { is: 'number', literal: '1E+400' }],
    ['"\\ud83d"', { is: 'text', text: '\ud83d' }],
    ['"\\ud835\\udcb3\\n"', { is: 'text', text: '𝒳\n' }],
    ['"☕ é"', { is: 'text', text: '☕ é' }],
    ['true', { is: 'boolean' }],
    ['false', { is: 'boolean' }],
    ['null', { is: 'null' }],
    ['[1,[2],{"a":[]}]', { is: 'array' }],
    ['{"a":1,"a":{"b":""}}', { is: 'object' }],
    ['\ufeff1', { is: 'number', literal: '1' }]
  ]
  for (const [text, value] of cases) {
    const reader = open(text)
    t.strictSame(reader.value(), value, text)
    reader.end()
  }
})

t.test('members are read by name, however it is written and as often as it occurs; others are skipped', async t => {
  const read = (text: string) => {
    const found: string[] = []
    const reader = open(text)
    reader.members(['a', 'sku', ' ', '__proto__', 'toString'], name => {
      found.push(name)
      t.strictSame(reader.value(), { is: 'number', literal: '1' })
    })
    reader.end()
    return found
  }
  t.strictSame(read('{"sku":1,"\\u0073\\u006B\\u0075":1,"s\\u006bu":1,"a":1}'), ['sku', 'sku', 'sku', 'a'])
  t.strictSame(read('{"SKU":1,"sku ":1,"\\\\u0073ku":1,"skú":1,"":1,"b":{"sku":1},"c":[{"a":1}]}'), [])
  const names = read('{"__proto__":1,"":[{"":0}],"\\u0020":1,"\\u005f_proto__":1,"toString":1}')
  t.strictSame(names, ['__proto__', ' ', '__proto__', 'toString'])
  t.strictSame(read(`{"${'\\u0061'.repeat(100_000)}":1,"a":1}`), ['a'], 'a name of 100,000 escapes')
})

t.test('a problem says what was expected, what was found, and where', async t => {
  const cases: [text: string, message: string][] = [
    ['', 'expected a value, found the end of the body at line 1, column 1'],
    ['{"items":[', 'expected a value, found the end of the body at line 1, column 11'],
    ['{"items":[]', 'expected "," or "}", found the end of the body at line 1, column 12'],
    ['{\n  "a": 1,\n}', 'expected a name in double quotes, found "}" at line 3, column 1'],
    ['{\n  "é☕": 1,\n  \'b\': 2\n}', 'expected a name in double quotes, found "\'" at line 3, column 3'],
    ['{"a" 1}', 'expected ":", found "1" at line 1, column 6'],
    ['[1 2]', 'expected "," or "]", found "2" at line 1, column 4'],
    ['[1,]', 'expected a value, found "]" at line 1, column 4'],
    ['[01]', 'expected "," or "]", found "1" at line 1, column 3'],
    ['[1.]', 'expected "," or "]", found "." at line 1, column 3'],
    ['[+1]', 'expected a value, found "+" at line 1, column 2'],
    ['[-]', 'expected a value, found "-" at line 1, column 2'],
    ['[NaN]', 'expected a value, found "N" at line 1, column 2'],
    ['[nul]', 'expected a value, found "n" at line 1, column 2'],
    ['[truer]', 'expected "," or "]", found "r" at line 1, column 6'],
    ['["a\tb"]', 'expected a character, an escape or the end of the string, found "\\t" at line 1, column 4'],
    ['["\\x"]', 'expected a character, an escape or the end of the string, found "\\\\" at line 1, column 3'],
    ['["☕\\u12g4"]', 'expected a character, an escape or the end of the string, found "\\\\" at line 1, column 4'],
    ['["a', 'expected a character, an escape or the end of the string, found the end of the body at line 1, column 4'],
    ['{}𝒳', 'expected the end of the body, found "𝒳" at line 1, column 3'],
    ['\ufeff\ufeff1', 'expected a value, found "\ufeff" at line 1, column 1'],
    [
      `["${'\n'.repeat(5)}`,
      'expected a character, an escape or the end of the string, found "\\n" at line 1, column 3'
    ],
    [`${' '.repeat(100_000)}x`, 'expected a value, found "x" at line 1, column 100001'],
    [`${'\n'.repeat(100_001)}x`, 'expected a value, found "x" at position 100001']
  ]
  for (const [text, message] of cases) {
    const found = problem(() => skipAll(text))
    t.equal(found, `The body is not JSON that can be read: ${message}.`, JSON.stringify(text.slice(0, 40)))
  }
  const latin1 = Buffer.from('"caf\xe9"', 'latin1')
  t.throws(() => skipAll(latin1), {
    message: 'The body holds bytes that are not UTF-8: 0xE9 at offset 4, counted from 0.'
  })
})

t.test('1,024 levels of arrays and objects are read, and no more', async t => {
  const cases: [levels: number, start: string, end: string][] = [
    [1, '[', ']'],
    [1, '{"a":', '}'],
    [2, '[{"a":', '}]']
  ]
  for (const [levels, start, end] of cases) {
    const nested = (all: number) => `${start.repeat(all / levels)}1${end.repeat(all / levels)}`
    t.ok(isRead(nested(1024)), start)
    const deeper = problem(() => skipAll(nested(1026), 2000))
    t.match(deeper, /nested too deeply, more than 1024 levels\.$/, start)
  }
  t.ok(isRead(`[${'[[[]]],'.repeat(1000)}1]`), 'levels that are closed do not count')
})

t.test('members and elements are counted at every depth, read or skipped', async t => {
  const text = '{"a":1,"items":[{"sku":"x","b":[1,2]},null],"a":{}}'
  const readAll = (maxValues: number) => {
    const reader = open(text, maxValues)
    const skip = () => void reader.skip()
    reader.members(['items'], () => reader.elements(skip))
    reader.end()
  }
  for (const read of [readAll, (maxValues: number) => skipAll(text, maxValues)]) {
    t.doesNotThrow(() => read(9))
    const tooMany = 'The body may have at most 8 JSON values, those beyond the contract included; this one has more.'
    t.throws(() => read(8), { message: tooMany })
  }
})

t.test('of a string that is longer than any field may be, the start is read, as it is written', async t => {
  const read = (text: string) => open(`"${text}"`).value()
  t.strictSame(read('\\u0041'.repeat(256)), { is: 'text', text: 'A'.repeat(256) })
  t.strictSame(read('x'.repeat(2048)), { is: 'text', text: 'x'.repeat(2048) })
  t.strictSame(read('x'.repeat(1_000_000)), { is: 'text', text: 'x'.repeat(2048) })
  t.match(read('\\ud835\\udcb3'.repeat(100_000)), { text: /^(\\ud835\\udcb3){170}\\ud835\\u$/ })
})
