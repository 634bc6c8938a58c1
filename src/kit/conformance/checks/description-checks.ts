// The description that option 1 answers with (contract 2.2 and 4.1), read as an iPhone reads it.
import type { Cart } from '../../../cart/cart.ts'
import { type DescribedField, UNKNOWN_FIELD } from '../../client/app-request.ts'
import { answersWithDescription, checkGroup } from '../check.ts'
import { CheckFailed, CheckNotJudged, truncate } from '../final-response.ts'
import type { CartLine, Site } from '../site.ts'

const READABLE_DESCRIPTION = ['description-json']

export const OPENABLE_DESCRIPTION = [
  ...READABLE_DESCRIPTION,
  'description-types',
  'url-characters',
  'described-method',
  'get-without-body'
]

/** Shorter SKUs may occur in a URL by chance. */
const MIN_SKU_LENGTH = 4

/** By how much the lengths of two described URLs may differ, in characters: a token may be a counter. */
const MAX_GROWTH = 16

const fetchSample = (site: Site) => site.fetchDescription(site.newCart([0, 1], [1, 2], [2, 3]))

/** @throws CheckFailed with every field of a description that is wrong, by default with how the app handles it */
async function assertNoField(
  site: Site,
  isWrong: (field: DescribedField) => boolean,
  explain = ({ at, value, says }: DescribedField) => `${at} is ${truncate(value)}. ${says}`
): Promise<void> {
  failIfAny((await fetchSample(site)).fields.filter(isWrong).map(explain))
}

const isText = ({ at, value }: DescribedField, ...names: string[]) => names.includes(at) && value.startsWith('"')

function failIfAny(problems: string[]): void {
  if (problems.length > 0) throw new CheckFailed(problems.join('\n'))
}

const IN_COMMON = {
  group: 'description',
  appliesTo: answersWithDescription,
  dependsOn: READABLE_DESCRIPTION
} as const

export const descriptionChecks = checkGroup(IN_COMMON, [
  {
    id: 'description-json',
    title: 'The response to a bag is a description in JSON, not a page',
    failure: 'The response to a bag was not a description in JSON',
    section: 'contract 4.1 rule 1',
    why: 'The app reads the address of the checkout page from the response. Without one, the shopper sees an error and cannot buy.',
    remedy: 'Respond with status 200 and a JSON object that has at least "url".',
    dependsOn: [],
    run: async site => {
      const { status, text, fields } = await fetchSample(site)
      const isJsonObject = !fields.some(({ at }) => at === '#')
      if (status >= 200 && status <= 299 && isJsonObject) return
      throw new CheckFailed(`The response was ${status}; expected 200 and a JSON object. It says: ${truncate(text)}`, {
        expected: 'Status 200 and a JSON object',
        got: `Status ${status}: ${truncate(text)}`
      })
    }
  },
  {
    id: 'description-types',
    title: 'Every required field is present, and every field has its type',
    failure: 'A required field was missing, or a field had the wrong type',
    section: 'contract 2.2',
    why: 'The app decodes the description strictly: a single field of the wrong type breaks the checkout.',
    remedy:
      'Always send "url"; send strings as strings and flags as true or false; give every cookie a name and a value.',
    run: site =>
      assertNoField(site, field =>
        field.verdict === 'refused'
          ? !isText(field, 'url', 'httpMethod', 'body')
          : field.verdict === 'ignored' && /^cookies\[\d+\]$/.test(field.at)
      )
  },
  {
    id: 'description-fields',
    title: 'The description has no fields that are not in the contract',
    failure: 'The description had fields that are not in the contract',
    section: 'good practice (contract 2.2 lists every field)',
    why: 'The app ignores unknown fields: a field with a mistyped name has no effect, and nobody notices.',
    remedy: 'Remove other fields, and compare the names with the contract: isHttpOnly, isSecure, expireDate.',
    run: site =>
      assertNoField(
        site,
        ({ says }) => says === UNKNOWN_FIELD,
        ({ at }) => `${at.replace(/\[\d+\]/, '[]')} is not a field of a description.`
      )
  },
  {
    id: 'described-method',
    title: 'The described method is GET or POST',
    failure: 'The described method was neither GET nor POST',
    section: 'contract 2.2',
    why: 'No web view opens a page with another method.',
    remedy: 'Send "httpMethod": "POST", or omit it for GET.',
    run: site => assertNoField(site, field => isText(field, 'httpMethod') && field.verdict !== 'used')
  },
  {
    id: 'get-without-body',
    title: 'A described GET has no body',
    failure: 'The description was a GET with a body',
    // Contract, not good practice: no web view can send such a request, so its page can never be shown.
    section: 'contract 1 (a web view sends the request, and none can send a GET with a body)',
    why: 'iOS refuses to send a GET with a body. The shopper sees an error instead of a page.',
    remedy: 'Describe a POST, or omit the body.',
    run: site => assertNoField(site, field => isText(field, 'body') && field.verdict === 'refused')
  },
  {
    id: 'post-recommended',
    title: 'The described method is the one that the profile expects (by default POST, as the contract recommends)',
    failure: 'The described method was not the one that the profile expects',
    section: 'good practice (contract 4.1 rule 3 recommends POST)',
    why: 'With a large bag, a GET may exceed the maximum URL length.',
    remedy:
      'Describe a POST with a token in its body. If GET is intended, as with a token in the URL, set "expect": { "describedMethod": "GET" } in the profile.',
    dependsOn: [...READABLE_DESCRIPTION, 'described-method', 'get-without-body'],
    run: async site => {
      const method = JSON.parse((await fetchSample(site)).text).httpMethod ?? 'GET'
      const { describedMethod } = site.profile.expect
      if (method === describedMethod) return
      throw new CheckFailed(`The method is ${JSON.stringify(method)}; expected ${describedMethod}.`)
    }
  },
  {
    id: 'no-content-type-header',
    title: 'The described headers do not include Content-Type',
    failure: 'The described headers included Content-Type',
    section: 'good practice (contract 4.1 rule 2 says that it is ignored)',
    why: 'The app ignores it and sends application/x-www-form-urlencoded. A site that relies on another type cannot read the body.',
    remedy: 'Remove the header, and read the body as a form.',
    run: site => {
      const headerOf = ({ value }: DescribedField) => Object(JSON.parse(value))
      return assertNoField(
        site,
        field => /^headers\[\d+\]$/.test(field.at) && /^content-type$/i.test(headerOf(field).name),
        field => `The headers include Content-Type: ${headerOf(field).value}.`
      )
    }
  },
  {
    id: 'cookie-dates',
    title: 'iOS can parse the expiry dates of cookies',
    failure: 'The expiry date of a cookie was one that iOS cannot parse',
    section: 'good practice (a real iOS app parses no others; contract 2.2 says ISO 8601)',
    why: 'iOS does not parse fractional seconds, which toISOString writes. With a date that it cannot parse, the cookie stays for decades.',
    remedy: 'Format dates as 2026-11-20T10:00:00Z, without fractions.',
    run: site => assertNoField(site, ({ at, verdict }) => at.endsWith('.expireDate') && verdict === 'doubtful')
  },
  {
    id: 'url-characters',
    title: 'iOS can parse the described URL',
    failure: 'The described URL was one that iOS cannot parse',
    // Contract, not good practice: the standard says what a URL is, and without one no page can be shown (contract 1).
    section: 'contract 2.2 (url is where the request goes; RFC 3986 says what a URL is)',
    why: 'iOS does not accept a URL with a space or an unencoded character. The whole checkout fails.',
    remedy: 'Percent-encode everything that RFC 3986 does not allow, and use an absolute http or https URL.',
    run: site => assertNoField(site, field => isText(field, 'url') && field.verdict === 'refused')
  },
  {
    id: 'url-length',
    title: 'The described URL has at most 2,048 characters',
    failure: 'The described URL had more than 2,048 characters',
    section: 'contract 4.1 rule 4 and 8',
    why: 'A longer URL can stop a shopper from checking out.',
    remedy: 'Store the bag on your side, and put a short token in the URL or the body.',
    run: site => assertNoField(site, ({ at, verdict }) => at === 'url' && verdict === 'doubtful')
  },
  {
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
      const urlFor = async (cart: Cart) => {
        const { status, text } = await site.fetchDescription(cart)
        const lines = cart.items.length
        if (status > 299) throw new CheckNotJudged(`The site answered ${status} to a bag of ${lines} lines.`)
        return String(JSON.parse(text).url)
      }
      const [short, long] = await Promise.all([urlFor(small), urlFor(large)])
      const sku = String(small.items[0]?.sku)
      const found = [sku, encodeURIComponent(sku)].find(text => text.length >= MIN_SKU_LENGTH && short.includes(text))
      const growth = `The URL for ${large.items.length} items has ${long.length} characters; for one item it has ${short.length}.`
      const isSent = found !== undefined && !site.profile.url.includes(found)
      failIfAny([
        ...(isSent ? [`The URL contains ${sku}: ${truncate(short)}`] : []),
        ...(long.length - short.length > MAX_GROWTH ? [`${growth} ${truncate(long)}`] : [])
      ])
    }
  }
])
