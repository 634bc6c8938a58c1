// Links that carry a bag, as a platform, a search engine or anybody writes them: what Meta tests of a checkout URL, and what UCP
// demands of a permalink. All of it can be seen from outside, in a browser.
import type { Cart } from '../../../cart/cart.ts'
import type { TransferOption, WebRequest } from '../../../transfer/option.ts'
import { headerValue } from '../../client/send-request.ts'
import { checkGroup, isLink } from '../check.ts'
import { assertResponse, CheckFailed, excerpt, sendProbe } from '../final-response.ts'
import { listedSkus, type Profile } from '../profile.ts'
import { assertShown, type OpenedPage, type PageExchange, type Site } from '../site.ts'
import { assertRefused, type InvalidRequest } from './request-checks.ts'

const sampleCart = ({ newCart }: Site): Cart => newCart([0, 1], [1, 2])

/** Opens a link in a web view. @throws CheckFailed unless exactly the items are shown */
async function openLink(site: Site, { cart = sampleCart(site), request = site.requestFor(cart) } = {}) {
  const page = await site.open(request)
  await assertResponse(page, { status: '2xx', items: cart.items })
  return page
}

const readText = ({ view }: OpenedPage) => view.call(({ page }) => page.evaluate<string>('document.body.innerText'))

/** @throws CheckFailed unless what can be seen of the page has one of these texts, whatever their case */
async function assertSaid(page: OpenedPage, texts: string[]): Promise<void> {
  const said = await readText(page)
  if (texts.some(text => said.toLowerCase().includes(text.toLowerCase()))) return
  const [wanted, got] = [texts.join(' or '), excerpt(said)]
  throw new CheckFailed(`The page does not say ${wanted}. It says: ${got}`, {
    expected: `A page that says ${wanted}`,
    got
  })
}

/** What advertisements add to a link. */
const ADDED = {
  utm_source: 'instagram',
  utm_campaign: 'spring & co',
  fbclid: 'IwAR0-a_b',
  cart_origin: 'instagram'
}

const withAdded = (request: WebRequest): WebRequest => ({
  ...request,
  url: `${request.url}&${new URLSearchParams(ADDED)}`
})

type CodeKind = keyof NonNullable<Profile['codes']>

const namesCode =
  (kind: CodeKind) =>
  (option: TransferOption, { codes }: Profile): boolean =>
    isLink(option) && codes?.[kind] !== undefined

/** Opens a bag with a code. @throws CheckFailed unless the page shows exactly the bag and says the code */
async function openWithCode(site: Site, kind: CodeKind): Promise<OpenedPage> {
  const cart = { ...sampleCart(site), codes: [String(site.profile.codes?.[kind])] }
  const page = await openLink(site, { cart })
  await assertSaid(page, cart.codes)
  return page
}

const totalOn = async (page: OpenedPage) => (await page.readAmounts()).at(-1)?.text

/** The second entry of a link, with its quantity in place of 2. */
const SECOND_QUANTITY = /(:|%3A)2(?=[?&])/

/** Entries that a reader may skip, and what UCP calls ambiguous or not canonical. */
function malformedLinks(site: Site): InvalidRequest[] {
  const right = site.requestFor(sampleCart(site))
  const entries = ['', '$10', '$1two', '$1-1', '$12.5', '$12$11'].map((entry): InvalidRequest => {
    const url = right.url.replace(SECOND_QUANTITY, entry)
    return [`the second entry ends in ${JSON.stringify(entry.replaceAll('$1', ':'))}`, { ...right, url }]
  })
  if (site.option.encoding !== 'path') return entries
  const token = Buffer.from(String(site.profile.skus.exist[1])).toString('base64url')
  const named = (url: string): WebRequest => ({ ...right, url })
  return [
    ...entries,
    ['an id in base64url with padding', named(right.url.replace(/,[^:]+/, `,~${token}=`))],
    ['two names of one field', named(`${right.url}&buyer/email=a%40shop.example&%2Fbuyer%2Femail=b%40shop.example`)]
  ]
}

export const linkChecks = checkGroup({ group: 'link', appliesTo: isLink }, [
  {
    id: 'link-leads-on',
    title: 'The link leads on to another address, so that a reload does not send the bag again',
    failure: 'The page has the address of the link, so that a reload sends the bag again',
    section: 'good practice (UCP demands a redirect; Meta leaves it open)',
    why: 'A web view reloads its page whenever it likes. If that sends the bag again, the shopper loses what was changed or typed.',
    remedy: 'Store the bag, and redirect (303) to an address that shows it.',
    run: async site => {
      const request = site.requestFor(sampleCart(site))
      const { view } = await openLink(site, { request })
      if (view.page.url() !== new URL(request.url).href) return
      throw new CheckFailed('The page has the address of the link.', {
        expected: 'Another address',
        got: view.page.url()
      })
    }
  },
  {
    id: 'link-303',
    title: 'The link is answered 303, kept by no cache, and with a Referrer-Policy',
    failure: 'The link was not answered 303 with no-store and a Referrer-Policy',
    section: 'UCP permalink',
    why: 'A browser keeps 301 and 308 for ever, and then opens an old bag. An address with the buyer in it must not reach other sites as a referrer.',
    remedy: 'Answer with 303, Cache-Control: no-store and Referrer-Policy: no-referrer.',
    appliesTo: option => isLink(option) && option.encoding === 'path',
    run: async site => {
      const [{ response }] = (await site.follow(site.requestFor(sampleCart(site)))) as [PageExchange]
      const [cache = 'absent', referrer = 'absent'] = ['cache-control', 'referrer-policy'].map(name =>
        headerValue(response.headers, name)
      )
      if (response.status === 303 && cache.includes('no-store') && referrer !== 'absent') return
      const got = `${response.status}, Cache-Control ${cache}, Referrer-Policy ${referrer}`
      throw new CheckFailed(`The link is answered ${got}.`, { expected: '303, no-store, a Referrer-Policy', got })
    }
  },
  {
    id: 'same-link-again',
    title: 'The same link opened again in the same browser shows the same items, not twice as many',
    failure: 'The same link opened again did not show the same items',
    section: 'Meta checkout URL',
    why: 'Meta demands a new cart at each call: shoppers go back and tap the button again.',
    remedy: 'Replace the cart of the session at each call; never add to it.',
    run: async site => {
      const cart = sampleCart(site)
      const { view } = await openLink(site, { cart })
      const again = await site.open(site.requestFor(cart), view, 'when opened again')
      await assertResponse(again, { status: '2xx', items: cart.items })
    }
  },
  {
    id: 'unavailable-told',
    title: 'The page of a bag with an item that cannot be bought names the item',
    failure: 'The page of a bag with an item that cannot be bought did not name it',
    section: 'Meta checkout URL',
    why: 'Meta demands that shoppers are informed. Whoever is not told believes that the whole bag is there.',
    remedy:
      'Say on the page what cannot be bought, by its id or its title. If the page says it in other words, give them in the profile: titles.',
    appliesTo: isLink,
    run: async site => {
      const { skus, titles, expect } = site.profile
      for (const [list, status] of [
        [skus.unknown, expect.unknownSku],
        [listedSkus(skus.outOfStock), expect.outOfStock]
      ] as const) {
        for (const sku of list.slice(0, 1)) {
          const cart = site.newCart([0, 1])
          const request = site.requestFor({ ...cart, items: [...cart.items, { sku, quantity: 1 }] })
          const page = await sendProbe(status, () => site.open(request, undefined, `with ${sku}`))
          // Scripts may write what the page says.
          await page.readLines(() => false)
          await assertSaid(page, [sku, ...(titles?.[sku] ?? [])])
        }
      }
    }
  },
  {
    id: 'valid-code-told',
    title: 'The page of a bag with a valid code shows the code, and another total',
    failure: 'A valid code was not shown, or changed no total',
    section: 'Meta checkout URL',
    why: 'Meta applies codes of its own campaigns. A shopper who was promised a discount and does not see it leaves.',
    remedy:
      'Apply the code of the link, and show it with what it takes off. The total is compared if the profile says where it is: page.total.',
    appliesTo: namesCode('valid'),
    run: async site => {
      const without = await totalOn(await openLink(site))
      const total = await totalOn(await openWithCode(site, 'valid'))
      if (site.profile.page.total === undefined || total !== without) return
      const problem = `The total is ${total} with the code and without.`
      throw new CheckFailed(problem, { expected: `Another total than ${without}`, got: String(total) })
    }
  },
  {
    id: 'invalid-code-told',
    title: 'The page of a bag with an invalid code shows the bag, and says that code',
    failure: 'An invalid code kept the bag from being shown, or the page did not say it',
    section: 'Meta checkout URL',
    why: 'Codes expire while the advertisement still runs. The bag is worth more than the code, and the shopper has to know before paying.',
    remedy: 'Show the bag without the discount, and say that the code could not be applied, with the code.',
    appliesTo: namesCode('invalid'),
    run: site => openWithCode(site, 'invalid')
  },
  {
    id: 'parameters-passed-on',
    title: 'Parameters that say where the shopper comes from reach the page’s address',
    failure: 'Parameters of the link did not reach the page’s address',
    section: 'Meta checkout URL; UCP permalink (should)',
    why: 'Without utm_source or fbclid on the page, no analytics can tell which advertisement has sold.',
    remedy: 'Append the parameters of the link that are not yours to the address that you redirect to.',
    run: async site => {
      const cart = sampleCart(site)
      const { view } = await openLink(site, { cart, request: withAdded(site.requestFor(cart)) })
      const { searchParams } = new URL(view.page.url())
      const lost = Object.entries(ADDED).filter(([name, value]) => searchParams.get(name) !== value)
      if (lost.length === 0) return
      const names = lost.map(([name]) => name).join(', ')
      throw new CheckFailed(`The page’s address lacks ${names}.`, {
        expected: `An address with ${names}`,
        got: view.page.url()
      })
    }
  },
  {
    id: 'guest-checkout',
    title: 'The page asks for no password',
    failure: 'The page asked for a password',
    section: 'Meta checkout URL',
    why: 'Meta demands that guests can buy. Most who come from an advertisement have no account, and make none.',
    remedy: 'Let guests check out. If customers may log in, show the password field only when they ask for it.',
    run: async site => {
      const { view } = await openLink(site)
      const fields = await view.call(({ page }) => page.locator('input[type=password]:visible').count())
      if (fields > 0) throw new CheckFailed('The page has a password field.', { expected: 'None', got: String(fields) })
    }
  },
  {
    id: 'raw-separators',
    title: 'Commas and colons may be sent unencoded',
    failure: 'A link with unencoded commas and colons was not shown exactly',
    section: 'good practice (Meta encodes them, other senders do not)',
    why: 'People copy links, and apps write them again. Both mean the same.',
    remedy: 'Decode the parameter before you split it.',
    appliesTo: option => isLink(option) && option.encoding === 'query',
    run: async site => {
      const cart = sampleCart(site)
      const request = site.requestFor(cart)
      const url = request.url.replaceAll('%2C', ',').replaceAll('%3A', ':')
      await assertShown(site, cart, { request: { ...request, url } })
    }
  },
  {
    id: 'malformed-link',
    title: 'A link of which any part cannot be read is refused as a whole',
    failure: { notRefused: 'A link of which a part cannot be read' },
    section: 'good practice (UCP demands it of ids and names; Meta leaves it open)',
    why: 'Whoever skips what cannot be read shows a smaller bag than the one in the app, and nobody notices.',
    remedy:
      'Refuse the link with a page that names the entry, or lead to a page without any of the bag and set expect.malformed in the profile.',
    run: site => assertRefused(site, 'malformed', malformedLinks(site))
  }
])
