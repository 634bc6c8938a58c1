// What a site makes of requests that break the contract: they are refused.
import type { WebRequest } from '../../../transfer/option.ts'
import type { Check } from '../check.ts'
import { type Edit, editField, isJson } from '../edit-request.ts'
import { canBeEdited, isInBody, isInJson } from '../option-traits.ts'
import { type Probe, refuses, right } from '../refuses.ts'
import type { Site } from '../site.ts'
import { SHOWN } from './page-checks.ts'

type Case = [what: string, edit: Edit]

function edits(site: Site, cases: Case[]): Probe[] {
  return cases.map(([what, edit]) => [what, editField(right(site), edit)])
}

const NO_ITEMS: Case = ['no items', { field: 'items' }]

export const requestChecks: Check[] = [
  {
    id: 'missing-field',
    group: 'requests',
    title: 'A bag with a needed field missing is refused',
    section: 'good practice (contract 2.1 requires it, 2.3 and 2.4 list it; 7 shows no errors)',
    why: 'A bag that has lost a field on the way is not what the shopper has in the app. Whatever a site guesses in its place, the shopper pays for.',
    remedy:
      'Check that every item has a SKU and a quantity and that currency and reference are there, before anything else is done.',
    concerns: canBeEdited,
    needs: SHOWN,
    run: site =>
      refuses(
        site,
        'malformed',
        edits(site, [
          ['no SKU', { field: 'sku' }],
          ['no quantity', { field: 'quantity' }],
          ['no currency', { field: 'currency' }],
          ['no reference', { field: 'reference' }],
          // A form has no field of this name that could be missing.
          ...(isJson(right(site)) ? [NO_ITEMS] : [])
        ])
      )
  },
  {
    id: 'empty-bag',
    group: 'requests',
    title: 'A bag without items is refused',
    section: 'good practice (contract 1 is about the items of a bag; 7 shows no errors)',
    why: 'An empty checkout page tells the shopper that the bag was lost, after they decided to buy.',
    remedy: 'Refuse a request without items.',
    needs: SHOWN,
    run: site => refuses(site, 'malformed', [['no items', site.write({ ...site.bag(), items: [] })]])
  },
  {
    id: 'wrong-type',
    group: 'requests',
    title: 'A field of the wrong type, and what is no JSON, is refused',
    section: 'good practice (contract 2.1 says the types; 7 shows no errors)',
    why: 'A SKU sent as a number has lost its leading zeros: it may be another product by now.',
    remedy: 'Check the type of every field: items is an array of objects, SKU, currency and reference are strings.',
    concerns: isInJson,
    needs: SHOWN,
    run: site => {
      // Only what would be right if its type were lets a site take it that makes text of everything.
      const [sku] = site.profile.skus.exist
      const digits = site.profile.skus.exist.find(text => /^[1-9]\d{0,14}$/.test(text))
      const number: Case[] =
        digits === undefined ? [] : [['a SKU is a number', { field: 'sku', value: Number(digits) }]]
      return refuses(site, 'malformed', [
        ...edits(site, [
          ['items is an object', { field: 'items', value: { sku, quantity: 1 } }],
          ['a SKU is a list', { field: 'sku', value: [sku] }],
          ...number,
          ['the currency is a list', { field: 'currency', value: [site.profile.currency] }],
          ['the reference is a number', { field: 'reference', value: Date.now() }]
        ]),
        ['the body is no JSON', { ...right(site), body: '{"items":' }]
      ])
    }
  },
  {
    id: 'quantity-as-text',
    group: 'requests',
    title: 'A quantity that is text is refused',
    section: 'good practice (contract 2.1 says a number; 7 shows no errors)',
    why: 'A site that adds text to text makes "2" and "1" into 21 items.',
    remedy: 'Take a JSON number as the quantity, and nothing else. If text is meant to be taken, check it as strictly.',
    concerns: isInJson,
    needs: SHOWN,
    run: site => refuses(site, 'malformed', edits(site, [['the quantity is "2"', { field: 'quantity', value: '2' }]]))
  },
  {
    id: 'quantity-not-whole',
    group: 'requests',
    title: 'A quantity that is no whole number from 1 is refused',
    section: 'good practice (contract 2.1, 2.3 and 2.4 say units to purchase; 7 shows no errors)',
    why: 'Nobody buys none, a negative number or a fraction of an item. What a site makes of it is not what is in the app.',
    remedy: 'Refuse quantities that are not whole or are below 1; do not round and do not leave the item out.',
    concerns: canBeEdited,
    needs: SHOWN,
    run: site =>
      refuses(
        site,
        'malformed',
        edits(site, [
          ['none', { field: 'quantity', value: 0 }],
          ['a negative number', { field: 'quantity', value: -1 }],
          ['a fraction', { field: 'quantity', value: 1.5 }],
          ['a word', { field: 'quantity', value: 'two' }]
        ])
      )
  },
  {
    id: 'currency-not-sold',
    group: 'requests',
    title: 'A currency that the shop does not sell in is refused',
    section: 'good practice (contract 2.1, 2.3 and 2.4 say the currency to use; 7 shows no errors)',
    why: 'The app showed prices in its currency. A checkout in another one charges something else.',
    remedy: 'Refuse a currency that you have no prices in. The kit sends XXX, which is the code for no currency.',
    needs: SHOWN,
    run: site => refuses(site, 'currency', [['XXX', site.write({ ...site.bag([0, 1]), currency: 'XXX' })]])
  },
  {
    id: 'wrong-method',
    group: 'requests',
    title: 'Another method than that of the option is refused',
    section: 'good practice (contract 4.1, 4.2 and 4.3 name the method; 7 shows no errors)',
    why: 'Crawlers, previews and people open addresses with GET. That must not look like a bag that was handed over.',
    remedy: 'Answer other methods with 405.',
    needs: SHOWN,
    run: site => {
      const { body, ...request } = right(site)
      const other: WebRequest =
        request.method === 'GET'
          ? { ...request, method: 'POST', headers: [{ name: 'Content-Type', value: 'text/plain' }], body: '' }
          : { ...request, method: 'GET', headers: [] }
      return refuses(site, 'method', [[`${other.method} in place of ${request.method}`, other]])
    }
  },
  {
    id: 'wrong-content-type',
    group: 'requests',
    title: 'A body of another Content-Type is refused',
    section: 'good practice (contract 4.1 and 4.2 name the Content-Type; 7 shows no errors)',
    why: 'A body that is not said to be what it should be was sent by something else than the platform.',
    remedy: 'Answer other media types with 415. Allow parameters such as charset.',
    concerns: isInBody,
    needs: SHOWN,
    run: site => {
      const headers = [{ name: 'Content-Type', value: 'text/plain' }]
      return refuses(site, 'contentType', [['text/plain', { ...right(site), headers }]])
    }
  }
]
