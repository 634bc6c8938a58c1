// The errors that end a check without passing it.

/** The sentence is not true of this site. The message says what was sent, what was received and what was expected. */
export class CheckFailed extends Error {}

/** A request got no response: a failure if the request was valid. */
export class RequestUnanswered extends CheckFailed {}

/** The check is inconclusive; the message says why. */
export class CheckNotJudged extends Error {}

/** @throws CheckFailed with every problem, a line each */
export function failIfAny(problems: string[]): void {
  if (problems.length > 0) throw new CheckFailed(problems.join('\n'))
}
