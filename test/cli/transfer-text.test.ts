// What `npm run simulate` prints for each step.
import t from 'tap'
import { transferJson, transferText } from '../../src/cli/transfer-text.ts'
import type { Step } from '../../src/kit/client/simulate-transfer.ts'

const answer = (body: string, type: string) => ({
  url: 'http://x/',
  status: 200,
  statusText: 'OK',
  headers: [{ name: 'Content-Type', value: type }],
  body: Buffer.from(body),
  milliseconds: 1.6
})
const request = { method: 'POST', url: 'http://x/', headers: [{ name: 'X-A', value: '1' }], body: 'a=b' }

const texts: [Step, string[]][] = [
  [
    { step: 'request', sender: 'platform', request },
    [
      '1. The platform sends',
      '   POST http://x/ (9 characters)',
      '   X-A: 1',
      '',
      '   a=b',
      '',
      "   curl -X POST -H 'X-A: 1' --data-raw 'a=b' 'http://x/'"
    ]
  ],
  [
    { step: 'request', sender: 'web view', request: { method: 'GET', url: 'http://x/', headers: [] } },
    ['1. The web view sends', '   GET http://x/ (9 characters)', '', "   curl 'http://x/'"]
  ],
  [
    { step: 'answer', to: 'web view', answer: answer('<title> It &amp; </title>', 'text/html; charset=utf-8') },
    [
      '1. The merchant site answers',
      '   200 OK, 2 ms, 25 bytes',
      '   Content-Type: text/html; charset=utf-8',
      '',
      '   a page with the title "It &amp;"'
    ]
  ],
  [
    { step: 'answer', to: 'web view', answer: answer('no title', 'text/html') },
    [
      '1. The merchant site answers',
      '   200 OK, 2 ms, 8 bytes',
      '   Content-Type: text/html',
      '',
      '   a page with the title ""'
    ]
  ],
  [
    { step: 'answer', to: 'platform', answer: answer(`\u001b[2J\n${'x'.repeat(2000)}`, 'text/plain') },
    [
      '1. The merchant site answers',
      '   200 OK, 2 ms, 2005 bytes',
      '   Content-Type: text/plain',
      '',
      '   \\u{1b}[2J',
      `   ${'x'.repeat(1995)}`,
      '   … and 5 characters more'
    ]
  ],
  [
    {
      step: 'description',
      fields: [
        { at: 'url', value: '"u"', verdict: 'used', says: 'Opened.' },
        { at: 'body', value: '"b"', verdict: 'refused', says: 'Not sent.' },
        { at: 'x', value: '1', verdict: 'ignored', says: 'No field.' },
        { at: 'y', value: '2', verdict: 'doubtful', says: 'Long.' }
      ]
    },
    [
      '1. The app reads the description',
      '     url "u": Opened.',
      '   ! body "b": refused. Not sent.',
      '   - x 1: ignored. No field.',
      '   ? y 2: doubtful. Long.'
    ]
  ],
  [{ step: 'failure', says: 'No answer.' }, ['1. It ends here', '   No answer.']]
]
for (const [step, lines] of texts) {
  t.test(`printed: ${lines[0]?.slice(3)}`, t => {
    t.equal(transferText([step]), `${lines.join('\n')}\n\n`)
    t.end()
  })
}

t.test('in JSON, the body of an answer is text', t => {
  const steps: Step[] = [
    { step: 'answer', to: 'platform', answer: answer('{}', 'application/json') },
    { step: 'failure', says: '' }
  ]
  t.match(transferJson(steps), [{ answer: { body: '{}' } }, { step: 'failure' }])
  t.end()
})
