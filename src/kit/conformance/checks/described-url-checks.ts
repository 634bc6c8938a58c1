// The URL of a description (contract 4.1 rule 4): one that iOS can read, short, and with nothing of the bag in it.
import type { Check } from '../check.ts'
import { shortened } from '../judge.ts'
import { COMMON, complain, finds, isText, READABLE } from './description-checks.ts'

/** SKUs that are shorter may stand in any address by chance. */
const SHORTEST_SKU = 4

/** By how many characters the described URLs of two bags may differ: a number counts up. */
const SAME_LENGTH = 16

export const describedUrlChecks: Check[] = [
  {
    ...COMMON,
    id: 'url-characters',
    title: 'The described URL is one that iOS can read',
    section: 'good practice (a real iOS app takes RFC 3986 strictly)',
    why: 'iOS makes no address of text with a space or a letter that is not encoded. The whole checkout fails.',
    remedy: 'Percent-encode everything that RFC 3986 does not allow; give an absolute http or https address.',
    run: site => finds(site, ({ at, verdict }, { json }) => at === 'url' && verdict === 'refused' && isText(json, at))
  },
  {
    ...COMMON,
    id: 'url-length',
    title: 'The described URL has at most 2,048 characters',
    section: 'contract 4.1 rule 4 and 8',
    why: 'A longer URL can stop a shopper from checking out.',
    remedy: 'Keep the bag on your side and put a short token into the URL or the body.',
    run: site => finds(site, ({ at, verdict }) => at === 'url' && verdict === 'doubtful')
  },
  {
    ...COMMON,
    id: 'no-items-in-url',
    title: 'The described URL holds nothing of the items',
    section: 'contract 4.1 rule 4',
    why: 'A URL that grows with the bag gets too long for some shopper, and shows others what was bought.',
    remedy: 'Keep the bag on your side and put a token into the URL or the body, the same length for every bag.',
    needs: [...READABLE, 'description-types', 'url-length'],
    run: async site => {
      const small = site.bag([0, 1])
      const large = site.bag(...Array.from({ length: site.profile.bigBag }, (_, i): [number, number] => [i, 1]))
      const [short = '', long = ''] = await Promise.all(
        [small, large].map(async cart => String((await site.describe(cart)).json.url))
      )
      const [item] = small.items
      const sku = String(item?.sku)
      const named = [sku, encodeURIComponent(sku)].find(name => name.length >= SHORTEST_SKU && short.includes(name))
      const grown = `The URL for ${large.items.length} items has ${long.length} characters, that for one item ${short.length}.`
      complain([
        ...(named !== undefined && !site.profile.url.includes(named)
          ? [`The URL names ${sku}: ${shortened(short)}`]
          : []),
        ...(long.length - short.length > SAME_LENGTH ? [`${grown} ${shortened(long)}`] : [])
      ])
    }
  }
]
