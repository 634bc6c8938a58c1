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

t.test('a message that is no ICU message: where in it, and what is wrong there', async t => {
  const types = 'number, plural, select, selectordinal, date or time'
  const cases: [pattern: string, character: number, problem: string][] = [
    ['🎁 {count', 3, 'the { has no }'],
    ['{', 1, 'the { has no }'],
    ['{count, plural, one {#', 21, 'the { has no }'],
    ['Buy {}', 5, 'there is no name between { and }'],
    ['Buy {two words}', 5, 'after the { is no name, or neither } nor a comma after the name'],
    ['{!}', 1, 'after the { is no name, or neither } nor a comma after the name'],
    ['{count, }', 9, `a type is missing: ${types}`],
    ['{count, plurl, other {}}', 9, `this is none of the types: ${types}`],
    ['{count, number, }', 17, 'after the comma, a style is missing, such as integer'],
    ['{count, number, ::}', 17, 'this is no format of a number'],
    ['{count, date, ::}', 1, 'after the ::, the format of the date is missing'],
    ["{count, date, 'x}", 16, 'the apostrophe before this has no second one'],
    ['{count, plural}', 15, 'the cases are missing, such as ", one {…} other {…}"'],
    ['{count, select}', 15, 'the cases are missing, such as ", one {…} other {…}"'],
    ['{count, plural, offset other {}}', 23, 'a whole number is missing, as in "offset:1"'],
    ['{count, plural, offset:x other {}}', 24, 'a whole number is missing, as in "offset:1"'],
    ['{count, plural, offset:99999999999999999 other {}}', 24, 'the number is too large'],
    ['{count, select, }', 17, 'a case is missing, such as other {…}'],
    ['{count, plural, }', 17, 'a case is missing, such as one {…} or =0 {…}'],
    ['{count, plural, =x {} other {}}', 18, 'a case is missing, such as one {…} or =0 {…}'],
    ['{count, select, a other {}}', 19, 'the text of the case is missing: { and }'],
    ['{count, plural, one other {}}', 21, 'the text of the case is missing: { and }'],
    ['{count, plural, =99999999999999999 {} other {}}', 18, 'the number is too large'],
    ['{count, plural, one {} one {} other {}}', 24, 'this case is there already'],
    ['{count, select, a {} a {} other {}}', 22, 'this case is there already'],
    ['{count, plural, one {# item}}', 29, 'the case other {…} is missing']
  ]
  const right = 'give one such as "{count, plural, one {# item} other {# items}}"'
  for (const [pattern, character, problem] of cases) {
    const found = messageProblem('en', 'item-count', pattern)
    t.equal(found, `it is no ICU message: at character ${character}, ${problem}; ${right}`, pattern)
  }
  t.match(
    messageProblem('en', 'order', '{number, date, ::Y}'),
    /^it is no ICU message: .*patterns are not supported.*; give one such as "View order \{number\}"$/,
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
