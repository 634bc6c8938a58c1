// The versions of UCP that are spoken, and all that differs between them.

type VersionParts = {
  /** The paths of the specification of a capability, below `/specification`. */
  specifications: Record<CapabilityName, string | undefined>
  /** Where a profile has the keys that it signs with. */
  keys: 'keys' | 'signing_keys'
}

export const CART = 'dev.ucp.shopping.cart'
/** The service that both capabilities belong to. */
export const SERVICE = 'dev.ucp.shopping'
export const PERMALINK = 'dev.ucp.shopping.permalink'

export type CapabilityName = typeof CART | typeof PERMALINK

/** The newest first, which is that of the profile at its usual address. */
export const ucpVersions = {
  '2026-08-25': { specifications: { [CART]: 'shopping/cart', [PERMALINK]: 'permalink' }, keys: 'keys' },
  '2026-04-08': { specifications: { [CART]: 'cart', [PERMALINK]: undefined }, keys: 'signing_keys' }
} satisfies Record<string, VersionParts>

export type UcpVersion = keyof typeof ucpVersions

export const [NEWEST, ...OLDER] = Object.keys(ucpVersions) as [UcpVersion, ...UcpVersion[]]

/** An address of the specification. */
export const specificationOf = (version: UcpVersion, path: string): string => `https://ucp.dev/${version}/${path}`
