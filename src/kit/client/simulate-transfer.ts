// Plays platform and app, from the bag to the response that the web view shows: the transfer, the description if the
// option answers with one, and the web request that the app builds from it. Every step is recorded.
import { randomUUID } from 'node:crypto'
import { Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { Buyer, Cart, Item } from '../../cart/cart.ts'
import { OperatorError } from '../../errors.ts'
import { describeError, type FileError, openJsonFile } from '../../merchant/json-file.ts'
import type { TransferOption, WebRequest } from '../../transfer/option.ts'
import { type AppRequest, type DescribedField, readDescription } from './app-request.ts'
import { type Proof, proveSender } from './prove-sender.ts'
import {
  headerValue,
  NoResponseError,
  responseText,
  type SendRequestOptions,
  sendRequest,
  type WebResponse,
  withTransportHeaders
} from './send-request.ts'

export type Sender = 'platform' | 'web view'

export type Step =
  /** A request, exactly as sent but for secrets, which the names of their variables replace. */
  | { step: 'request'; sender: Sender; request: WebRequest }
  | { step: 'answer'; to: Sender; answer: WebResponse }
  | { step: 'description'; fields: DescribedField[] }
  /** Why the transfer ended here, and what the shopper sees. */
  | { step: 'failure'; says: string }

/** Every step, and the response that the web view shows; absent if the app shows its generic error instead. */
export type SimulatedTransfer = { steps: Step[]; shown?: WebResponse }

export type SimulationOptions = SendRequestOptions & {
  webViewHeaders?: WebRequest['headers']
  /** How a URL is reached; if it is not, the simulation fails. @param from the URL whose answer leads there, if any */
  route?: (url: string, from: string | undefined) => SendRequestOptions | undefined
  /** What the platform's servers prove themselves with; a web view has nothing to do so. */
  credentials?: Proof | undefined
  clock?: () => Date
}

const PLATFORM_HEADERS = [{ name: 'Accept', value: 'application/json' }]
export const WEB_VIEW_HEADERS = [{ name: 'Accept', value: 'text/html,application/xhtml+xml,*/*;q=0.8' }]

const UcpAnswer = Type.Object({ id: Type.Optional(Type.String()), continue_url: Type.Optional(Type.String()) })

const MAX_REDIRECTS = 10

/** Transfers a cart, and opens the page that it leads to. @param answer what the option is answered with */
export async function simulateTransfer(
  transfer: WebRequest,
  answer: TransferOption['answer'],
  { webViewHeaders = WEB_VIEW_HEADERS, ...options }: SimulationOptions = {}
): Promise<SimulatedTransfer> {
  const { steps, request } = await resolvePageRequest(transfer, answer, options)
  if (!request) return { steps }
  try {
    return { steps, shown: await openInWebView(request, webViewHeaders, options, steps) }
  } catch (error) {
    return { steps: [...steps, noResponseStep(error)] }
  }
}

/** The request that the web view opens: the transfer itself, or what its response describes; absent if nothing. */
export async function resolvePageRequest(
  transfer: WebRequest,
  answer: TransferOption['answer'],
  options: SimulationOptions = {}
): Promise<{ steps: Step[]; request?: AppRequest }> {
  if (answer === 'page' || answer === 'redirect') return { steps: [], request: transfer }
  const steps: Step[] = []
  const { credentials, clock = () => new Date() } = options
  const failed = (says: string) => ({ steps: [...steps, { step: 'failure', says } as const] })
  const { sent, shown } = proveSender(withDefaultHeaders(transfer, PLATFORM_HEADERS), credentials, clock())
  try {
    const response = await exchange('platform', sent, options, steps, shown)
    // A refusal describes no request, and iOS refuses some descriptions.
    if (response.status < 200 || response.status > 299) {
      return failed(`The transfer was refused with ${response.status}. The app shows its generic error.`)
    }
    if (answer === 'protocol') {
      const url = continueUrlIn(responseText(response))
      const request = url === undefined ? undefined : { method: 'GET', url, headers: [] }
      return request
        ? { steps, request }
        : failed('The platform is told why the bag cannot be sold. There is no page to open.')
    }
    const { fields, request } = readDescription(responseText(response))
    steps.push({ step: 'description', fields })
    return request ? { steps, request } : failed('The app cannot send this request. It shows its generic error.')
  } catch (error) {
    return { steps: [...steps, noResponseStep(error)] }
  }
}

/** Where a UCP answer leads; undefined if it has no cart. */
function continueUrlIn(body: string): string | undefined {
  try {
    const { id, continue_url: url } = Value.Parse(UcpAnswer, JSON.parse(body))
    return id && url && new URL(url).href
  } catch {
    return undefined
  }
}

/** @throws any other error */
function noResponseStep(error: unknown): Step {
  if (!(error instanceof NoResponseError)) throw error
  return { step: 'failure', says: `No response: ${error.message}. The app shows its generic error.` }
}

async function exchange(
  sender: Sender,
  request: WebRequest,
  { route = () => ({}), ...options }: SimulationOptions,
  steps: Step[],
  shown = request
): Promise<WebResponse> {
  const previous = steps.findLast(({ step }) => step === 'request')
  const way = route(request.url, previous?.step === 'request' ? previous.request.url : undefined)
  if (!way) {
    throw new NoResponseError(
      `nothing was sent to ${request.url}, which belongs neither to this merchant nor to a shop that it leads to`
    )
  }
  steps.push({ step: 'request', sender, request: withTransportHeaders(shown) })
  const response = await sendRequest(request, { ...options, ...way })
  steps.push({ step: 'answer', to: sender, answer: response })
  return response
}

/** Opens a request as a web view does, with its own cookie store, following redirects to the page. */
async function openInWebView(
  { cookies = [], ...first }: AppRequest,
  headers: WebRequest['headers'],
  options: SimulationOptions,
  steps: Step[]
): Promise<WebResponse> {
  // Loaded with the first web view: it brings the whole list of public suffixes.
  const { Cookie, CookieJar } = await import('tough-cookie')
  // As on a phone, secure cookies are never sent over plain http, not even to loopback.
  const jar = new CookieJar(undefined, {
    rejectPublicSuffixes: false,
    looseMode: true,
    allowSecureOnLocal: false,
    prefixSecurity: 'unsafe-disabled'
  })
  for (const { name: key, expires, ...cookie } of cookies) {
    const described = new Cookie({ ...cookie, key, expires: new Date(expires * 1000) })
    await jar.setCookie(described, first.url, { ignoreError: true })
  }
  let request = withDefaultHeaders(first, headers)
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    const cookie = await jar.getCookieString(request.url)
    const response = await exchange('web view', withCookies(request, cookie), options, steps)
    for (const { name, value } of response.headers) {
      if (name.toLowerCase() === 'set-cookie') await jar.setCookie(value, request.url, { ignoreError: true })
    }
    const next = redirectedRequest(request, response, headers)
    if (!next) return response
    request = next
  }
  throw new NoResponseError(`more than ${MAX_REDIRECTS} redirects`)
}

/** The request after a redirect: 307 and 308 preserve it, the others turn it into a GET. */
function redirectedRequest(
  { url, method, body, headers }: WebRequest,
  response: WebResponse,
  webViewHeaders: WebRequest['headers']
): WebRequest | undefined {
  const location = headerValue(response.headers, 'location')
  if (location === undefined || ![301, 302, 303, 307, 308].includes(response.status)) return undefined
  const next = URL.parse(location, url)
  if (!next || !/^https?:$/.test(next.protocol)) return undefined
  if (response.status >= 307) return { url: next.href, method, headers, ...(body !== undefined && { body }) }
  return { url: next.href, method: 'GET', headers: webViewHeaders }
}

/** Cookies of the store replace any Cookie header of the request. */
export function withCookies(request: WebRequest, cookies: string): WebRequest {
  if (!cookies) return request
  const headers = request.headers.filter(({ name }) => name.toLowerCase() !== 'cookie')
  return { ...request, headers: [...headers, { name: 'Cookie', value: cookies }] }
}

function withDefaultHeaders(request: WebRequest, defaults: WebRequest['headers']): WebRequest {
  const added = defaults.filter(({ name }) => headerValue(request.headers, name) === undefined)
  return { ...request, headers: [...request.headers, ...added] }
}

/**
 * A cart, of which options send what they have a place for, with an optional reference: by default a new one is generated, as
 * platforms generate one per order.
 */
const Bag = Type.Object(
  {
    ...Cart.properties,
    buyer: Type.Optional(Type.Object(Buyer.properties, { additionalProperties: false })),
    items: Type.Array(Type.Object(Item.properties, { additionalProperties: false })),
    reference: Type.Optional(Cart.properties.reference)
  },
  { additionalProperties: false }
)

const EXAMPLE = '{ "items": [{ "sku": "MUG", "quantity": 2 }], "currency": "GBP", "reference": "…" }'

/** The cart that `npm run simulate` transfers. @throws OperatorError with what is wrong, a line each, and what is right */
export function readBag(file: string): Cart {
  const unread: FileError[] = []
  const bag = openJsonFile(file, 'a bag', unread)?.value
  if (unread.length > 0) throw new OperatorError(unread.map(describeError).join('\n'))
  if (!Value.Check(Bag, bag)) {
    const mistakes = [...Value.Errors(Bag, bag)].map(
      ({ path, message }) => `${file}: ${path || 'the file'}: ${message}`
    )
    throw new OperatorError([...new Set(mistakes), `give ${EXAMPLE}; a line may have a "price" as a string`].join('\n'))
  }
  return { ...bag, reference: bag.reference ?? randomUUID().replaceAll('-', '') }
}
