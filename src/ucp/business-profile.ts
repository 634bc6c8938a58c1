// The profile at /.well-known/ucp: how a platform reaches the carts of a merchant, by each version.
import {
  CART,
  type CapabilityName,
  NEWEST,
  OLDER,
  PERMALINK,
  SERVICE,
  specificationOf,
  type UcpVersion,
  ucpVersions
} from './versions.ts'

export type ProfileAddresses = {
  /** Of the profile itself, without a version. */
  profile: string
  /** Where UCP carts arrive. */
  endpoint: string
  /** Where permalinks do, if they do. */
  permalink?: string | undefined
}

/** @param version by default the newest, which names the others */
export function businessProfile(addresses: ProfileAddresses, version: UcpVersion = NEWEST): object {
  const { profile, endpoint, permalink } = addresses
  const at = (path: string) => specificationOf(version, path)
  const { specifications } = ucpVersions[version]
  const capability = (name: CapabilityName, config?: object) => {
    const path = specifications[name]
    if (path === undefined) return {}
    const schema = at(`schemas/shopping/${name.slice(name.lastIndexOf('.') + 1)}.json`)
    return { [name]: [{ version, spec: at(`specification/${path}`), schema, ...(config && { config }) }] }
  }
  const service = (transport: string, description: string, endpoint: string) => ({
    version,
    spec: at('specification/overview'),
    transport,
    schema: at(`services/shopping/${description}`),
    endpoint
  })
  const older = Object.fromEntries(OLDER.map(one => [one, `${profile}/${one}`]))
  return {
    ucp: {
      version,
      ...(version === NEWEST && { supported_versions: older }),
      services: {
        [SERVICE]: [
          service('rest', 'rest.openapi.json', endpoint),
          service('mcp', 'mcp.openrpc.json', `${endpoint}/mcp`)
        ]
      },
      capabilities: {
        ...capability(CART),
        ...(permalink !== undefined && capability(PERMALINK, { endpoint: permalink }))
      },
      payment_handlers: {}
    }
  }
}
