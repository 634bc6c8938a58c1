// The errors that end a check without passing it.

/** What happened to a request that should have been refused, the worst first. */
export const OUTCOMES = ['was accepted', 'was not refused', 'was refused, but not as expected'] as const

/** What one request of a check led to, for a report that compares. */
export type Finding = {
  /** What was special about the request, if the check sends several. */
  mistake?: string
  /** What was wrong, in a sentence; by default the message of the error. */
  problem?: string
  /** Every request that led to it, as a curl command, and what was done in a web view, in order; by default all so far. */
  sent?: string[]
  /** By default, that the check's sentence is true. */
  expected?: string
  got: string
  outcome?: (typeof OUTCOMES)[number]
}

/** The sentence is not true of this site. The message says what was received and what was expected. */
export class CheckFailed extends Error {
  readonly findings: Finding[]
  /** What happened, if it is not what the check looks for. */
  readonly happened: string | undefined

  /** @param findings the same in parts */
  constructor(message: string, ...findings: Finding[]) {
    super(message)
    this.findings = findings.length > 0 ? findings : [{ got: message }]
  }
}

/** A request got no response: a failure if the request was valid. */
export class RequestUnanswered extends CheckFailed {
  override readonly happened = 'A request got no response'
}

/** The browser shows nothing of the page, or does not respond. */
export class PageUnusable extends CheckFailed {
  override readonly happened = 'The browser could not show the page'
}

/** The check is inconclusive; the message says why. */
export class CheckNotJudged extends Error {}
