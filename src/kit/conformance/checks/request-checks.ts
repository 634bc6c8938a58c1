// Requests that break the contract: the site has to refuse them.
import type { WebRequest } from '../../../transfer/option.ts'
import { checkGroup, isEditable, isProtocol, isTransfer, usesBody, usesJson } from '../check.ts'
import { editField, type FieldEdit, hasJsonBody } from '../edit-request.ts'
import { assertResponse, CheckFailed, CheckNotJudged, matchesStatus, sendProbe } from '../final-response.ts'
import type { ExpectKey } from '../profile.ts'
import type { Site } from '../site.ts'

type MistakeCase = [mistake: string, edit: FieldEdit]

/** Makes each mistake in turn in a valid request. @throws CheckFailed unless all are refused, the other requests too */
function assertMistakesRefused(site: Site, mistakes: MistakeCase[], others: InvalidRequest[] = []): Promise<void> {
  const requests = mistakes.map(([mistake, edit]): InvalidRequest => [mistake, editField(validRequest(site), edit)])
  return assertRefused(site, 'malformed', [...requests, ...others])
}

export const requestChecks = checkGroup({ group: 'requests' }, [
  {
    id: 'missing-field',
    title: 'A bag without a required field is refused',
    failure: { notRefused: 'A bag without a required field' },
    section: 'good practice (contract 2.1 requires it, 2.3 and 2.4 list it; 7 leaves errors open)',
    why: 'A bag that lost a field in transit is not what the shopper has in the app. Whatever a site guesses instead, the shopper pays for.',
    remedy:
      'Before anything else, check that every item has a SKU and a quantity, and that currency and reference are present.',
    appliesTo: isEditable,
    run: site => {
      // Forms and queries have no field "items".
      const items: MistakeCase[] = hasJsonBody(validRequest(site)) ? [['no items', { field: 'items' }]] : []
      return assertMistakesRefused(site, [
        ['no SKU', { field: 'sku' }],
        ['no quantity', { field: 'quantity' }],
        ['no currency', { field: 'currency' }],
        ['no reference', { field: 'reference' }],
        ...items
      ])
    }
  },
  {
    id: 'empty-bag',
    title: 'A bag without items is refused',
    failure: { notRefused: 'A bag without items' },
    section: 'good practice (contract 1 is about the items of a bag; 7 leaves errors open)',
    why: 'An empty checkout page tells the shopper that the bag was lost, after they decided to buy.',
    remedy: 'Refuse a request without items.',
    appliesTo: option => !isProtocol(option),
    run: site => assertRefused(site, 'malformed', [['no items', site.requestFor({ ...site.newCart(), items: [] })]])
  },
  {
    id: 'wrong-type',
    title: 'A field of the wrong type is refused, and so is invalid JSON',
    failure: { notRefused: 'A field of the wrong type, or invalid JSON,' },
    section: 'good practice (contract 2.1 says the types; 7 leaves errors open)',
    why: 'A SKU sent as a number has lost its leading zeros and may now be another product.',
    remedy: 'Check the type of every field: items is an array of objects; SKU, currency and reference are strings.',
    appliesTo: usesJson,
    run: site => {
      const { exist } = site.profile.skus
      // A site that converts everything to text accepts a number only if that gives the SKU of a product.
      const digits = exist.find(sku => /^[1-9]\d{0,14}$/.test(sku))
      const numericSku: MistakeCase[] =
        digits === undefined ? [] : [['a SKU is a number', { field: 'sku', value: Number(digits) }]]
      const mistakes: MistakeCase[] = [
        ['items is an object', { field: 'items', value: { sku: exist[0], quantity: 1 } }],
        ['a SKU is a list', { field: 'sku', value: [exist[0]] }],
        ...numericSku,
        ['the currency is a list', { field: 'currency', value: [site.profile.currency] }],
        ['the reference is a number', { field: 'reference', value: Date.now() }]
      ]
      const invalidJson = { ...validRequest(site), body: '{"items":' }
      return assertMistakesRefused(site, mistakes, [['the body is not JSON', invalidJson]])
    }
  },
  {
    id: 'quantity-as-text',
    title: 'A quantity sent as a string is refused',
    failure: { notRefused: 'A quantity sent as a string' },
    section: 'good practice (contract 2.1 says a number; 7 leaves errors open)',
    why: 'A site that concatenates strings turns "2" and "1" into 21 items.',
    remedy: 'Accept only a JSON number as the quantity. If you mean to accept strings, validate them as strictly.',
    appliesTo: usesJson,
    run: site => assertMistakesRefused(site, [['the quantity is "2"', { field: 'quantity', value: '2' }]])
  },
  {
    id: 'quantity-not-whole',
    title: 'A quantity that is not a whole number of at least 1 is refused',
    failure: { notRefused: 'A quantity that is not a whole number of at least 1' },
    section: 'good practice (contract 2.1, 2.3 and 2.4 say units to purchase; 7 leaves errors open)',
    why: 'Nobody buys zero, a negative number or a fraction of an item. Whatever a site turns it into is not what is in the app.',
    remedy: 'Refuse quantities that are not whole or are below 1; do not round them, and do not drop the item.',
    appliesTo: isEditable,
    run: site =>
      assertMistakesRefused(site, [
        ['zero', { field: 'quantity', value: 0 }],
        ['a negative number', { field: 'quantity', value: -1 }],
        ['a fraction', { field: 'quantity', value: 1.5 }],
        ['a word', { field: 'quantity', value: 'two' }]
      ])
  },
  {
    id: 'currency-not-sold',
    title: 'A currency that the shop does not sell in is refused',
    failure: { notRefused: 'A currency that the shop does not sell in' },
    section: 'good practice (contract 2.1, 2.3 and 2.4 say the currency to use; 7 leaves errors open)',
    why: 'The app showed prices in its currency. A checkout in another one charges something else.',
    remedy: 'Refuse a currency that you have no prices in. The kit sends XXX, the ISO 4217 code for "no currency".',
    appliesTo: isTransfer,
    run: site =>
      assertRefused(site, 'currency', [['XXX', site.requestFor({ ...site.newCart([0, 1]), currency: 'XXX' })]])
  },
  {
    id: 'wrong-method',
    title: 'A method other than that of the option is refused',
    failure: { notRefused: 'A request with another method' },
    section: 'good practice (contract 4.1, 4.2 and 4.3 name the method; 7 leaves errors open)',
    why: 'Crawlers, previews and people open addresses with GET. That must not look like a transferred bag.',
    remedy: 'Answer other methods with 405.',
    appliesTo: isTransfer,
    run: site => {
      const { body, ...request } = validRequest(site)
      const other: WebRequest =
        request.method === 'GET'
          ? { ...request, method: 'POST', headers: [{ name: 'Content-Type', value: 'text/plain' }], body: '' }
          : { ...request, method: 'GET', headers: [] }
      return assertRefused(site, 'method', [[`${other.method} instead of ${request.method}`, other]])
    }
  },
  {
    id: 'wrong-content-type',
    title: 'A body of another Content-Type is refused',
    failure: { notRefused: 'A body of another Content-Type' },
    section: 'good practice (contract 4.1 and 4.2 name the Content-Type; 7 leaves errors open)',
    why: 'A body that is not declared as what it should be was not sent by the platform.',
    remedy: 'Answer other media types with 415. Allow parameters such as charset.',
    appliesTo: option => isTransfer(option) && usesBody(option),
    run: site => {
      const headers = [{ name: 'Content-Type', value: 'text/plain' }]
      return assertRefused(site, 'contentType', [['text/plain', { ...validRequest(site), headers }]])
    }
  }
])

export type InvalidRequest = [mistake: string, request: WebRequest]

function validRequest(site: Site): WebRequest {
  return site.requestFor(site.newCart([0, 1], [1, 2]))
}

/** @throws CheckFailed naming every request that was not refused as the profile expects */
export async function assertRefused(site: Site, key: ExpectKey, requests: InvalidRequest[]): Promise<void> {
  const findings: CheckFailed['findings'] = []
  const expected = site.profile.expect[key]
  for (const [mistake, request] of requests) {
    site.startOver()
    try {
      const response = await sendProbe(expected, () => site.send(request))
      // With a success status, only the missing lines tell a refusal from an accepted bag.
      const isOpen = [expected, '2xx'].every(status => matchesStatus(response.status, status))
      const shown = isOpen && site.profile.page.settleSeconds > 0 ? await openInWebView(site, request) : response
      await assertResponse(shown, { status: expected, items: [], caption: `${mistake}, as received` })
    } catch (error) {
      if (!(error instanceof CheckFailed)) throw error
      const { message: problem, findings: found } = error
      const sent = [...site.steps]
      findings.push(
        ...found.map(finding => ({ outcome: 'was not refused' as const, problem, sent, ...finding, mistake }))
      )
    }
  }
  if (findings.length > 0) throw new CheckFailed('Requests were not refused.', ...findings)
}

/** Lets scripts write the lines. A web view sends only the option's own method, and bodies only as forms. */
async function openInWebView(site: Site, request: WebRequest) {
  const { method, headers } = validRequest(site)
  const isValid = method === request.method && JSON.stringify(headers) === JSON.stringify(request.headers)
  if (!isValid && site.option.answer === 'page') {
    throw new CheckNotJudged('Scripts write the lines of this page, and no web view can send such a request.')
  }
  return site.open(request)
}
