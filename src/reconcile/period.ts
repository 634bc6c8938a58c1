// The period of the merchant's orders that a list covers. Pure.

/** A period that cannot be read, and what is wrong with it. */
export class PeriodError extends Error {}

/** Times are UTC, ISO 8601; `before` is not in the period. */
export type Period = { from: string; before: string }

const DAY = 24 * 60 * 60 * 1000

/**
 * Reads a period. A date stands for the whole of that day in UTC, as the end too; a time with its offset for that
 * instant. Without an end the period ends now: what is ordered while the list is compared cannot be in it.
 * @throws PeriodError
 */
export function readPeriod(from: string | undefined, to: string | undefined, now: Date): Period {
  const period = {
    from: from === undefined ? '' : readTime('--from', from, 0),
    before: to === undefined ? now.toISOString() : readTime('--to', to, DAY)
  }
  if (period.from >= period.before) throw new PeriodError(`--from (${from}) is not before the end (${to ?? 'now'})`)
  return period
}

function readTime(flag: string, text: string, dayLength: number): string {
  const [, date, time] =
    /^(\d{4}-\d{2}-\d{2})(T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?(?:Z|[+-]\d{2}:\d{2}))?$/.exec(text) ?? []
  const instant = Date.parse(text)
  // Date.parse takes 30 February for 2 March.
  const isReal = date !== undefined && new Date(`${date}T00:00:00Z`).toJSON()?.startsWith(date)
  if (!isReal || Number.isNaN(instant)) {
    throw new PeriodError(
      `${flag} is ${JSON.stringify(text)}; give a date such as 2026-11-20, or a time such as 2026-11-20T10:00:00Z`
    )
  }
  return new Date(time === undefined ? instant + dayLength : instant).toISOString()
}
