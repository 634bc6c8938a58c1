// Reads the period of --from and --to, the same for every command. Pure.
import { isCalendarDate } from '../cart/exact-values.ts'
import type { Period } from '../reconcile/compare-lists.ts'
import { UsageError } from './run-command.ts'

const DAY = 24 * 60 * 60 * 1000

/**
 * A date is a whole UTC day, also as the end; a time with its offset is that instant, which is exclusive as the end. What
 * is absent is left open.
 * @throws UsageError
 */
export function readPeriod(from: string | undefined, to: string | undefined): Partial<Period> {
  const period = {
    ...(from !== undefined && { from: readTime('--from', from, 0) }),
    ...(to !== undefined && { before: readTime('--to', to, DAY) })
  }
  if (period.from !== undefined && period.before !== undefined && period.from >= period.before) {
    throw new UsageError(`--from (${from}) is not before the end (${to})`)
  }
  return period
}

function readTime(flag: string, text: string, dayLength: number): string {
  const [, date, time] =
    /^(\d{4}-\d{2}-\d{2})(T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?(?:Z|[+-]\d{2}:\d{2}))?$/.exec(text) ?? []
  const instant = Date.parse(text)
  if (date === undefined || !isCalendarDate(date) || Number.isNaN(instant)) {
    throw new UsageError(
      `${flag} is ${JSON.stringify(text)}; give a day such as 2026-11-20, or a time such as 2026-11-20T10:00:00Z`
    )
  }
  return new Date(time === undefined ? instant + dayLength : instant).toISOString()
}
