// Requests that mean the same but are written differently: the site has to accept them and show exactly the bag.
import type { WebRequest } from '../../../transfer/option.ts'
import type { PageAmount } from '../../browser/web-view.ts'
import { checkGroup, isEditable, sendsPrices, usesBrackets, usesIndexes, usesPairs } from '../check.ts'
import { editJson, editPairs, editText, hasJsonBody, percentEncodeAll, skipIndex } from '../edit-request.ts'
import { assertResponse, CheckFailed, CheckNotJudged, CheckSkipped, sendProbe } from '../final-response.ts'
import { INDEXED_NAMES } from '../profile.ts'
import { assertShown, type Site } from '../site.ts'

/** A price that no shop has. */
export const CLAIMED_PRICE = '0.01'

/** The amounts on the page of a bag, with more sent for each item. @throws CheckFailed unless exactly it is shown */
async function amountsShown(site: Site, more: { price?: string }): Promise<PageAmount[]> {
  const { items, ...cart } = site.newCart([0, 1], [1, 2])
  const page = await site.load(site.requestFor({ ...cart, items: items.map(item => ({ ...item, ...more })) }))
  await assertResponse(page, { status: '2xx', items })
  return page.readAmounts()
}

/** @throws CheckFailed unless the page shows exactly the bag of the edited request */
function assertAccepted(site: Site, edit: (request: WebRequest) => WebRequest): Promise<void> {
  const cart = site.newCart([0, 1], [1, 2])
  return assertShown(site, cart, { request: edit(site.requestFor(cart)) })
}

export const equivalenceChecks = checkGroup({ group: 'requests' }, [
  {
    id: 'unknown-fields-ignored',
    title: 'Fields that the contract does not list are ignored',
    failure: 'A bag with fields that the contract does not list was not shown exactly',
    section: 'good practice (a real iOS app sends a location and a user id)',
    why: 'A platform may add fields. A site that refuses them stops selling on the day that happens.',
    remedy: 'Ignore fields that you do not know, in the bag and in its items.',
    appliesTo: isEditable,
    run: site =>
      assertAccepted(site, request =>
        hasJsonBody(request)
          ? editJson(request, cart => {
              cart.location = { lat: 51.5, note: 'a+b c' }
              for (const item of cart.items) item.title = 'Mug'
            })
          : editPairs(request, pairs => [['location', 'a+b c'], ...pairs, ['user_id', '7']])
      )
  },
  {
    id: 'percent-encoding',
    title: 'Names and values mean the same however they are percent-encoded',
    failure: 'A bag with more percent-encoding than usual was not shown exactly',
    section: 'good practice (contract 4.2 says form-encoded, 4.3 names no encoding)',
    why: 'Apps on different systems encode different characters. A site that compares names without decoding them misses fields.',
    remedy: 'Read the form or the query with a parser that decodes names as well as values.',
    appliesTo: usesPairs,
    run: site => assertAccepted(site, request => editText(request, percentEncodeAll))
  },
  {
    id: 'raw-brackets',
    title: 'Brackets in names may be sent unencoded',
    failure: 'A bag with unencoded brackets was not shown exactly',
    section: 'contract 2.3 (names are written items[<index>][sku])',
    why: 'Web views differ in whether they encode brackets.',
    remedy: 'Read the form with a parser that decodes names; then both forms are the same.',
    appliesTo: usesBrackets,
    run: site =>
      assertAccepted(site, request => editText(request, text => text.replaceAll('%5B', '[').replaceAll('%5D', ']')))
  },
  {
    id: 'claimed-price',
    title: 'A bag with prices is accepted, whatever the prices are',
    failure: 'A bag with other prices was not shown exactly',
    section: 'good practice (contract 2.3 lists the field and leaves its format open)',
    why: 'This option sends prices, in a format that the contract leaves open. A price that differs from yours is no reason to lose the sale, nor to charge it.',
    remedy: 'Accept the field, charge your own price, and point out on the page if it differs.',
    appliesTo: sendsPrices,
    run: site => amountsShown(site, { price: CLAIMED_PRICE })
  },
  {
    id: 'own-price',
    title: 'A lower price sent by the app lowers nothing on the page',
    failure: 'A lower price sent by the app changed what the page charges',
    section: 'good practice (contract 2.3 lists the field and leaves its use open)',
    why: 'Anyone can send a bag with any price. A site that charges it sells everything for a penny.',
    remedy: 'Take every price from your own catalogue. Use the price that was sent only to point out a difference.',
    appliesTo: sendsPrices,
    dependsOn: ['claimed-price'],
    run: async site => {
      const { price, total } = site.profile.page
      if (price === undefined && total === undefined) {
        throw new CheckSkipped('The profile has neither page.price nor page.total.')
      }
      const ours = await amountsShown(site, {})
      const missing = ours.find(({ text }) => text === '')
      if (missing) throw new CheckNotJudged(`The page shows no amount for ${missing.of} where the profile says.`)
      const theirs = await amountsShown(site, { price: CLAIMED_PRICE })
      const differences = ours.flatMap(({ of, text }, i) =>
        theirs[i]?.text === text ? [] : { of, expected: text, got: String(theirs[i]?.text) }
      )
      if (differences.length === 0) return
      const list = (side: 'expected' | 'got') =>
        differences.map(difference => `${difference.of}: ${difference[side]}`).join(', ')
      const [expected, got] = [list('expected'), list('got')]
      const problem = `With a price of ${CLAIMED_PRICE} sent for each item, the page shows ${got}; without, ${expected}.`
      throw new CheckFailed(problem, { expected, got })
    }
  },
  {
    id: 'index-gap',
    title: 'A bag with a missing index is refused, or shown in full',
    failure: 'A bag with a missing index was neither refused nor shown in full',
    section: 'good practice (contract 2.3 and 2.4 say position; 7 leaves errors open)',
    why: 'A gap means that an item was lost in transit. The shopper would pay for a bag that is not theirs.',
    remedy: 'Refuse a bag with a missing index. If you accept it, show every item that was sent.',
    appliesTo: (option, { names }) => usesIndexes(option) && names === INDEXED_NAMES,
    run: async site => {
      const cart = site.newCart([0, 1], [1, 2])
      const { indexGap: status } = site.profile.expect
      const response = await sendProbe(status, () => site.load(skipIndex(site.requestFor(cart))))
      await assertResponse(response, { status, items: cart.items, allowsNoLines: true })
    }
  }
])
