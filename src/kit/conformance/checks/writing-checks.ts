// What a site makes of requests that say the same in another way: they are taken, and the page shows exactly the bag.
import type { WebRequest } from '../../../transfer/option.ts'
import type { Check } from '../check.ts'
import { editJson, editPairs, editText, isJson, percentEncoded } from '../edit-request.ts'
import { canBeEdited, isInPairs, isPricedForm } from '../option-traits.ts'
import { probe } from '../probe.ts'
import { INDEXED } from '../profile.ts'
import type { Site } from '../site.ts'
import { NotJudged } from '../verdict-errors.ts'

/** Opens a bag that is written in another way. @throws Failed where the page does not show exactly it */
async function takes(site: Site, change: (request: WebRequest) => WebRequest, price?: string): Promise<void> {
  const cart = site.bag([0, 1], [1, 2])
  const items = cart.items.map(item => ({ ...item, ...(price !== undefined && { price }) }))
  const visit = await site.visit(change(site.write({ ...cart, items })))
  await site.judge(visit, { status: '2xx', items: cart.items })
}

export const writingChecks: Check[] = [
  {
    id: 'unknown-fields-ignored',
    group: 'requests',
    title: 'Fields that the contract does not list are ignored',
    section: 'good practice (a real iOS app sends a location and a user id)',
    why: 'A platform may add fields. A site that refuses them stops selling on the day that happens.',
    remedy: 'Ignore fields that you do not know, in the bag and in its items.',
    concerns: canBeEdited,
    needs: ['exact-items'],
    run: site =>
      takes(site, request =>
        isJson(request)
          ? editJson(request, cart => {
              cart.location = { lat: 51.5, note: 'a+b c' }
              for (const item of cart.items) item.title = 'Mug'
            })
          : editPairs(request, pairs => [['location', 'a+b c'], ...pairs, ['user_id', '7']])
      )
  },
  {
    id: 'percent-encoding',
    group: 'requests',
    title: 'Names and values mean the same however they are percent-encoded',
    section: 'good practice (contract 4.2 says form-encoded, 4.3 names no encoding)',
    why: 'Apps on different systems encode different characters. A site that compares them undecoded misses fields.',
    remedy: 'Read the form or the query with a parser that decodes names as well as values.',
    concerns: isInPairs,
    needs: ['exact-items'],
    run: site => takes(site, request => editText(request, percentEncoded))
  },
  {
    id: 'raw-brackets',
    group: 'requests',
    title: 'Brackets in names may be written as they are',
    section: 'contract 2.3 (names are written items[<index>][sku])',
    why: 'Web views do not agree on whether brackets are encoded.',
    remedy: 'Read the form with a parser that decodes names; then both ways are the same.',
    concerns: isPricedForm,
    needs: ['exact-items'],
    run: site => takes(site, request => editText(request, text => text.replaceAll('%5B', '[').replaceAll('%5D', ']')))
  },
  {
    id: 'claimed-price',
    group: 'requests',
    title: 'A bag with prices is taken, whatever the prices say',
    section: 'good practice (contract 2.3 lists the field and leaves its format open)',
    why: 'Prices come with this option, in a format that the contract leaves open. One that is not yours is no reason to lose the sale, nor to charge it.',
    remedy: 'Take the field, charge your own price, and say on the page where it differs.',
    concerns: isPricedForm,
    needs: ['exact-items'],
    run: site => takes(site, request => request, '0.01')
  },
  {
    id: 'index-gap',
    group: 'requests',
    title: 'A bag with an index left out is refused, or shown whole',
    section: 'good practice (contract 2.3 and 2.4 say position; 7 shows no errors)',
    why: 'A gap means that an item was lost on the way. The shopper would pay for a bag that is not theirs.',
    remedy: 'Refuse a bag whose indexes leave one out. If you take it, show every item that came.',
    concerns: isInPairs,
    needs: ['exact-items'],
    run: async site => {
      if (site.profile.names !== INDEXED) throw new NotJudged('The platform sends this site names without an index.')
      const cart = site.bag([0, 1], [1, 2])
      const request = editPairs(site.write(cart), pairs =>
        pairs.map(([name, value]) => [name.replace(/([[_])1([\]_])/, '$12$2'), value])
      )
      const { indexGap: status } = site.profile.expect
      const visit = await probe(status, () => site.visit(request))
      await site.judge(visit, { status, items: cart.items, orNone: true })
    }
  }
]
