// What a schema cannot say of a single setting. Each function is the `problemOf` of one: it returns what is wrong and what would
// be right, if anything is.
import { isLanguage, isLocale, languages } from '../messages/messages.ts'
import { isCurrency } from '../money.ts'
import { shown, wrongValue } from './check-value.ts'
import { isKnownCountry } from './countries.ts'
import { httpProblem, readPublicUrl } from './public-url.ts'

export const KNOWN_LANGUAGES = Object.keys(languages).join(', ')

export function publicUrlProblem(text: string): string | undefined {
  const address = readPublicUrl(text)
  return typeof address === 'string' ? `it is ${shown(text)}; ${address}` : undefined
}

export function localeProblem(text: string): string | undefined {
  if (isLocale(text)) return undefined
  const hyphenated = text.replaceAll('_', '-')
  if (isLocale(hyphenated)) return `it is ${shown(text)}; did you mean "${hyphenated}"?`
  return wrongValue(text, 'a language tag such as "en-GB"')
}

/** Of a locale beside the default, which needs messages of its own. */
export function otherLocaleProblem(text: string): string | undefined {
  const problem = localeProblem(text)
  if (problem !== undefined || isLanguage(new Intl.Locale(text).language)) return problem
  return `there are no messages for "${text}"; give one of ${KNOWN_LANGUAGES}, with or without a region`
}

export function currencyProblem(code: string): string | undefined {
  return isCurrency(code) ? undefined : wrongValue(code, 'an ISO 4217 code such as "GBP"')
}

export function countryProblem(code: string): string | undefined {
  return isKnownCountry(code) ? undefined : wrongValue(code, 'an ISO 3166-1 code such as "GB"')
}

export function webhookUrlProblem(text: string): string | undefined {
  return webAddressProblem(text, 'https://acme.example/hooks')
}

export function shopAddressProblem(text: string): string | undefined {
  return webAddressProblem(text, 'https://acme.example/')
}

function webAddressProblem(text: string, example: string): string | undefined {
  const url = URL.parse(text)
  const isPlain = url && /^https?:$/.test(url.protocol) && !(url.username || url.password || url.hash)
  const right = `give an address such as "${example}", without user and fragment`
  const problem = isPlain ? httpProblem(url) : right
  return problem && `it is ${shown(text)}; ${problem}`
}

export function continueUrlProblem(text: string): string | undefined {
  const url = URL.parse(text)
  if (!url || !/^[\w\-.~:/?#[\]@!$&'()*+,;=%]+$/.test(text)) {
    return wrongValue(text, 'an absolute address such as "harbour://continue"')
  }
  if (!['javascript:', 'data:', 'vbscript:', 'blob:', 'filesystem:'].includes(url.protocol)) return undefined
  const right = 'give an address such as "harbour://continue"'
  return `it is ${shown(text)}; "${url.protocol}" could run script in the page; ${right}`
}

/** @param name of the page that it leads to */
export function linkProblem(text: string, name: string): string | undefined {
  const protocol = URL.parse(text)?.protocol ?? ''
  if (protocol === 'https:' || (name === 'contact' && /^(mailto|tel):$/.test(protocol))) return undefined
  if (protocol === 'http:') return `it is ${shown(text)}; https is needed, as in "https://shop.example/${name}"`
  const contact = 'an address such as "mailto:help@shop.example", "tel:+441234567890" or one with https'
  return wrongValue(text, name === 'contact' ? contact : `an address such as "https://shop.example/${name}"`)
}

/** Abbreviations are none: BST would be Bangladesh's. */
export function timeZoneProblem(timeZone: string): string | undefined {
  try {
    if (/^UTC$|\//.test(new Intl.DateTimeFormat('en', { timeZone }) && timeZone)) return undefined
  } catch {
    // There is none of this name.
  }
  return wrongValue(timeZone, 'a time zone such as "Europe/London"')
}

/** Of a weekday, or a date with a year or without. */
export function dayOffProblem(day: string): string | undefined {
  const date = day.length === 5 ? `2024-${day}` : day
  if (day.length === 3 || new Date(date).toJSON()?.startsWith(date)) return undefined
  return `there is no ${shown(day)}; give a date such as "12-25" or "2026-12-28"`
}

export function daysProblem([least, most]: [number, number]): string | undefined {
  return least > most ? `it is [${least}, ${most}]; give the smaller number first` : undefined
}
