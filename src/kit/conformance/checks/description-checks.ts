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
  appliesTo: answersWithDescription,
  dependsOn: READABLE_DESCRIPTION
}

export const descriptionChecks = checkGroup(
  'description',
  {
    'description-json': {
      dependsOn: [],
      run: async site => {
        const { status, text, fields } = await fetchSample(site)
        const isJsonObject = !fields.some(({ at }) => at === '#')
        if (status >= 200 && status <= 299 && isJsonObject) return
        throw new CheckFailed(
          `The response was ${status}; expected 200 and a JSON object. It says: ${truncate(text)}`,
          {
            expected: 'Status 200 and a JSON object',
            got: `Status ${status}: ${truncate(text)}`
          }
        )
      }
    },
    'description-types': {
      run: site =>
        assertNoField(site, field =>
          field.verdict === 'refused'
            ? !isText(field, 'url', 'httpMethod', 'body')
            : field.verdict === 'ignored' && /^cookies\[\d+\]$/.test(field.at)
        )
    },
    'description-fields': {
      run: site =>
        assertNoField(
          site,
          ({ says }) => says === UNKNOWN_FIELD,
          ({ at }) => `${at.replace(/\[\d+\]/, '[]')} is not a field of a description.`
        )
    },
    'described-method': {
      run: site => assertNoField(site, field => isText(field, 'httpMethod') && field.verdict !== 'used')
    },
    'get-without-body': {
      // Contract, not good practice: no web view can send such a request, so its page can never be shown.
      run: site => assertNoField(site, field => isText(field, 'body') && field.verdict === 'refused')
    },
    'post-recommended': {
      dependsOn: [...READABLE_DESCRIPTION, 'described-method', 'get-without-body'],
      run: async site => {
        const method = JSON.parse((await fetchSample(site)).text).httpMethod ?? 'GET'
        const { describedMethod } = site.profile.expect
        if (method === describedMethod) return
        throw new CheckFailed(`The method is ${JSON.stringify(method)}; expected ${describedMethod}.`)
      }
    },
    'no-content-type-header': {
      run: site => {
        const headerOf = ({ value }: DescribedField) => Object(JSON.parse(value))
        return assertNoField(
          site,
          field => /^headers\[\d+\]$/.test(field.at) && /^content-type$/i.test(headerOf(field).name),
          field => `The headers include Content-Type: ${headerOf(field).value}.`
        )
      }
    },
    'cookie-dates': {
      run: site => assertNoField(site, ({ at, verdict }) => at.endsWith('.expireDate') && verdict === 'doubtful')
    },
    'url-characters': {
      // Contract, not good practice: the standard says what a URL is, and without one no page can be shown (contract 1).
      run: site => assertNoField(site, field => isText(field, 'url') && field.verdict === 'refused')
    },
    'url-length': {
      run: site => assertNoField(site, ({ at, verdict }) => at === 'url' && verdict === 'doubtful')
    },
    'no-items-in-url': {
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
  },
  IN_COMMON
)
