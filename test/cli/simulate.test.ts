// `npm run simulate` as a separate process, against a listening merchant site.
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { UsageError } from '../../src/cli/run-command.ts'
import { readSimulateRequest, transferJson, transferText } from '../../src/cli/simulate.ts'
import type { Step } from '../../src/kit/client/simulate-transfer.ts'
import { build, merchantFile } from '../build.ts'
import { preloadFlags, runNode } from '../node-process.ts'

const BAG = { items: [{ sku: 'MUG', quantity: 2 }], currency: 'GBP' }

/** Opens a merchant of each option; the command runs in a folder with `bag.json`. */
async function setUp(t: Test) {
  const merchants = ['1', '2A', '2B'].map(option =>
    merchantFile(option, { id: `by-${option.toLowerCase()}`, publicUrl: `/${option}` })
  )
  const { app, folder } = await build(t, { merchants })
  await app.listen({ host: '127.0.0.1', port: 0 })
  const save = (name: string, bag: unknown) =>
    writeFileSync(join(folder, name), typeof bag === 'string' ? bag : JSON.stringify(bag))
  save('bag.json', BAG)
  const runWith = (flags: string[], args: string[], coverage = true) =>
    runNode([...flags, 'src/cli/simulate.ts', ...args], { env: { ...process.env, INIT_CWD: folder }, coverage })
  const run = (...args: string[]) => runWith([], args, false)
  const runCovered = (...args: string[]) => runWith([], args)
  return { folder, save, run, runCovered, runWith, url: (option: string) => `${app.listeningOrigin}/${option}/cart` }
}

t.test('each option: every step is printed, and the exit code is 0 if the page is shown', async t => {
  const { run, url } = await setUp(t)
  const titles: [string, string[]][] = [
    [
      '1',
      [
        'The platform sends',
        'The merchant site answers',
        'The app reads the description',
        'The web view sends',
        'The merchant site answers'
      ]
    ],
    ['2A', ['The web view sends', 'The merchant site answers']],
    ['2b', ['The web view sends', 'The merchant site answers']]
  ]
  for (const [option, steps] of titles) {
    const { code, stdout, stderr } = await run(url(option.toUpperCase()), '--option', option, '--cart', 'bag.json')
    t.strictSame([code, stderr], [0, ''])
    t.strictSame(
      [...stdout.matchAll(/^\d\. (.*)$/gm)].map(([, title]) => title),
      steps
    )
    t.match(stdout, 'a page with the title "Checkout – The Shop"')
  }
})

t.test('--screenshot saves an image of the page', async t => {
  const { run, url, folder } = await setUp(t)
  const { code, stderr } = await run(url('1'), '--option', '1', '--cart', 'bag.json', '--screenshot', 'page.png')
  t.strictSame([code, stderr], [0, 'the page is in page.png\n'])
  t.equal(readFileSync(join(folder, 'page.png')).subarray(1, 4).toString(), 'PNG')
})

t.test('--screenshot sends no request twice, whatever the URL; a page without a screenshot is reported', async t => {
  const requested: string[] = []
  const site = createServer(({ url = '' }, response) => {
    if (url !== '/favicon.ico') requested.push(url)
    if (url.startsWith('/empty')) response.writeHead(204).end()
    else response.end(requested.length === 1 ? '<title>First</title>' : '<title>Again</title>')
  })
  site.listen(0, '127.0.0.1')
  await once(site, 'listening')
  t.teardown(() => site.close())
  const { run, runCovered, folder } = await setUp(t)
  const origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`
  const bag = ['--option', '2B', '--cart', 'bag.json', '--screenshot']
  t.match(await run(`${origin}/a'b*{c}`, ...bag, 'page.png'), { code: 0, stderr: 'the page is in page.png\n' })
  t.strictSame(
    requested.map(url => url.slice(0, 9)),
    ["/a'b*{c}?"]
  )
  t.ok(existsSync(join(folder, 'page.png')))
  t.match(await run(`${origin}/empty`, ...bag, 'none.png'), { code: 0, stderr: /^no screenshot: .*\n$/ })
  t.match(await runCovered(`${origin}/page`, ...bag, '/dev/null/page.png'), {
    code: 0,
    stderr: /no screenshot: .*ENOTDIR/
  })
})

t.test('a refusal ends with 1, and --json prints the steps as JSON', async t => {
  const { run, runCovered, url, save, folder } = await setUp(t)
  save('bag.json', { ...BAG, items: [{ sku: '\u202enone', quantity: 1 }], reference: 'r' })
  const refused = await runCovered(
    url('1'),
    '--option',
    '1',
    '--cart',
    'bag.json',
    '--json',
    '--screenshot',
    'page.png'
  )
  t.equal(refused.code, 1)
  t.notMatch(refused.stdout, '\u202e')
  t.match(JSON.parse(refused.stdout), [{ step: 'request' }, { answer: { status: 400 } }, { step: 'failure' }])
  t.notOk(existsSync(join(folder, 'page.png')), 'there is no page for a screenshot')
  const page = await run(url('2A'), '--option', '2A', '--cart', 'bag.json')
  t.match(page, { code: 1, stdout: /422 Unprocessable/ })
})

t.test('a bag that cannot be sent ends with 2 and a hint', async t => {
  const { run, runCovered, url, save } = await setUp(t)
  save('broken.json', '{')
  const sent = [url('2A'), '--option', '2A', '--cart']
  const cases: [string[], RegExp][] = [
    [['--what'], /--what[\s\S]*npm run simulate -- URL/],
    [[...sent, 'none.json'], /no such file.*none\.json/],
    [[...sent, 'broken.json'], /broken\.json: not valid JSON/],
    [['http://127.0.0.1:1/', ...sent.slice(1), 'bag.json'], /^$/]
  ]
  const results = await Promise.all(cases.map(([args], i) => (i === cases.length - 1 ? runCovered : run)(...args)))
  for (const [i, [args, message]] of cases.entries()) {
    t.match(results[i], { code: 2, stderr: message }, args.join(' '))
  }
  t.match(await run('--help'), { code: 0, stdout: /npm run simulate -- URL/ })
})

t.test('a bug in the program is printed with its stack', async t => {
  const { runWith, url } = await setUp(t)
  const flags = preloadFlags('AbortSignal.timeout = () => { throw new Error("broken\\u202e") }')
  const result = await runWith(flags, [url('2A'), '--option', '2A', '--cart', 'bag.json'])
  t.match(result, { code: 2, stderr: /Error: broken\\u\{202e\}\n +at / })
})

const URL = 'https://shop.example/app/cart'

t.test('the arguments become a request', t => {
  t.match(readSimulateRequest([URL, '--option', '2a', '--cart', 'bag.json']), {
    baseUrl: URL,
    option: { name: '2A' },
    cart: 'bag.json',
    isJson: false,
    screenshot: undefined
  })
  const all = [`${URL}?a=b`, '--option', '1', '--cart', 'bag.json', '--json', '--screenshot', 'page.png']
  t.match(readSimulateRequest(all), { option: { name: '1' }, isJson: true, screenshot: 'page.png' })
  t.end()
})

const mistakes: [string[], RegExp][] = [
  [[], /give one URL/],
  [[URL, URL], /give one URL/],
  [['shop.example/cart', '--option', '1'], /"shop.example\/cart" is not an address/],
  [['http://:x/', '--option', '1'], /is not an address/],
  [[`${URL}#there`, '--option', '1'], /is not an address/],
  [[URL, '--cart', 'bag.json'], /--option is missing; give one of 1, 2A, 2B/],
  [[URL, '--option', 'none', '--cart', 'bag.json'], /--option is "none"/],
  [[URL, '--option', '1'], /give --cart/],
  [['--what'], /--what/]
]
for (const [args, message] of mistakes) {
  t.test(`refused: ${args.join(' ') || 'no arguments'}`, t => {
    t.throws(() => readSimulateRequest(args), { constructor: UsageError, message })
    t.end()
  })
}

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
