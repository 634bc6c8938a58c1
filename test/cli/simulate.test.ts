// `npm run simulate`, against a listening merchant site.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { simulate, transferText } from '../../src/cli/simulate.ts'
import type { Step } from '../../src/kit/client/simulate-transfer.ts'
import { build, merchantFile } from '../build.ts'
import { listen } from '../listen.ts'
import { runNode } from '../node-process.ts'
import { runHere } from './run-here.ts'

const BAG = { items: [{ sku: 'MUG', quantity: 2 }], currency: 'GBP' }

/** Opens a merchant of each option; the command runs in a folder with `bag.json`. */
async function setUp(t: Test) {
  const merchants = ['1', '2A', '2B'].map(option =>
    merchantFile(option, { id: `by-${option.toLowerCase()}`, publicUrl: `/${option}` })
  )
  const { app, folder } = await build(t, { merchants })
  await app.listen({ host: '127.0.0.1', port: 0 })
  const save = (name: string, bag: string) => writeFileSync(join(folder, name), bag)
  save('bag.json', JSON.stringify(BAG))
  const run = (...args: string[]) => runHere(simulate, args, { ...process.env, INIT_CWD: folder })
  return { folder, save, run, url: (option: string) => `${app.listeningOrigin}/${option}/cart` }
}

t.test('each option: every step is printed, and the exit code is 0 if the page is shown', async t => {
  const { run, url } = await setUp(t)
  const shown = ['The web view sends', 'The merchant site answers']
  const titles: [string, string[]][] = [
    ['1', ['The platform sends', 'The merchant site answers', 'The app reads the description', ...shown]],
    ['2A', shown],
    ['2b', shown]
  ]
  for (const [option, steps] of titles) {
    const { code, stdout, stderr } = await run(url(option.toUpperCase()), '--option', option, '--cart', 'bag.json')
    t.strictSame([code, stderr], [0, ''])
    const printed = Array.from(stdout.matchAll(/^\d\. (.*)$/gm), ([, title]) => title)
    t.strictSame(printed, steps)
    t.match(stdout, 'a page with the title "Checkout – The Shop"')
  }
})

t.test('--platform names the profile of a platform that the shop knows', async t => {
  const known = 'https://known.example/profile.json'
  const folder = t.testdir({
    'bag.json': JSON.stringify(BAG),
    'known.json': JSON.stringify({
      ucp: { version: '2026-08-25', capabilities: { 'dev.ucp.shopping.cart': [{ version: '2026-08-25' }] } }
    })
  })
  const platforms = [{ profile: known, copy: join(folder, 'known.json') }]
  const merchants = [merchantFile('ucp', { publicUrl: '/shop', transfer: { path: '/ucp', platforms } })]
  const { app } = await build(t, { merchants, isNow: true })
  await app.listen({ host: '127.0.0.1', port: 0 })
  const args = [`${app.listeningOrigin}/shop/ucp`, '--option', 'ucp', '--cart', 'bag.json']
  const run = (...more: string[]) => runHere(simulate, [...args, ...more], { ...process.env, INIT_CWD: folder })
  t.match(await run('--platform', known), {
    code: 0,
    stdout: /UCP-Agent: profile="https:\/\/known\.example\/profile\.json"/
  })
  t.match(await run(), { code: 1, stdout: /profile_not_trusted/ })
})

t.test('a bag that the option cannot write is not sent', async t => {
  const { run, save, url } = await setUp(t)
  save('colon.json', JSON.stringify({ ...BAG, items: [{ sku: 'A:1', quantity: 1 }] }))
  const { code, stdout, stderr } = await run(url('2B'), '--option', 'meta', '--cart', 'colon.json')
  t.strictSame([code, stdout], [2, ''])
  t.match(stderr, 'An id with "," or ":" cannot be sent; Meta supports none.')
})

t.test('--screenshot saves an image of the page without a second request; a page without one is reported', async t => {
  const requested: string[] = []
  const { origin } = await listen(t, ({ url = '' }, response) => {
    if (url !== '/favicon.ico') requested.push(url)
    if (url.startsWith('/empty')) response.writeHead(204).end()
    else response.end(requested.length === 1 ? '<title>First</title>' : '<title>Again</title>')
  })
  const { run, folder } = await setUp(t)
  const bag = ['--option', '2B', '--cart', 'bag.json', '--screenshot']
  t.match(await run(`${origin}/a'b*{c}`, ...bag, 'page.png'), { code: 0, stderr: 'the page is in page.png\n' })
  t.match(requested, [/^\/a'b\*\{c\}\?/])
  t.equal(requested.length, 1)
  t.equal(readFileSync(join(folder, 'page.png')).subarray(1, 4).toString(), 'PNG')
  t.match(await run(`${origin}/empty`, ...bag, 'none.png'), { code: 0, stderr: /^no screenshot: .*\n$/ })
  t.match(await run(`${origin}/page`, ...bag, '/dev/null/page.png'), { code: 0, stderr: /no screenshot: .*ENOTDIR/ })
})

t.test('a refusal ends with 1, and --json prints the steps as JSON', async t => {
  const { run, url, save, folder } = await setUp(t)
  save('bag.json', JSON.stringify({ ...BAG, items: [{ sku: '\u202enone', quantity: 1 }], reference: 'r' }))
  const bag = ['--cart', 'bag.json']
  const refused = await run(url('1'), '--option', '1', ...bag, '--json', '--screenshot', 'page.png')
  t.equal(refused.code, 1)
  t.notMatch(refused.stdout, '\u202e')
  t.match(JSON.parse(refused.stdout), [
    { step: 'request' },
    { answer: { status: 400, body: /^\{.*\}$/s } },
    { step: 'failure' }
  ])
  t.notOk(existsSync(join(folder, 'page.png')), 'there is no page for a screenshot')
  const page = await run(url('2A'), '--option', '2A', ...bag)
  t.match(page, { code: 1, stdout: /422 Unprocessable/ })
})

t.test('--token-from names a variable, whose token is sent and not printed', async t => {
  const { run, url } = await setUp(t)
  process.env.TEST_TOKEN = 'open-sesame'
  t.teardown(() => delete process.env.TEST_TOKEN)
  const { code, stdout } = await run(url('1'), '--option', '1', '--cart', 'bag.json', '--token-from', 'TEST_TOKEN')
  t.equal(code, 0)
  t.match(stdout, /Authorization: Bearer \$\{TEST_TOKEN/)
  t.notMatch(stdout, 'open-sesame')
})

t.test('what cannot be sent ends with 2 and a hint', async t => {
  const { run, url, save, folder } = await setUp(t)
  save('broken.json', '{')
  const site = 'https://shop.example/app/cart'
  const bag = ['--cart', 'bag.json']
  const mistakes: [string[], RegExp][] = [
    [['shop.example/cart', '--option', '1'], /"shop.example\/cart" is not an address/],
    [['http://:x/', '--option', '1'], /is not an address/],
    [[`${site}#there`, '--option', '1'], /is not an address/],
    [[site, ...bag], /--option is missing; give one of 1, 2A, 2B/],
    [[site, '--option', 'none', ...bag], /--option is "none"/],
    [[site, '--option', '1'], /give --cart/],
    [[site, '--option', '1', '--platform', site, ...bag], /option 1 names no platform/],
    [[site, '--option', '2A', '--secret-from', 'NONE', ...bag], /a web view sends the bag, and has no secret/],
    [
      [url('2A'), '--option', '2A', '--cart', 'none.json'],
      /^\/.*\/none\.json: there is no such file; give the path of a bag\n$/
    ],
    [[url('2A'), '--option', '2A', '--cart', '.'], /^\/.*: it is a folder; give the path of a bag\n$/],
    [[url('2A'), '--option', '2A', '--cart', 'broken.json'], /\/broken\.json:.*; give a bag in plain JSON/]
  ]
  for (const [args, stderr] of mistakes) t.match(await run(...args), { code: 2, stdout: '', stderr }, args.join(' '))
  // Before a mistake in the environment.
  const stderr = /^give one URL\n\nnpm run simulate -- URL/
  t.match(await runHere(simulate, [], { PORT: 'x' }), { code: 2, stdout: '', stderr })
  const env = { ...process.env, INIT_CWD: folder }
  const unanswered = ['src/cli/simulate.ts', 'http://127.0.0.1:1/', '--option', '2A', ...bag]
  t.match(await runNode(unanswered, { env, coverage: true }), {
    code: 2,
    stdout:
      /It ends here\n +No response: nothing listens at http:\/\/127\.0\.0\.1:1; start the site, or correct the address\. The app shows its generic error\.\n/,
    stderr: ''
  })
})

const answer = (body: string, type: string) => ({
  url: 'http://x/',
  status: 200,
  statusText: 'OK',
  headers: [{ name: 'Content-Type', value: type }],
  body: Buffer.from(body),
  milliseconds: 1.6
})
const request = { method: 'POST', url: 'http://x/', headers: [{ name: 'X-A', value: '1' }], body: 'a=b' }

t.test('every step is printed with a number; nothing that others wrote acts on the terminal', t => {
  const steps: Step[] = [
    { step: 'request', sender: 'platform', request },
    { step: 'answer', to: 'platform', answer: answer(`\u001b[2J\n${'x'.repeat(2000)}`, 'text/plain') },
    {
      step: 'description',
      fields: [
        { at: 'url', value: '"u"', verdict: 'used', says: 'Opened.' },
        { at: 'body', value: '"b"', verdict: 'refused', says: 'Not sent.' },
        { at: 'x', value: '1', verdict: 'ignored', says: 'No field.' },
        { at: 'y', value: '2', verdict: 'doubtful', says: 'Long.' }
      ]
    },
    { step: 'request', sender: 'web view', request: { method: 'GET', url: 'http://x/', headers: [] } },
    { step: 'answer', to: 'web view', answer: answer('<title> It &amp; </title>', 'text/html; charset=utf-8') },
    { step: 'answer', to: 'web view', answer: answer('no title', 'text/html') },
    { step: 'failure', says: 'No answer.' }
  ]
  t.equal(
    transferText(steps),
    `1. The platform sends
   POST http://x/ (9 characters)
   X-A: 1

   a=b

   curl -X POST -H 'X-A: 1' --data-raw 'a=b' 'http://x/'

2. The merchant site answers
   200 OK, 2 ms, 2005 bytes
   Content-Type: text/plain

   \\u{1b}[2J
   ${'x'.repeat(1995)}
   … and 5 characters more

3. The app reads the description
     url "u": Opened.
   ! body "b": refused. Not sent.
   - x 1: ignored. No field.
   ? y 2: doubtful. Long.

4. The web view sends
   GET http://x/ (9 characters)

   curl 'http://x/'

5. The merchant site answers
   200 OK, 2 ms, 25 bytes
   Content-Type: text/html; charset=utf-8

   a page with the title "It &amp;"

6. The merchant site answers
   200 OK, 2 ms, 8 bytes
   Content-Type: text/html

   a page with the title ""

7. It ends here
   No answer.

`
  )
  t.end()
})
