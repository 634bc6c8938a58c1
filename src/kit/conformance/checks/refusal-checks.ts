// Bags that repeat a reference (contract 2: unique per order), that cannot be sold, or that are hostile.
import type { TransferOption } from '../../../transfer/option.ts'
import { responseText } from '../../client/send-request.ts'
import { type Check, checkGroup, isProtocol, isTransfer } from '../check.ts'
import { assertResponse, CheckFailed, CheckSkipped, excerpt, sendProbe } from '../final-response.ts'
import { listedSkus, type Profile } from '../profile.ts'
import { assertShown, type Site } from '../site.ts'

const repeatChecks = checkGroup({ group: 'repeats', appliesTo: option => !isProtocol(option) }, [
  {
    id: 'same-cart-again',
    title: 'The same bag sent again under its reference shows the same items, not twice as many',
    failure: 'The same bag sent again did not show the same items',
    section: 'good practice (contract 1 says exactly the items; 2 says that a reference is unique per order)',
    why: 'A shopper taps checkout, returns to the app and taps it again. That is still one order.',
    remedy: 'Replace what is stored under a reference; never add to it.',
    run: async site => {
      const cart = site.newCart([0, 1], [1, 2])
      await assertShown(site, cart)
      await assertShown(site, cart)
    }
  },
  {
    id: 'other-cart-again',
    title: 'Another bag under the same reference shows exactly its items, or is refused as the profile says',
    failure: 'Another bag under the same reference was neither shown exactly nor refused as the profile says',
    section: 'good practice (contract 1 says exactly the items; 2 says that a reference is unique per order)',
    why: 'A shopper changes the bag and taps checkout again. They do not want to pay for the old bag, or for a mixture.',
    remedy: 'Replace the whole bag, or refuse the second one and set expect.otherCart in the profile.',
    run: async site => {
      const first = site.newCart([0, 1], [1, 2])
      const second = { ...first, items: site.newCart([2, 3], [0, 4]).items }
      await assertShown(site, first)
      const { otherCart: status } = site.profile.expect
      await assertResponse(await site.load(site.requestFor(second)), { status, items: second.items })
    }
  }
])

const statusChecks = checkGroup(
  { group: 'repeats', appliesTo: (option, { transfers }) => !isProtocol(option) && transfers !== undefined },
  [
    {
      id: 'transfer-status',
      title: 'Asked what became of a bag, the site says that it is open, and knows nothing of one that never came',
      failure: 'Asked what became of a bag, the site did not say that it is open, or said so of one that never came',
      section: 'good practice (the contract says nothing of it)',
      why: 'The platform cannot tell a bag that was bought from one that was lost, and asks the shop by mail.',
      remedy:
        'Answer a bag that was just sent with 200 and JSON whose "state" is "open", and an unknown reference with 404.',
      run: async site => {
        const [sent, never] = [site.newCart([0, 1]), site.newCart([0, 1])]
        await assertShown(site, sent)
        for (const [{ reference }, expected] of [
          [sent, '200 "open"'],
          [never, '404']
        ] as const) {
          const url = `${site.profile.transfers}/${encodeURIComponent(reference)}`
          const response = await site.ask({ method: 'GET', url, headers: [] })
          const [{ status }, text] = [response, responseText(response)]
          const got = status === 200 ? `200 ${JSON.stringify(stateIn(text))}` : String(status)
          if (got !== expected)
            throw new CheckFailed(`It is ${got}; expected ${expected}.`, { expected, got: excerpt(text) })
        }
      }
    }
  ]
)

function stateIn(json: string): unknown {
  try {
    return JSON.parse(json).state
  } catch {
    return undefined
  }
}

/** The kinds of SKUs that cannot be sold: the list in the profile, and the key of the expected status. */
const UNSELLABLE_SKUS = [
  { id: 'unknown-sku', list: 'unknown', key: 'unknownSku', label: 'an unknown SKU', subject: 'An unknown SKU' },
  {
    id: 'out-of-stock',
    list: 'outOfStock',
    key: 'outOfStock',
    label: 'a SKU that is out of stock',
    subject: 'An out-of-stock SKU'
  }
] as const

type UnsellableSku = (typeof UNSELLABLE_SKUS)[number]

async function sendUnsellable(site: Site, { list, key }: UnsellableSku) {
  const [sku] = listedSkus(site.profile.skus[list])
  if (sku === undefined)
    throw new CheckSkipped(
      `The profile has no such SKU: skus.${list} is empty. If the shop never has one, give "none".`
    )
  const cart = site.newCart([0, 1])
  const request = site.requestFor({ ...cart, items: [...cart.items, { sku, quantity: 1 }] })
  const status = site.profile.expect[key]
  return { sku, status, response: await sendProbe(status, () => site.load(request)) }
}

/** Whether a response contains a text, also in a string of its JSON, where it may be escaped. */
function mentions(response: string, text: string): boolean {
  let isFound = response.includes(text)
  try {
    JSON.parse(response, (_key, value) => {
      if (typeof value === 'string' && value.includes(text)) isFound = true
      return value
    })
  } catch {
    // Not JSON.
  }
  return isFound
}

function checksFor(unsellable: UnsellableSku): Check[] {
  const { id, list, label, subject } = unsellable
  const appliesTo = (option: TransferOption, { skus }: Profile) => !isProtocol(option) && skus[list] !== 'none'
  return checkGroup({ group: 'refusals', appliesTo }, [
    {
      id: `${id}-refused`,
      title: `A bag with ${label} is refused, and none of it is shown`,
      failure: { notRefused: subject },
      section: 'good practice (contract 1 says exactly the items; 7 leaves errors open)',
      why: 'A page with the rest of the bag looks like success, and the shopper notices the missing item when the parcel arrives.',
      remedy: 'Refuse the whole bag with a status such as 422, and show none of its lines.',
      run: async site => {
        const { status, response } = await sendUnsellable(site, unsellable)
        await assertResponse(response, { status, items: [] })
      }
    },
    {
      id: `${id}-named`,
      title: `The refusal of ${label} names it`,
      failure: `The refusal of ${label} did not name it`,
      section: 'good practice (contract 7 leaves errors open)',
      why: '"Something went wrong" helps nobody: the shopper cannot fix the bag, and the platform cannot fix the catalogue.',
      remedy: 'Include the SKU in the response, and the title if you know it.',
      appliesTo: (option, profile) => isTransfer(option) && appliesTo(option, profile),
      dependsOn: [`${id}-refused`],
      run: async site => {
        const { sku, response } = await sendUnsellable(site, unsellable)
        if (mentions(response.text, sku)) return
        await response.takeScreenshot?.('as received')
        const got = excerpt(response.text)
        throw new CheckFailed(`The response does not name ${sku}. It says: ${got}`, {
          expected: `A refusal that names ${sku}`,
          got
        })
      }
    }
  ])
}

const PROBE_TAG = 'cart-transfer-probe'

/** Closes whatever it is embedded in, then runs a script in two ways. As long as a SKU may be. */
const HOSTILE = `'"--></title></textarea></style></script><${PROBE_TAG}><img src=x onerror=alert(1)><script>alert(2)</script>`
const COUNT_PROBES = `document.querySelectorAll('${PROBE_TAG}').length`

const hostileChecks = checkGroup({ group: 'refusals' }, [
  {
    id: 'hostile-sku',
    title: 'A SKU that contains HTML is plain text on the page: it creates no element and runs no script',
    failure: 'A SKU that contains HTML became part of the page',
    section: 'good practice (contract 2 defines SKUs as strings)',
    why: 'Anyone can create a link or a form with such a SKU. If it runs, it can do whatever your page can do.',
    remedy:
      'Escape everything that comes from the request, in error messages too; in a script, write < as \\u003c. Send responses that are not pages as application/json.',
    run: async site => {
      const view = await site.newView()
      let dialogs = 0
      view.page.on('dialog', dialog => {
        dialogs++
        // A page that is closed by now needs no answer.
        Promise.allSettled([dialog.dismiss()])
      })
      const cart = { ...site.newCart(), items: [{ sku: HOSTILE, quantity: 1 }] }
      const response = await sendProbe(site.profile.expect.unknownSku, () =>
        site.open(site.requestFor(cart), view, 'as received')
      )
      // The app never shows a refusal sent to the platform, but anyone who follows a link sees it as a page.
      if (response.isHtml && !response.isShown) await view.call(({ page }) => page.setContent(response.text))
      const elements = Number(await view.call(({ page }) => page.evaluate(COUNT_PROBES)))
      if (elements + dialogs === 0) return
      throw new CheckFailed(
        `The SKU ${HOSTILE} created ${elements} elements and ran ${dialogs} scripts; expected none.`
      )
    }
  }
])

export const refusalChecks: Check[] = [
  ...repeatChecks,
  ...statusChecks,
  ...UNSELLABLE_SKUS.flatMap(checksFor),
  ...hostileChecks
]
