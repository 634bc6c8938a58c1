// A message that a merchant overrides: what is wrong with it, and what would be right.
import fc from 'fast-check'
import t from 'tap'
import { argumentsOf, messageProblem } from '../../src/merchant/read-messages.ts'
import { type Language, languages, type MessageName } from '../../src/messages/messages.ts'

t.test('the arguments of a message are found at any depth', async t => {
  const cases: [string, string[]][] = [
    ['nothing', []],
    ['{a} and {b}', ['a', 'b']],
    ['{n, plural, one {{x} item} other {# items of {y}}}', ['n', 'x', 'y']],
    ['{n, number} {s, select, a {{z}} other {}}', ['n', 's', 'z']],
    ['<b>{a}</b>', ['a']]
  ]
  for (const [pattern, names] of cases) t.strictSame([...argumentsOf(pattern, 'en').keys()], names, pattern)
})

t.test('a valid message has no problem', async t => {
  t.equal(messageProblem('en', 'place-order', 'Buy now'), undefined)
  t.equal(messageProblem('en', 'order', 'No. {number}'), undefined)
  t.equal(messageProblem('en', 'order', 'Your order'), undefined, 'arguments are optional')
})

t.test('an invalid message is reported with the reason and the message that it overrides', async t => {
  t.equal(
    messageProblem('en', 'order', 'Order {nummer}'),
    'it holds {nummer}; give a message with {number}, such as "View order {number}"'
  )
  t.equal(
    messageProblem('de', 'total', '{amount}'),
    'it holds {amount}; give a message with nothing in braces, such as "Gesamt"'
  )
})

t.test('a message that is not a valid ICU message: where in it, and what is wrong there', async t => {
  const cases: [pattern: string, character: number, problem: string][] = [
    ['🎁 {count', 3, 'expect argument closing brace'],
    ['Buy {}', 5, 'empty argument'],
    ['Buy {two words}', 5, 'malformed argument'],
    ['{count, plurl, other {}}', 9, 'invalid argument type'],
    ["{count, date, 'x}", 16, 'unclosed quote in argument style'],
    ['{count, plural, one {} one {} other {}}', 24, 'duplicate plural argument selector'],
    ['{count, plural, one {# item}}', 29, 'missing other clause']
  ]
  const right = 'give one such as "{count, plural, one {# item} other {# items}}"'
  for (const [pattern, character, problem] of cases) {
    const found = messageProblem('en', 'item-count', pattern)
    t.equal(found, `it is not a valid ICU message: at character ${character}, ${problem}; ${right}`, pattern)
  }
  t.match(
    messageProblem('en', 'order', '{number, date, ::Y}'),
    /^it is not a valid ICU message: .*patterns are not supported.*; give one such as "View order \{number\}"$/,
    'a format of its own language says no place'
  )
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom(..."{},:=#' ax1", 'plural', 'select', 'number', 'offset', '::') }),
      text => {
        const found = messageProblem('en', 'item-count', text) ?? ''
        return !/undefined|[A-Z]_[A-Z]/.test(found)
      }
    ),
    { numRuns: 3000 }
  )
})

t.test('a message that parses but cannot be formatted is found before a shopper sees it', async t => {
  const cases: [Parameters<typeof messageProblem>[1], string, RegExp][] = [
    ['order', '{number, date}', /it cannot be formatted/],
    ['order', '{number, number}', /it formats text as a number/],
    ['order', '  ', /it is blank/],
    ['enter-field', "Enter l'{label}", /it says "Enter l\{label\}"; write ’/]
  ]
  for (const [name, pattern, problem] of cases) t.match(messageProblem('en', name, pattern), problem, pattern)
  for (const language of Object.keys(languages) as Language[]) {
    for (const [name, pattern] of Object.entries(languages[language])) {
      t.equal(messageProblem(language, name as MessageName, pattern), undefined, `${language} ${name}`)
    }
  }
})
