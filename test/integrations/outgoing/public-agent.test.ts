// Requests to addresses of strangers: none reaches a private network, whatever a name resolves to.
import { Resolver } from 'node:dns/promises'
import { mock } from 'node:test'
import t from 'tap'
import { httpFetch } from '../../../src/integrations/outgoing/http-client.ts'
import { isPublicAddress, PublicAgent } from '../../../src/integrations/outgoing/public-agent.ts'

// Of IANA's registries of special-purpose addresses, one of each network that is not for everybody, and forms that hide one.
const PRIVATE =
  '0.0.0.0 0.1.2.3 10.0.0.1 100.64.0.1 127.0.0.1 127.255.255.254 169.254.169.254 172.16.0.1 172.31.255.255 192.0.0.8 ' +
  '192.0.2.1 192.88.99.1 192.168.0.1 198.18.0.1 198.51.100.1 203.0.113.1 224.0.0.1 240.0.0.1 255.255.255.255 ' +
  ':: ::1 ::7f00:1 ::ffff:127.0.0.1 ::ffff:a9fe:a9fe ::ffff:0:127.0.0.1 64:ff9b::7f00:1 64:ff9b:1::1 100::1 100:0:0:1::1 ' +
  '2001::1 2001:2::1 2001:db8::1 2002:7f00:1::1 3fff::1 5f00::1 fc00::1 fd00:ec2::254 fe80::1 fe80::1%lo fec0::1 ff02::1 4000::1'

const PUBLIC = '8.8.8.8 93.184.215.14 172.32.0.1 2606:4700::1111 2a00:1450:4001::1 ::ffff:8.8.8.8'

t.test('which addresses are public', async t => {
  for (const address of PRIVATE.split(' ')) t.notOk(isPublicAddress(address), address)
  for (const address of PUBLIC.split(' ')) t.ok(isPublicAddress(address), address)
})

const { signal } = new AbortController()

const fetchBy = (agent: PublicAgent, url: string) => httpFetch(url, { signal, agent })

t.test('a name that resolves to a private address is not connected to', async t => {
  for (const addresses of [
    ['127.0.0.1'],
    ['::ffff:10.0.0.1'],
    ['8.8.8.8', '169.254.169.254'],
    ['::1', '2606:4700::1']
  ]) {
    const agent = new PublicAgent(async () => addresses)
    await t.rejects(fetchBy(agent, 'https://shop.example/'), { cause: { code: 'ERR_NOT_PUBLIC' } }, `${addresses}`)
  }
})

t.test('nor is an address itself, however it is written', async t => {
  const agent = new PublicAgent(async hostname => [`looked up: ${hostname}`])
  for (const host of [
    '127.0.0.1',
    '2130706433',
    '0x7f.1',
    '0177.0.0.1',
    '127.1',
    '[::1]',
    '[::ffff:127.0.0.1]',
    '[::127.0.0.1]'
  ]) {
    await t.rejects(fetchBy(agent, `https://${host}/`), { cause: { code: 'ERR_NOT_PUBLIC' } }, host)
  }
})

t.test('the connection goes to an address that was checked', async t => {
  const { lookup } = new PublicAgent(async () => ['8.8.8.8', '2606:4700::1111']).options
  const found = await new Promise((resolve, reject) => {
    lookup?.('shop.example', {}, (error, addresses) => (error ? reject(error) : resolve(addresses)))
  })
  t.strictSame(found, [
    { address: '8.8.8.8', family: 4 },
    { address: '2606:4700::1111', family: 6 }
  ])
})

t.test('names are looked up in both families; one that is in neither does not exist', async t => {
  const failing = (code: string) => Object.assign(new Error(code), { code })
  const answers: Record<string, string[] | Error> = {}
  const answer = async (family: string) => {
    const found = answers[family] ?? failing('ENODATA')
    if (found instanceof Error) throw found
    return found
  }
  mock.method(Resolver.prototype, 'resolve4', () => answer('4'))
  mock.method(Resolver.prototype, 'resolve6', () => answer('6'))
  t.teardown(() => mock.restoreAll())
  const fetching = () => fetchBy(new PublicAgent(), 'https://shop.example/')
  await t.rejects(fetching(), { cause: { code: 'ENODATA' } })
  answers['6'] = ['::1']
  await t.rejects(fetching(), { cause: { code: 'ERR_NOT_PUBLIC' } }, 'one has answered')
  answers['4'] = ['127.0.0.1']
  answers['6'] = failing('ESERVFAIL')
  await t.rejects(fetching(), { cause: { code: 'ERR_NOT_PUBLIC' } }, 'the other has')
  answers['4'] = failing('ENOTFOUND')
  await t.rejects(fetching(), { cause: { code: 'ENOTFOUND' } })
})
