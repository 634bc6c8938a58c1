// The addresses of a shop: those that we call, and the pages that an app opens, with what would keep it from opening them or
// what a redirect to them would lose.
import { BlockList, isIP } from 'node:net'
import type { DescribedCookie, Description } from '../../transfer/description.ts'
import { MAX_URL, type TransferOption } from '../../transfer/option.ts'

/** The characters of RFC 3986, each % with two hex digits: `new URL` accepts what iOS refuses. */
const CHARACTERS = /^(?:[\w\-.~:/?#[\]@!$&'()*+,;=]|%[0-9a-f]{2})+$/i

export function pageUrlProblem(text: string): string | undefined {
  if (!CHARACTERS.test(text)) return 'it has characters that RFC 3986 does not allow in a URL'
  if (text.length > MAX_URL) return `it has ${text.length} characters, and the contract allows ${MAX_URL} (section 8)`
  return shopUrlProblem(text)
}

/** What is wrong with an address, if anything; without the address, which could hold a secret. */
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

export type DestinationRoute = {
  /** How the option answers: pages are reached by a redirect, which carries less than a description. */
  answer: TransferOption['answer']
  /** Scheme, host and port of publicUrl; absent if it is only a path. */
  origin?: string
  /** The path of publicUrl; empty for the root. */
  path: string
  currencies: string[]
}

export type ShopPage = { url: string; cookies?: DescribedCookie[] }

/**
 * An address with these parameters in its query, the last left out if a URL has no room for them. What the address already has
 * stays as it is.
 */
export function withParameters(address: string, parameters: [name: string, value: string][]): string {
  const { searchParams } = new URL(address)
  const fragment = address.slice(`${address}#`.indexOf('#'))
  let extended = address.slice(0, address.length - fragment.length)
  for (const [name, value] of parameters.filter(([name]) => !searchParams.has(name))) {
    // Not as `+`, which WooCommerce takes for one.
    const pair = new URLSearchParams([[name, value]]).toString().replaceAll('+', '%20')
    const parameter = `${extended.includes('?') ? '&' : '?'}${pair}`
    if (extended.length + parameter.length + fragment.length > MAX_URL) break
    extended += parameter
  }
  return extended + fragment
}

/** A page whose address has these parameters, too; a form that the app posts stays as it is. */
export function withPageParameters(page: Description, parameters: [name: string, value: string][]): Description {
  return page.httpMethod === 'POST' || parameters.length === 0
    ? page
    : { ...page, url: withParameters(page.url, parameters) }
}

/** What tells a page of refused codes: our parameter, and WooCommerce's. */
const REFUSALS = /^(?:refused_code|wc_error)=/

/** A page whose address no longer says which codes were refused. */
export function withoutRefusals(page: Description): Description {
  const url = page.url.replace(/\?[^#]*/, query => {
    const kept = query
      .slice(1)
      .split('&')
      .filter(parameter => !REFUSALS.test(parameter))
    return kept.length > 0 ? `?${kept.join('&')}` : ''
  })
  return { ...page, url }
}

/** @param place what stands for the value in the address; if it is not there, a cookie has the value */
export function shopPage(pageUrl: string, place: string, value: string, cookie = 'session'): ShopPage {
  if (pageUrl.includes(place)) return { url: pageUrl.replaceAll(place, encodeURIComponent(value)) }
  const isSecure = pageUrl.startsWith('https:')
  return { url: pageUrl, cookies: [{ name: cookie, value, isHttpOnly: true, isSecure, path: '/' }] }
}

/** What is known at start to be wrong, if anything. @param example an address that would be right */
export function shopPageProblem(
  page: ShopPage,
  { answer, origin }: Pick<DestinationRoute, 'answer' | 'origin'>,
  place: string,
  example: string
): string | undefined {
  const problem = pageUrlProblem(page.url)
  if (problem) return `${problem}; give one such as "${example}"`
  if (answer === 'description' || origin === undefined) return undefined
  const lost = redirectProblem({ httpMethod: 'GET', ...page }, origin)
  return lost && `${lost}, and an address with "${place}" in it needs no cookie`
}

/** The shop's answer cannot be carried out by the option of this merchant. The message is for the log. */
export class HandoffUnusable extends Error {}

export type Redirect = { location: string; setCookies: string[] }

/** @throws HandoffUnusable if something of the description would be lost */
export function redirectTo(description: Description, origin: string): Redirect {
  const problem = redirectProblem(description, origin)
  if (problem !== undefined) throw new HandoffUnusable(problem)
  return { location: description.url, setCookies: (description.cookies ?? []).map(setCookie) }
}

/**
 * What a redirect would lose of a description, if anything. A cookie could be set for another host of the same site too, but
 * one that the web view has from an earlier visit there would be sent before it, and the page would show an old cart.
 * @param origin scheme, host and port of this merchant's publicUrl
 */
function redirectProblem(
  { url, httpMethod, cookies: [cookie, ...others] = [], headers: [header] = [] }: Description,
  origin: string
): string | undefined {
  const [from, to] = [new URL(origin), new URL(url)]
  const insecure = from.protocol === 'http:' && [cookie, ...others].find(one => one?.isSecure)
  let lost: string
  if (httpMethod === 'POST') lost = 'a POST'
  else if (header) lost = `the header ${header.name}`
  else if (cookie && from.hostname !== to.hostname) {
    lost = `the cookie ${cookie.name} for ${to.hostname}, which is not the host of publicUrl (${from.hostname}),`
  } else if (insecure) lost = `the cookie ${insecure.name}, which is secure and ${origin} is not,`
  else return undefined
  return `${lost} cannot be carried by a redirect; option 1 can`
}

function setCookie({ name, value, path = '/', expireDate, isHttpOnly, isSecure }: DescribedCookie): string {
  return [
    `${name}=${value}`,
    `Path=${path}`,
    expireDate && `Expires=${new Date(expireDate).toUTCString()}`,
    isHttpOnly && 'HttpOnly',
    isSecure && 'Secure',
    // The app has opened the page from elsewhere, so a strict cookie would not be sent.
    'SameSite=Lax'
  ]
    .filter(Boolean)
    .join('; ')
}
