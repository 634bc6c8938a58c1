// The arguments of `npm run simulate`.
import t from 'tap'
import { UsageError } from '../../src/cli/run-command.ts'
import { readSimulateRequest } from '../../src/cli/simulate.ts'

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
