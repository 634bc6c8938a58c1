// When there is a simulator page: by itself on loopback alone, and as SIMULATOR says otherwise.
import t from 'tap'
import { simulatorAccess } from '../../../src/kit/simulator/simulator-access.ts'

/** A HOST, and the publicUrl's origin of each merchant; without one it is a path alone. */
type Case = [host: string, ...origins: (string | undefined)[]]

const onLoopback: Case[] = [
  ['127.0.0.1', undefined],
  ['127.8.9.1', undefined, undefined],
  ['::1', undefined],
  ['localhost', undefined],
  ['127.0.0.1', 'http://127.0.0.1:3000', 'https://127.1.2.3', 'http://[::1]:8080'],
  ['127.0.0.1', undefined, 'http://LOCALHOST']
]

const heardBeyond: Case[] = [
  ['0.0.0.0', undefined],
  ['0.0.0.0', 'http://localhost:3000'],
  ['::', undefined],
  ['192.168.1.5', undefined],
  ['shop-1.internal.example', undefined]
]

const beyond: Case[] = [
  ['127.0.0.1', 'https://shop.example'],
  ['127.0.0.1', 'http://192.168.1.5:3000'],
  ['127.0.0.1', 'http://[fd00::1]'],
  ['127.0.0.1', 'https://localhost.shop.example'],
  ['127.0.0.1', undefined, 'https://shop.example']
]

const merchantsOf = (origins: (string | undefined)[]) =>
  origins.map((origin, i) => ({ id: `shop-${i}`, ...(origin !== undefined && { origin }) }))

t.test('it is on by itself where every merchant is on loopback', async t => {
  for (const [host, ...origins] of onLoopback) {
    const decided = simulatorAccess({ host }, merchantsOf(origins))
    t.strictSame(
      decided,
      { servedTo: 'this machine', reason: 'every merchant is on loopback', isExposed: false },
      `${host} ${origins}`
    )
  }
})

t.test('it is off where any merchant is not, and says which, and how to have it all the same', async t => {
  for (const [host, ...origins] of beyond) {
    const reason = `the merchant "shop-${origins.length - 1}" is not on loopback; SIMULATOR=on turns it on all the same`
    const decided = simulatorAccess({ host }, merchantsOf(origins))
    t.strictSame(decided, { reason, isExposed: false }, `${host} ${origins}`)
  }
})

t.test('it is off where the server listens for others', async t => {
  for (const [host, ...origins] of heardBeyond) {
    const reason = `HOST, ${host}, is not on loopback; SIMULATOR=on turns it on all the same`
    t.strictSame(simulatorAccess({ host }, merchantsOf(origins)), { reason, isExposed: false }, `${host} ${origins}`)
  }
})

t.test('SIMULATOR decides before anything else', async t => {
  for (const [host, ...origins] of [...onLoopback, ...beyond, ...heardBeyond]) {
    const merchants = merchantsOf(origins)
    const { servedTo: byItself } = simulatorAccess({ host }, merchants)
    const on = simulatorAccess({ host, setting: 'on' }, merchants)
    t.strictSame(
      on,
      { servedTo: 'everybody', reason: 'SIMULATOR is on', isExposed: !byItself },
      `on: ${host} ${origins}`
    )
    const off = simulatorAccess({ host, setting: 'off' }, merchants)
    t.strictSame(off, { reason: 'SIMULATOR is off', isExposed: false }, `off: ${host} ${origins}`)
  }
})
