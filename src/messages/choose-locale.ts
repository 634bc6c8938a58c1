// Which of a merchant's locales suits a shopper best, by the Accept-Language of the request.
import { match } from '@formatjs/intl-localematcher'
import Negotiator from 'negotiator'

/** The most languages of a header that are looked at; a phone sends a handful. */
const MOST = 10

/**
 * @param accept the header `Accept-Language`
 * @param locales what there is, the default first
 */
export function chooseLocale(accept: string | undefined, locales: [string, ...string[]]): string {
  const [usual, ...others] = locales
  if (accept === undefined || others.length === 0) return usual
  const wanted = new Negotiator({ headers: { 'accept-language': accept } }).languages()
  const spoken = new Set(locales.map(locale => new Intl.Locale(locale).language))
  // Each by itself: the library remembers what it was asked for ever, so that this has to come to few different questions.
  for (const tag of wanted.slice(0, MOST).flatMap(tag => plain(tag, spoken))) {
    const found = match([tag], locales, NONE)
    if (found !== NONE) return found
  }
  return usual
}

const NONE = 'und'

/** Language and region of a tag, where there are words in that language and the region is one of this world. */
function plain(tag: string, spoken: Set<string>): string[] {
  try {
    const { language, region } = new Intl.Locale(tag)
    if (!spoken.has(language)) return []
    const isKnown = region !== undefined && REGIONS.of(region) !== undefined
    return [isKnown ? `${language}-${region}` : language]
  } catch {
    // `*` is no language, and neither is what only looks like a tag.
    return []
  }
}

const REGIONS = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' })
