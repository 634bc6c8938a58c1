// Addresses that plain http is allowed for: those of this machine and of private networks.
import { BlockList, isIP } from 'node:net'

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
