// Sends requests that break the contract, and finds out whether a site refuses them.
import type { WebRequest } from '../../transfer/option.ts'
import { isOfClass, sentAs } from './judge.ts'
import { judgeVisit } from './judge-visit.ts'
import { probe } from './probe.ts'
import type { Expected } from './profile-schema.ts'
import type { Site } from './site.ts'
import { Failed, NotJudged } from './verdict-errors.ts'

export type Probe = [what: string, request: WebRequest]

/** A bag of two SKUs as this option sends it. */
export function right(site: Site): WebRequest {
  return site.write(site.bag([0, 1], [1, 2]))
}

/** Sends requests that break the contract. @throws Failed naming all that were not refused as they should be */
export async function refuses(site: Site, expected: Expected, probes: Probe[]): Promise<void> {
  const problems: string[] = []
  for (const [what, request] of probes) {
    const status = site.profile.expect[expected]
    try {
      const visit = await probe(status, () => site.send(request))
      if (!isOfClass(visit.status, status)) {
        problems.push(`${what}: the answer was ${visit.status}; ${status} would be right. ${sentAs(request)}`)
      } else if (isOfClass(visit.status, '2xx')) {
        // A status of success alone does not tell a refusal from a bag that was taken.
        const seen = site.profile.page.settleSeconds > 0 ? await inWebView(site, request) : visit
        await judgeVisit(seen, { status, items: [] })
      }
    } catch (error) {
      if (!(error instanceof Failed)) throw error
      problems.push(`${what}: ${error.message}`)
    }
  }
  if (problems.length > 0) throw new Failed(problems.join('\n'))
}

/** What scripts make of the answer; a web view sends no other method than the option's, and bodies as forms alone. */
async function inWebView(site: Site, request: WebRequest) {
  const { method, headers } = right(site)
  const isSent = request.method === method && JSON.stringify(request.headers) === JSON.stringify(headers)
  if (site.option.answer === 'page' && !isSent) {
    throw new NotJudged('Scripts write the lines of this page, and no web view sends such a request.')
  }
  return site.open(request)
}
