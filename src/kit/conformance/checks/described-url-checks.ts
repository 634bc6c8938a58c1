// The URL of a description (contract 4.1 rule 4): valid for iOS, short, and independent of the bag.
import type { Check } from '../check.ts'
import { truncate } from '../detail-text.ts'
import type { CartLine } from '../site.ts'
import { failIfAny } from '../verdict-errors.ts'
import { assertNoField, DESCRIPTION_CHECK, isString, READABLE_DESCRIPTION } from './description-checks.ts'

/** Shorter SKUs may occur in a URL by chance. */
const MIN_SKU_LENGTH = 4

/** By how much the lengths of two described URLs may differ, in characters: a token may be a counter. */
const MAX_GROWTH = 16

export const describedUrlChecks: Check[] = [
  {
    ...DESCRIPTION_CHECK,
    id: 'url-characters',
    title: 'iOS can parse the described URL',
    failure: 'The described URL was one that iOS cannot parse',
    // Contract, not good practice: the standard says what a URL is, and without one no page can be shown (contract 1).
    section: 'contract 2.2 (url is where the request goes; RFC 3986 says what a URL is)',
    why: 'iOS does not accept a URL with a space or an unencoded character. The whole checkout fails.',
    remedy: 'Percent-encode everything that RFC 3986 does not allow, and use an absolute http or https URL.',
    run: site =>
      assertNoField(site, ({ at, verdict }, { json }) => at === 'url' && verdict === 'refused' && isString(json, at))
  },
  {
    ...DESCRIPTION_CHECK,
    id: 'url-length',
    title: 'The described URL has at most 2,048 characters',
    failure: 'The described URL had more than 2,048 characters',
    section: 'contract 4.1 rule 4 and 8',
    why: 'A longer URL can stop a shopper from checking out.',
    remedy: 'Store the bag on your side, and put a short token in the URL or the body.',
    run: site => assertNoField(site, ({ at, verdict }) => at === 'url' && verdict === 'doubtful')
  },
  {
    ...DESCRIPTION_CHECK,
    id: 'no-items-in-url',
    title: 'The described URL does not contain the items',
    failure: 'The described URL contained items, or grew with the bag',
    section: 'good practice (contract 4.1 rule 4: query parameters per item should be avoided)',
    why: 'A URL that grows with the bag will be too long for some shopper, and it tells others what was bought.',
    remedy: 'Store the bag on your side, and put a token of fixed length in the URL or the body.',
    dependsOn: [...READABLE_DESCRIPTION, 'description-types', 'url-length'],
    run: async site => {
      const small = site.newCart([0, 1])
      const large = site.newCart(...Array.from({ length: site.profile.bigBag }, (_, i): CartLine => [i, 1]))
      const [short = '', long = ''] = await Promise.all(
        [small, large].map(async cart => String((await site.fetchDescription(cart)).json.url))
      )
      const sku = String(small.items[0]?.sku)
      const found = [sku, encodeURIComponent(sku)].find(text => text.length >= MIN_SKU_LENGTH && short.includes(text))
      const growth = `The URL for ${large.items.length} items has ${long.length} characters; for one item it has ${short.length}.`
      failIfAny([
        ...(found !== undefined && !site.profile.url.includes(found)
          ? [`The URL contains ${sku}: ${truncate(short)}`]
          : []),
        ...(long.length - short.length > MAX_GROWTH ? [`${growth} ${truncate(long)}`] : [])
      ])
    }
  }
]
