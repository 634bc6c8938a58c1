// Sends requests that break the contract, and checks that the site refuses them.
import type { WebRequest } from '../../transfer/option.ts'
import { matchesStatus } from './comparison.ts'
import { quoteRequest } from './detail-text.ts'
import { assertResponse } from './final-response.ts'
import { sendProbe } from './probe.ts'
import type { ExpectKey } from './profile-schema.ts'
import type { Site } from './site.ts'
import { CheckFailed, CheckNotJudged, failIfAny } from './verdict-errors.ts'

export type InvalidRequest = [mistake: string, request: WebRequest]

/** A valid request for a bag of two SKUs. */
export function validRequest(site: Site): WebRequest {
  return site.requestFor(site.newCart([0, 1], [1, 2]))
}

/** @throws CheckFailed naming every request that was not refused as the profile expects */
export async function assertRefused(site: Site, key: ExpectKey, requests: InvalidRequest[]): Promise<void> {
  const problems: string[] = []
  const expected = site.profile.expect[key]
  for (const [mistake, request] of requests) {
    try {
      const response = await sendProbe(expected, () => site.send(request))
      if (!matchesStatus(response.status, expected)) {
        problems.push(
          `${mistake}: the status is ${response.status}; expected ${expected}. ${quoteRequest(response.request)}`
        )
      } else if (matchesStatus(response.status, '2xx')) {
        // With a success status, only the missing lines tell a refusal from an accepted bag.
        const shown = site.profile.page.settleSeconds > 0 ? await openInWebView(site, request) : response
        await assertResponse(shown, { status: expected, items: [] })
      }
    } catch (error) {
      if (!(error instanceof CheckFailed)) throw error
      problems.push(`${mistake}: ${error.message}`)
    }
  }
  failIfAny(problems)
}

/** Lets scripts write the lines. A web view can only send the option's own method, and bodies only as forms. */
async function openInWebView(site: Site, request: WebRequest) {
  const { method, headers } = validRequest(site)
  const canSend = request.method === method && JSON.stringify(request.headers) === JSON.stringify(headers)
  if (site.option.answer === 'page' && !canSend) {
    throw new CheckNotJudged('Scripts write the lines of this page, and no web view can send such a request.')
  }
  return site.open(request)
}
