// Addresses of a shop: those that we call, those that an app opens, and the networks in which they may be http.
import { BlockList, isIP } from 'node:net'
import { MAX_URL } from '../transfer/option.ts'

/** The characters of RFC 3986, each % with two hex digits: `new URL` accepts what iOS refuses. */
const CHARACTERS = /^(?:[\w\-.~:/?#[\]@!$&'()*+,;=]|%[0-9a-f]{2})+$/i

/** What is wrong with the address of a page that an app is to open, if anything is. */
export function pageUrlProblem(text: string): string | undefined {
  if (!CHARACTERS.test(text)) return 'it has characters that RFC 3986 does not allow in a URL'
  if (text.length > MAX_URL) return `it has ${text.length} characters, and the contract allows ${MAX_URL} (section 8)`
  return shopUrlProblem(text)
}

/** What is wrong with the address of a shop, if anything is; without the address, which could hold a secret. */
export function shopUrlProblem(text: string): string | undefined {
  const url = URL.parse(text)
  // `URL` reads `https:shop.example` as well, which a browser takes for a path.
  if (!url || !/^https?:\/\/[^/]/i.test(text)) return 'it is not an absolute http or https address'
  if (url.username || url.password) return 'it has a user or a password'
  if (url.protocol === 'http:' && !isPrivate(url.hostname)) {
    return 'it is http, which is for loopback and private addresses only'
  }
  return undefined
}

const LOOPBACK = ['127.0.0.0/8', '::1/128']
const PRIVATE = ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '169.254.0.0/16', 'fc00::/7', 'fe80::/10']

/** Whether it is this machine or one of a private network. */
export function isPrivate(hostname: string): boolean {
  return isLoopback(hostname) || isIn(hostname, PRIVATE)
}

/** Whether a host name or an address, IPv6 in brackets or not, is this machine itself (RFC 6761 for `*.localhost`). */
export function isLoopback(hostname: string): boolean {
  return /(^|\.)localhost$/i.test(hostname) || isIn(hostname, LOOPBACK)
}

function isIn(hostname: string, networks: string[]): boolean {
  const address = hostname.replace(/^\[|\]$/g, '')
  if (isIP(address) === 0) return false
  const list = new BlockList()
  for (const network of networks) {
    const [start = '', prefix] = network.split('/')
    list.addSubnet(start, Number(prefix), familyOf(start))
  }
  return list.check(address, familyOf(address))
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4'
}
