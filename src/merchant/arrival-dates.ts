// When an order arrives, counted in working days.
import { memoize } from '../messages/translator.ts'
import type { MerchantSettings } from './merchant-schema.ts'

/** As `checkout.deliveryDates.daysOff` names them, in the order of `Date`. */
export const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']

type DateSettings = NonNullable<MerchantSettings['checkout']['deliveryDates']>

/** The earliest and the latest day, such as `2026-11-26/2026-11-30`. @param days working days, at least and at most */
export type ArrivalDates = (orderedAt: Date, days: [number, number]) => string

/** Minutes whose day is cached, and days with a method. */
const MAX_DATES = 100

/** Counted from the day of the order in the merchant's time zone, or from the first working day after it. */
export function arrivalDates({ timeZone, daysOff }: DateSettings): ArrivalDates {
  const format = new Intl.DateTimeFormat('sv', { timeZone })
  // A time zone is whole minutes away from UTC.
  const dayOf = memoize((minute: number) => format.format(minute * 60_000), MAX_DATES)
  const dateOf = (day: Date) => day.toISOString().slice(0, 10)
  const isOff = (day: Date) =>
    [WEEKDAYS[day.getUTCDay()], dateOf(day), dateOf(day).slice(5)].some(name => daysOff.includes(String(name)))
  const workingDay = (start: string, count: number) => {
    const day = new Date(start)
    let left = count
    while (isOff(day) || left-- > 0) day.setUTCDate(day.getUTCDate() + 1)
    return dateOf(day)
  }
  const datesOf = memoize((order: string) => {
    const [day, least, most] = order.split(' ') as [string, string, string]
    const from = workingDay(day, Number(least))
    return `${from}/${workingDay(from, Number(most) - Number(least))}`
  }, MAX_DATES)
  return (orderedAt, [least, most]) => datesOf(`${dayOf(Math.floor(orderedAt.getTime() / 60_000))} ${least} ${most}`)
}
