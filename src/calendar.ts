// Dates as people write them. Date.parse accepts 30 February, as 2 March.

/** Whether `YYYY-MM-DD` is a day that exists. */
export function isCalendarDate(text: string): boolean {
  const [year = 0, month = 0, day = 0] = text.split('-').map(Number)
  const date = new Date(Date.UTC(year, month - 1, day))
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day
}
