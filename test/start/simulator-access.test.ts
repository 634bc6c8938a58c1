// When there is a simulator page: by default only on loopback, otherwise as SIMULATOR says.
import type { BaseLogger } from 'pino'
import t from 'tap'
import { logSimulatorAccess, simulatorAccess } from '../../src/start/simulator-access.ts'
import { anyMerchant } from '../any-merchant.ts'

/** A HOST, and the origin of each merchant's publicUrl; undefined if that is only a path. */
type Case = [host: string, ...origins: (string | undefined)[]]

const onLoopback: Case[] = [
  ['127.0.0.1', undefined],
  ['127.8.9.1', undefined, undefined],
  ['::1', undefined],
  ['localhost', undefined],
  ['127.0.0.1', 'http://127.0.0.1:3000', 'https://127.1.2.3', 'http://[::1]:8080'],
  ['127.0.0.1', undefined, 'http://LOCALHOST', 'http://shop.localhost:3000']
]

const listeningBeyond: Case[] = [
  ['0.0.0.0', undefined],
  ['0.0.0.0', 'http://localhost:3000'],
  ['::', undefined],
  ['192.168.1.5', undefined],
  ['shop-1.internal.example', undefined]
]

const publicBeyond: Case[] = [
  ['127.0.0.1', 'https://shop.example'],
  ['127.0.0.1', 'http://192.168.1.5:3000'],
  ['127.0.0.1', 'http://[fd00::1]'],
  ['127.0.0.1', 'https://localhost.shop.example'],
  ['127.0.0.1', 'https://notlocalhost'],
  ['127.0.0.1', undefined, 'https://shop.example']
]

const merchantsOf = (origins: (string | undefined)[]) =>
  origins.map((origin, i) => ({ merchant: anyMerchant({ id: `shop-${i}`, ...(origin !== undefined && { origin }) }) }))

const off = (what: string) => ({
  isOn: false,
  reason: `${what} is not on loopback; SIMULATOR=on enables it anyway`,
  isExposed: false
})

t.test('by default it is on if every merchant is on loopback; otherwise the reason says what to do', async t => {
  const byDefault = ([host, ...origins]: Case, expected: object) =>
    t.strictSame(simulatorAccess({ host }, merchantsOf(origins)), expected, `${host} ${origins}`)
  for (const local of onLoopback) {
    byDefault(local, { isOn: true, reason: 'every merchant is on loopback', isExposed: false })
  }
  for (const shown of publicBeyond) byDefault(shown, off(`the merchant "shop-${shown.length - 2}"`))
  for (const heard of listeningBeyond) byDefault(heard, off(`HOST, ${heard[0]},`))
})

t.test('SIMULATOR takes precedence', async t => {
  for (const [host, ...origins] of [...onLoopback, ...publicBeyond, ...listeningBeyond]) {
    const merchants = merchantsOf(origins)
    const { isOn: byDefault } = simulatorAccess({ host }, merchants)
    const on = { isOn: true, reason: 'SIMULATOR is on', isExposed: !byDefault }
    t.strictSame(simulatorAccess({ host, setting: 'on' }, merchants), on, `on: ${host} ${origins}`)
    const off = { isOn: false, reason: 'SIMULATOR is off', isExposed: false }
    t.strictSame(simulatorAccess({ host, setting: 'off' }, merchants), off, `off: ${host} ${origins}`)
  }
})

t.test('the log says whether it is on, and warns if others can reach it', async t => {
  const lines: unknown[][] = []
  const log = {
    info: (...line: unknown[]) => void lines.push(line),
    warn: (...line: unknown[]) => void lines.push(line)
  }
  for (const [isOn, isExposed] of [
    [false, false],
    [true, false],
    [true, true]
  ] as const) {
    logSimulatorAccess(log as unknown as BaseLogger, { isOn, isExposed, reason: 'why' })
  }
  t.strictSame(lines, [
    [{ reason: 'why' }, 'simulator off'],
    [{ path: '/simulator', reason: 'why' }, 'simulator on'],
    [{ path: '/simulator', reason: 'why' }, 'simulator on: anyone who has its key can send carts to every merchant']
  ])
})
