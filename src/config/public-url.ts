// publicUrl: the address that the app sees. All addresses come from it, never from a Host header.
import { BlockList, isIP } from 'node:net'

/** An absolute publicUrl has an origin; a path alone means the address that this process listens on. */
export type PublicUrl = { origin?: string; path: string }

const PATH = /^(\/(?!\.{1,2}(\/|$))[A-Za-z0-9._~-]+)*$/

/** @returns the parts, with an empty path for the root, or what is wrong and what would be right */
export function readPublicUrl(text: string): PublicUrl | string {
  if (text.startsWith('/')) {
    const path = text === '/' ? '' : text
    return PATH.test(path)
      ? { path }
      : 'a path is made of letters, digits, ".", "_", "~" and "-", without a slash at the end'
  }
  const url = URL.parse(text)
  if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:')) {
    return 'give an address such as "https://shop.example/app", or a path such as "/harbour"'
  }
  const { origin } = url
  const path = url.pathname.replace(/\/$/, '')
  if (text !== origin + path) return `write it as "${origin}${path}": no slash at the end, no user, query or fragment`
  if (!PATH.test(path)) return 'its path is made of letters, digits, ".", "_", "~" and "-"'
  if (url.protocol === 'http:' && !isPrivate(url.hostname)) {
    return `use https: http is for loopback and private addresses only, and "${url.hostname}" is neither`
  }
  return { origin, path }
}

function isPrivate(hostname: string): boolean {
  if (hostname === 'localhost' || hostname.endsWith('.localhost')) return true
  const address = hostname.replace(/^\[|\]$/g, '')
  const family = isIP(address)
  return family !== 0 && privateAddresses().check(address, family === 6 ? 'ipv6' : 'ipv4')
}

function privateAddresses(): BlockList {
  const list = new BlockList()
  list.addSubnet('127.0.0.0', 8, 'ipv4')
  list.addSubnet('10.0.0.0', 8, 'ipv4')
  list.addSubnet('172.16.0.0', 12, 'ipv4')
  list.addSubnet('192.168.0.0', 16, 'ipv4')
  list.addSubnet('169.254.0.0', 16, 'ipv4')
  list.addAddress('::1', 'ipv6')
  list.addSubnet('fc00::', 7, 'ipv6')
  list.addSubnet('fe80::', 10, 'ipv6')
  return list
}

/** Whether a path is another one or lies inside it; `/har` is not inside `/harbour`, and all lies inside the root. */
export function isWithin(path: string, outer: string): boolean {
  return path === outer || path.startsWith(`${outer}/`)
}
