// When there is a simulator page: by default only on loopback, otherwise as SIMULATOR says.
import t from 'tap'
import { simulatorAccess } from '../../../src/kit/simulator/simulator-access.ts'

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
  origins.map((origin, i) => ({ id: `shop-${i}`, ...(origin !== undefined && { origin }) }))

t.test('by default it is on if every merchant is on loopback', async t => {
  for (const [host, ...origins] of onLoopback) {
    const access = simulatorAccess({ host }, merchantsOf(origins))
    t.strictSame(
      access,
      { servedTo: 'this machine', reason: 'every merchant is on loopback', isExposed: false },
      `${host} ${origins}`
    )
  }
})

t.test('by default it is off if any merchant is not; the reason says which, and how to enable it anyway', async t => {
  for (const [host, ...origins] of publicBeyond) {
    const reason = `the merchant "shop-${origins.length - 1}" is not on loopback; SIMULATOR=on enables it anyway`
    const access = simulatorAccess({ host }, merchantsOf(origins))
    t.strictSame(access, { reason, isExposed: false }, `${host} ${origins}`)
  }
})

t.test('by default it is off if the server listens beyond loopback', async t => {
  for (const [host, ...origins] of listeningBeyond) {
    const reason = `HOST, ${host}, is not on loopback; SIMULATOR=on enables it anyway`
    t.strictSame(simulatorAccess({ host }, merchantsOf(origins)), { reason, isExposed: false }, `${host} ${origins}`)
  }
})

t.test('SIMULATOR takes precedence', async t => {
  for (const [host, ...origins] of [...onLoopback, ...publicBeyond, ...listeningBeyond]) {
    const merchants = merchantsOf(origins)
    const { servedTo: byDefault } = simulatorAccess({ host }, merchants)
    const on = simulatorAccess({ host, setting: 'on' }, merchants)
    t.strictSame(
      on,
      { servedTo: 'everybody', reason: 'SIMULATOR is on', isExposed: !byDefault },
      `on: ${host} ${origins}`
    )
    const off = simulatorAccess({ host, setting: 'off' }, merchants)
    t.strictSame(off, { reason: 'SIMULATOR is off', isExposed: false }, `off: ${host} ${origins}`)
  }
})
