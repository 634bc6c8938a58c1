// Requests that mean the same but are written differently: the site has to accept them and show exactly the bag.
import type { WebRequest } from '../../../transfer/option.ts'
import type { PageAmount } from '../../browser/web-view.ts'
import { checkGroup, isEditable, sendsPrices, usesBrackets, usesIndexes, usesPairs } from '../check.ts'
import { editJson, editPairs, editText, hasJsonBody, percentEncodeAll, skipIndex } from '../edit-request.ts'
import { assertResponse, CheckFailed, CheckNotJudged, CheckSkipped, sendProbe } from '../final-response.ts'
import { INDEXED_NAMES } from '../profile.ts'
import { assertShown, type Site } from '../site.ts'

const CLAIMED_PRICE = '0.01'

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

export const equivalenceChecks = checkGroup('requests', {
  'unknown-fields-ignored': {
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
  'percent-encoding': {
    appliesTo: usesPairs,
    run: site => assertAccepted(site, request => editText(request, percentEncodeAll))
  },
  'raw-brackets': {
    appliesTo: usesBrackets,
    run: site =>
      assertAccepted(site, request => editText(request, text => text.replaceAll('%5B', '[').replaceAll('%5D', ']')))
  },
  'claimed-price': {
    appliesTo: sendsPrices,
    run: site => amountsShown(site, { price: CLAIMED_PRICE })
  },
  'own-price': {
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
  'index-gap': {
    appliesTo: (option, { names }) => usesIndexes(option) && names === INDEXED_NAMES,
    run: async site => {
      const cart = site.newCart([0, 1], [1, 2])
      const { indexGap: status } = site.profile.expect
      const response = await sendProbe(status, () => site.load(skipIndex(site.requestFor(cart))))
      await assertResponse(response, { status, items: cart.items, allowsNoLines: true })
    }
  }
})
