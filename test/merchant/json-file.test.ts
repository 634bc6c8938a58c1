// JSON with line numbers, for messages that say where a mistake is, and the name that was probably meant.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import t from 'tap'
import { type FileError, notOpened, openJsonFile, readJsonSource } from '../../src/merchant/json-file.ts'
import { nearestName } from '../../src/merchant/nearest-name.ts'
import type { Key } from '../../src/transfer/option.ts'

const text = `{
  "id": "shop",
  "list": [
    "one",
    { "deep": true,
      "deeper": null }
  ],
  "object": {
    "a.b":
      {
        "0": 1
      }
  }
}
`

t.test('a key has its line number, a missing one that of its deepest existing parent', async t => {
  const { lineOf } = readJsonSource(text)
  const cases: [key: Key, line: number][] = [
    [[], 1],
    [['id'], 2],
    [['list'], 3],
    [['list', 0], 4],
    [['list', 1], 5],
    [['list', 1, 'deep'], 5],
    [['list', 1, 'deeper'], 6],
    [['object'], 8],
    [['object', 'a.b'], 9],
    [['object', 'a.b', '0'], 11],
    [['missing'], 1],
    [['missing', 'deeper'], 1],
    [['id', 'deeper'], 2],
    [['list', 2], 3],
    [['list', 1, 'missing'], 5],
    [['object', 'missing'], 8]
  ]
  for (const [key, line] of cases) t.equal(lineOf(key), line, JSON.stringify(key))
})

t.test('repeated names in an object are found, however deep', async t => {
  const cases: [json: string, repeated: Key[]][] = [
    ['{"a": 1, "b": {"a": 2}, "c": [{"a": 3}, {"a": 4}]}', []],
    ['{"a": 1, "a": 2}', [['a']]],
    ['{"a": 1, "\\u0061": 2}', [['a']]],
    ['{"a": 1, "a": 2, "a": 3}', [['a'], ['a']]],
    ['{"x": {"y": [0, {"z": 1, "z": 2}]}}', [['x', 'y', 1, 'z']]],
    ['{"__proto__": 1, "__proto__": 2}', [['__proto__']]],
    ['[]', []],
    ['5', []]
  ]
  for (const [json, repeated] of cases) t.strictSame(readJsonSource(json).repeated, repeated, json)
})

t.test('any JSON has the value that JSON.parse returns, and no repeated names', async () => {
  fc.assert(
    fc.property(fc.json(), json => {
      const { value, repeated } = readJsonSource(json)
      return JSON.stringify(value) === JSON.stringify(JSON.parse(json)) && repeated.length === 0
    })
  )
})

const NAMES = ['currencies', 'countries', 'links', 'theme', 'locale', 'id', 'publicUrl', 'eraseAfterDays']

t.test('a name with few changes is found, whatever its case; the nearest of several', async t => {
  const cases: [string, string | undefined][] = [
    ['currency', 'currencies'],
    ['currenices', 'currencies'],
    ['country', 'countries'],
    ['contries', 'countries'],
    ['link', 'links'],
    ['Locale', 'locale'],
    ['publicURL', 'publicUrl'],
    ['url', undefined],
    ['eraseDays', 'eraseAfterDays'],
    ['teme', 'theme'],
    ['colour', undefined],
    ['x', undefined],
    ['', undefined]
  ]
  for (const [written, meant] of cases) t.equal(nearestName(written, NAMES), meant, written)
  t.equal(nearestName('x', []), undefined)
  t.equal(nearestName('linkt', ['links', 'link']), 'links', 'the first of two equally near ones')
})

t.test('JSON nested too deeply is refused, valid or not', async t => {
  const file = join(t.testdir({}), 'a.json')
  const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)
  const mistakesOf = (text: string) => {
    const mistakes: FileError[] = []
    writeFileSync(file, text)
    openJsonFile(file, 'a file', mistakes)
    return mistakes
  }
  const right = 'give a file in plain JSON: no comments, no comma before } or ], each text in one line between " and "'
  for (const text of [nested(102), nested(2500), nested(20_000), `${'['.repeat(20_000)}x`]) {
    t.strictSame(mistakesOf(text), [{ file, problem: `it is nested too deeply; ${right}` }])
  }
  t.strictSame(mistakesOf(nested(101)), [])
})

t.test('any text that is not JSON has a line, and is not quoted', async () => {
  const json = '{\n "a": [1, -2.5e3, true, null, "x\\u0041 y"],\n "secret": {"c": false}\n}'
  const parts = fc.constantFrom(...'{}[],:"\\\n/10-.e“\t', 'tru', 'NaN', '\u0001', '\ufeff', '')
  const folder = t.testdir({})
  const file = join(folder, 'a.json')
  fc.assert(
    fc.property(fc.nat(json.length), fc.nat(5), parts, (at, cut, part) => {
      const text = json.slice(0, at) + part + json.slice(at + cut)
      writeFileSync(file, text)
      const mistakes: FileError[] = []
      const opened = openJsonFile(file, 'a file', mistakes)
      const [first] = mistakes
      return opened
        ? true
        : mistakes.length === 1 &&
            Number(first?.line) <= text.split('\n').length &&
            !/secret|undefined/.test(String(first?.problem))
    }),
    { numRuns: 2000 }
  )
})

t.test('why a file cannot be opened is said in words', async t => {
  // Tests may run as root, who may read everything.
  t.equal(notOpened(Object.assign(new Error('EACCES: …'), { code: 'EACCES' })), 'this user may not open it')
  t.equal(notOpened(new Error('something else')), 'something else')
})
