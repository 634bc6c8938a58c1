// Sends requests that break the contract, and checks that the site refuses them.
import type { WebRequest } from '../../transfer/option.ts'
import { matchesStatus } from './comparison.ts'
import { AS_RECEIVED, assertResponse, compareStatus, refusalOutcome } from './final-response.ts'
import { sendProbe } from './probe.ts'
import type { ExpectKey } from './profile-schema.ts'
import type { Site } from './site.ts'
import { CheckFailed, CheckNotJudged, type Finding } from './verdict-errors.ts'

export type InvalidRequest = [mistake: string, request: WebRequest]

/** A valid request for a bag of two SKUs. */
export function validRequest(site: Site): WebRequest {
  return site.requestFor(site.newCart([0, 1], [1, 2]))
}

/** @throws CheckFailed naming every request that was not refused as the profile expects */
export async function assertRefused(site: Site, key: ExpectKey, requests: InvalidRequest[]): Promise<void> {
  const findings: Finding[] = []
  const expected = site.profile.expect[key]
  for (const [mistake, request] of requests) {
    site.startOver()
    try {
      const response = await sendProbe(expected, () => site.send(request))
      if (!matchesStatus(response.status, expected)) {
        const problem = `The status is ${response.status}; expected ${expected}.`
        const outcome = await refusalOutcome(response)
        findings.push({ mistake, problem, sent: site.steps(), ...compareStatus(response, expected), outcome })
        await response.takeScreenshot(`${mistake}, ${AS_RECEIVED}`)
      } else if (matchesStatus(response.status, '2xx')) {
        // With a success status, only the missing lines tell a refusal from an accepted bag.
        const shown = site.profile.page.settleSeconds > 0 ? await openInWebView(site, request) : response
        await assertResponse(shown, { status: expected, items: [], caption: `${mistake}, ${AS_RECEIVED}` })
      }
    } catch (error) {
      if (!(error instanceof CheckFailed)) throw error
      const { message: problem, findings: found } = error
      const sent = site.steps()
      findings.push(
        ...found.map(finding => ({ outcome: 'was not refused' as const, problem, sent, ...finding, mistake }))
      )
    }
  }
  if (findings.length > 0) throw new CheckFailed('Requests were not refused.', findings)
}

/** Lets scripts write the lines. */
async function openInWebView(site: Site, request: WebRequest) {
  if (!site.canOpen(request)) {
    throw new CheckNotJudged('Scripts write the lines of this page, and no web view can send such a request.')
  }
  return site.open(request)
}
