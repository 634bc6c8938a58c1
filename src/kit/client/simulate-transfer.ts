// Plays platform and app from the bag to the answer that the web view shows: the transfer, the description where the
// option answers with one, and the web request that the app builds from it. Each step is told as it happened.
import { CookieJar } from 'tough-cookie'
import type { Cart } from '../../cart/cart.ts'
import type { TransferOption, WebRequest } from '../../transfer/option.ts'
import { type AppRequest, readDescription } from './app-request.ts'
import type { AppCookie } from './described-cookie.ts'
import type { DescribedField } from './described-field.ts'
import { responseText } from './response-text.ts'
import {
  headerValue,
  NoResponse,
  type SendRequestOptions,
  sendRequest,
  type WebResponse,
  withTransportHeaders
} from './send-request.ts'

export type Sender = 'platform' | 'web view'

export type Step =
  /** A request, exactly as it was sent. */
  | { step: 'request'; sender: Sender; request: WebRequest }
  | { step: 'answer'; to: Sender; answer: WebResponse }
  | { step: 'description'; fields: DescribedField[] }
  /** Why it ended here, and what the shopper sees of it. */
  | { step: 'failure'; says: string }

/** Every step, and the answer that the web view shows; none where the app shows its generic error instead. */
export type SimulatedTransfer = { steps: Step[]; shown?: WebResponse }

export type SimulationOptions = SendRequestOptions & {
  /** Headers that the web view adds to its own requests, as a browser does. */
  webViewHeaders?: WebRequest['headers']
  /** Which addresses may be asked; a request to any other is not sent, and a failure says so. */
  mayReach?: (url: string) => boolean
}

const PLATFORM_HEADERS = [{ name: 'Accept', value: 'application/json' }]
const WEB_VIEW_HEADERS = [{ name: 'Accept', value: 'text/html,application/xhtml+xml,*/*;q=0.8' }]

/** How many redirects a web view follows. */
const MAX_REDIRECTS = 10

/** Hands a cart over to {base_url} by an option, and opens what comes of it. */
export async function simulateTransfer(
  option: TransferOption,
  cart: Cart,
  baseUrl: string,
  { webViewHeaders = WEB_VIEW_HEADERS, ...sending }: SimulationOptions = {}
): Promise<SimulatedTransfer> {
  const steps: Step[] = []
  const request = await requestPage(option, cart, baseUrl, steps, sending)
  if (!request) return { steps }
  try {
    return { steps, shown: await openInWebView(request, webViewHeaders, sending, steps) }
  } catch (error) {
    return { steps: [...steps, notAnswered(error)] }
  }
}

/**
 * Goes as far as the request that the web view opens: the transfer itself where it is answered with the page, else the
 * described one; undefined where there is none. What happens is added to the steps.
 */
export async function requestPage(
  option: TransferOption,
  cart: Cart,
  baseUrl: string,
  steps: Step[] = [],
  sending: Omit<SimulationOptions, 'webViewHeaders'> = {}
): Promise<AppRequest | undefined> {
  const transfer = option.request(cart, baseUrl)
  if (option.answer === 'page') return transfer
  try {
    return describedBy(await exchange('platform', added(transfer, PLATFORM_HEADERS), sending, steps), steps)
  } catch (error) {
    steps.push(notAnswered(error))
    return undefined
  }
}

function notAnswered(error: unknown): Step {
  if (!(error instanceof NoResponse)) throw error
  return { step: 'failure', says: `There is no answer: ${error.message}. The app shows its generic error.` }
}

/** The web request that an answer describes; a refusal describes nothing, and iOS refuses some descriptions. */
function describedBy(answer: WebResponse, steps: Step[]): AppRequest | undefined {
  if (answer.status < 200 || answer.status > 299) {
    const says = `The transfer was refused with ${answer.status}. The app shows its generic error.`
    steps.push({ step: 'failure', says })
    return undefined
  }
  const { fields, request } = readDescription(responseText(answer))
  steps.push({ step: 'description', fields })
  if (!request) steps.push({ step: 'failure', says: 'The app cannot carry this out. It shows its generic error.' })
  return request
}

async function exchange(
  sender: Sender,
  request: WebRequest,
  { mayReach = () => true, ...sending }: SimulationOptions,
  steps: Step[]
): Promise<WebResponse> {
  if (!mayReach(request.url)) throw new NoResponse(`nothing was sent to ${request.url}, an address of somebody else`)
  steps.push({ step: 'request', sender, request: withTransportHeaders(request) })
  const answer = await sendRequest(request, sending)
  steps.push({ step: 'answer', to: sender, answer })
  return answer
}

/** Opens a request as a web view does, with a cookie store of its own, through redirects to the page. */
async function openInWebView(
  { cookies = [], ...first }: AppRequest,
  headers: WebRequest['headers'],
  sending: SimulationOptions,
  steps: Step[]
): Promise<WebResponse> {
  // Cookies as a phone keeps them: a secure one is not for plain http, not even on this machine.
  const jar = new CookieJar(undefined, {
    rejectPublicSuffixes: false,
    looseMode: true,
    allowSecureOnLocal: false,
    prefixSecurity: 'unsafe-disabled'
  })
  for (const cookie of cookies) await jar.setCookie(setCookie(cookie), first.url, { ignoreError: true })
  let request: WebRequest = added(first, headers)
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    const cookie = await jar.getCookieString(request.url)
    const answer = await exchange('web view', withCookies(request, cookie), sending, steps)
    for (const { name, value } of answer.headers) {
      if (name.toLowerCase() === 'set-cookie') await jar.setCookie(value, request.url, { ignoreError: true })
    }
    const next = redirectOf(request, answer, headers)
    if (!next) return answer
    request = next
  }
  throw new NoResponse(`more than ${MAX_REDIRECTS} redirects`)
}

/** Where an answer sends the web view on: 307 and 308 keep the request, the others make it a GET. */
function redirectOf(
  { url, method, body, headers }: WebRequest,
  answer: WebResponse,
  own: WebRequest['headers']
): WebRequest | undefined {
  const location = headerValue(answer.headers, 'location')
  if (location === undefined || ![301, 302, 303, 307, 308].includes(answer.status)) return undefined
  const next = URL.parse(location, url)
  if (!next || !/^https?:$/.test(next.protocol)) return undefined
  if (answer.status >= 307) return { url: next.href, method, headers, ...(body !== undefined && { body }) }
  return { url: next.href, method: 'GET', headers: own }
}

function setCookie({ name, value, path, secure, httpOnly, expires }: AppCookie): string {
  const flags = `${secure ? '; Secure' : ''}${httpOnly ? '; HttpOnly' : ''}`
  return `${name}=${value}; Path=${path}; Expires=${new Date(expires * 1000).toUTCString()}${flags}`
}

/** The cookies of the store go in place of any that the request names itself. */
function withCookies(request: WebRequest, cookies: string): WebRequest {
  if (!cookies) return request
  const headers = request.headers.filter(({ name }) => name.toLowerCase() !== 'cookie')
  return { ...request, headers: [...headers, { name: 'Cookie', value: cookies }] }
}

/** A request with more headers, where it has none of that name. */
function added(request: WebRequest, more: WebRequest['headers']): WebRequest {
  const has = (name: string) => request.headers.some(header => header.name.toLowerCase() === name.toLowerCase())
  return { ...request, headers: [...request.headers, ...more.filter(({ name }) => !has(name))] }
}
