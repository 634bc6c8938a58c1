// A message that a merchant overrides: what is wrong with it, and what would be right.
import fc from 'fast-check'
import t from 'tap'
import { argumentsOf, messageProblem } from '../../src/merchant/message-problem.ts'
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
  const types = 'number, plural, select, selectordinal, date or time'
  const cases: [pattern: string, character: number, problem: string][] = [
    ['🎁 {count', 3, 'this { is never closed'],
    ['{', 1, 'this { is never closed'],
    ['{count, plural, one {#', 21, 'this { is never closed'],
    ['Buy {}', 5, 'there is no name between { and }'],
    ['Buy {two words}', 5, 'expected a name after {, followed by } or a comma'],
    ['{!}', 1, 'expected a name after {, followed by } or a comma'],
    ['{count, }', 9, `expected a type: ${types}`],
    ['{count, plurl, other {}}', 9, `unknown type; expected ${types}`],
    ['{count, number, }', 17, 'expected a style after the comma, such as integer'],
    ['{count, number, ::}', 17, 'this is not a number format'],
    ['{count, date, ::}', 1, 'expected a date format after ::'],
    ["{count, date, 'x}", 16, 'the apostrophe before this is never closed'],
    ['{count, plural}', 15, 'expected cases, such as ", one {…} other {…}"'],
    ['{count, select}', 15, 'expected cases, such as ", one {…} other {…}"'],
    ['{count, plural, offset other {}}', 23, 'expected a whole number, as in "offset:1"'],
    ['{count, plural, offset:x other {}}', 24, 'expected a whole number, as in "offset:1"'],
    ['{count, plural, offset:99999999999999999 other {}}', 24, 'the number is too large'],
    ['{count, select, }', 17, 'expected a case, such as other {…}'],
    ['{count, plural, }', 17, 'expected a case, such as one {…} or =0 {…}'],
    ['{count, plural, =x {} other {}}', 18, 'expected a case, such as one {…} or =0 {…}'],
    ['{count, select, a other {}}', 19, 'expected the text of the case in { and }'],
    ['{count, plural, one other {}}', 21, 'expected the text of the case in { and }'],
    ['{count, plural, =99999999999999999 {} other {}}', 18, 'the number is too large'],
    ['{count, plural, one {} one {} other {}}', 24, 'this case is there twice'],
    ['{count, select, a {} a {} other {}}', 22, 'this case is there twice'],
    ['{count, plural, one {# item}}', 29, 'the case other {…} is missing']
  ]
  const right = 'give one such as "{count, plural, one {# item} other {# items}}"'
  for (const [pattern, character, problem] of cases) {
    const found = messageProblem('en', 'item-count', pattern)
    t.equal(found, `it is not a valid ICU message: at character ${character}, ${problem}; ${right}`, pattern)
  }
  t.equal(
    messageProblem('en', 'order', '{number, date, ::Y}'),
    'it is not a valid ICU message: `Y/u/U/r` (year) patterns are not supported, use `y` instead; give one such as "View order {number}"',
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
