// Requests that break the contract: the site has to refuse them.
import type { WebRequest } from '../../../transfer/option.ts'
import { checkGroup, isEditable, usesBody, usesJson } from '../check.ts'
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

export const requestChecks = checkGroup('requests', {
  'missing-field': {
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
  'empty-bag': {
    run: site => assertRefused(site, 'malformed', [['no items', site.requestFor({ ...site.newCart(), items: [] })]])
  },
  'wrong-type': {
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
  'quantity-as-text': {
    appliesTo: usesJson,
    run: site => assertMistakesRefused(site, [['the quantity is "2"', { field: 'quantity', value: '2' }]])
  },
  'quantity-not-whole': {
    appliesTo: isEditable,
    run: site =>
      assertMistakesRefused(site, [
        ['zero', { field: 'quantity', value: 0 }],
        ['a negative number', { field: 'quantity', value: -1 }],
        ['a fraction', { field: 'quantity', value: 1.5 }],
        ['a word', { field: 'quantity', value: 'two' }]
      ])
  },
  'currency-not-sold': {
    run: site =>
      assertRefused(site, 'currency', [['XXX', site.requestFor({ ...site.newCart([0, 1]), currency: 'XXX' })]])
  },
  'wrong-method': {
    run: site => {
      const { body, ...request } = validRequest(site)
      const other: WebRequest =
        request.method === 'GET'
          ? { ...request, method: 'POST', headers: [{ name: 'Content-Type', value: 'text/plain' }], body: '' }
          : { ...request, method: 'GET', headers: [] }
      return assertRefused(site, 'method', [[`${other.method} instead of ${request.method}`, other]])
    }
  },
  'wrong-content-type': {
    appliesTo: usesBody,
    run: site => {
      const headers = [{ name: 'Content-Type', value: 'text/plain' }]
      return assertRefused(site, 'contentType', [['text/plain', { ...validRequest(site), headers }]])
    }
  }
})

type InvalidRequest = [mistake: string, request: WebRequest]

function validRequest(site: Site): WebRequest {
  return site.requestFor(site.newCart([0, 1], [1, 2]))
}

/** @throws CheckFailed naming every request that was not refused as the profile expects */
async function assertRefused(site: Site, key: ExpectKey, requests: InvalidRequest[]): Promise<void> {
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
