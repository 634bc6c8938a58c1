// Connections to addresses that strangers give: only to public servers, whatever a name resolves to.
import { Resolver } from 'node:dns/promises'
import { Agent } from 'node:https'
import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/** @returns the addresses of a host, at least one */
export type Resolve = (hostname: string) => Promise<string[]>

/** An IPv4 address within IPv6 counts as what it is. */
export function isPublicAddress(text: string): boolean {
  const address = ipaddr.process(text)
  const isGlobal = address instanceof ipaddr.IPv4 || address.match(ipaddr.IPv6.parse('2000::'), 3)
  return isGlobal && address.range() === 'unicast'
}

const notPublic = () => Object.assign(new Error('not a public address'), { code: 'ERR_NOT_PUBLIC' })

/** For https. A request fails with ERR_NOT_PUBLIC if any address of its host is private, or has another special use. */
export class PublicAgent extends Agent {
  constructor(resolve: Resolve = publicResolver()) {
    super({
      // Then all addresses are asked for, and the connection goes to one of those that were checked.
      autoSelectFamily: true,
      lookup: (hostname, _options, done) => {
        resolve(hostname).then(
          addresses => {
            const isPublic = addresses.every(isPublicAddress)
            const found = addresses.map(address => ({ address, family: isIP(address) }))
            done(isPublic ? null : notPublic(), found)
          },
          error => done(error, [])
        )
      }
    })
  }

  /** A host that is an address is not looked up. */
  override createConnection(...[options, done]: Parameters<Agent['createConnection']>) {
    const host = String(options.host)
    if (isIP(host) === 0 || isPublicAddress(host)) return super.createConnection(options, done)
    done?.(notPublic(), undefined as never)
    return undefined
  }
}

/** Not the system's own, which keeps one of few threads busy for as long as a stranger's name server takes. */
function publicResolver(): Resolve {
  const resolver = new Resolver({ timeout: 1000, tries: 2 })
  return async hostname => {
    const answers = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)])
    const addresses = answers.flatMap(answer => (answer.status === 'fulfilled' ? answer.value : []))
    const [first] = answers
    if (addresses.length === 0 && first.status === 'rejected') throw first.reason
    return addresses
  }
}
