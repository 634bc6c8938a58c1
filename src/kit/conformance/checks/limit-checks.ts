// Limits of the contract (section 8): what is just within them is taken whole, and nothing beyond them is cut.
import type { Cart } from '../../../cart/cart.ts'
import { MAX_REFERENCE } from '../../../cart/reference.ts'
import { MAX_URL, type WebRequest } from '../../../transfer/option.ts'
import type { Check } from '../check.ts'
import { editPairs } from '../edit-request.ts'
import { isOfClass } from '../judge.ts'
import { isInUrl } from '../option-traits.ts'
import { probe } from '../probe.ts'
import type { Site } from '../site.ts'
import { SHOWN } from './page-checks.ts'

/** A bag of so many lines, over and over the SKUs that there are. */
function bagOf(site: Site, lines: number): Cart {
  return site.bag(...Array.from({ length: lines }, (_, i): [number, number] => [i, (i % 3) + 1]))
}

/** A bag of so many lines, or of as many as the URL has room for. */
function roomyBag(site: Site, lines: number, room = MAX_URL): Cart {
  const counts = Array.from({ length: lines }, (_, i) => i + 1)
  const fitting = counts.filter(count => site.write(bagOf(site, count)).url.length <= room)
  return bagOf(site, Math.max(1, ...fitting))
}

/** Opens a reference of so many characters, in hexadecimal digits as a plain UUID has. */
function referTo(site: Site, length: number): Cart {
  const { reference, ...cart } = site.bag([0, 1])
  return { ...cart, reference: reference.replaceAll('-', '').repeat(2).slice(0, length) }
}

/** The longest bag whose URL has room for a field more, and a request of exactly so many characters for it. */
function fill(site: Site, length: number): { cart: Cart; request: WebRequest } {
  const cart = roomyBag(site, site.profile.bigBag, length - '&pad=1'.length)
  const request = site.write(cart)
  const padding = '1'.repeat(length - request.url.length - '&pad='.length)
  return { cart, request: editPairs(request, pairs => [...pairs, ['pad', padding]]) }
}

export const limitChecks: Check[] = [
  {
    id: 'reference-32',
    group: 'limits',
    title: 'A reference of 32 characters is taken',
    section: 'contract 8',
    why: 'The reference matches the orders of both sides. A UUID without hyphens has 32 characters.',
    remedy: 'Make room for 32 characters wherever the reference is stored, and take a UUID without hyphens.',
    needs: SHOWN,
    run: async site => {
      const cart = referTo(site, MAX_REFERENCE)
      await site.judge(await site.visit(site.write(cart)), { status: '2xx', items: cart.items })
    }
  },
  {
    id: 'reference-33',
    group: 'limits',
    title: 'A reference of 33 characters is answered as the profile says: refused, where it says nothing',
    section: 'good practice (contract 8 says at most 32; 7 shows no errors)',
    why: 'A reference that is cut on the way matches no order, and two that are cut may match each other.',
    remedy: 'Refuse it; never cut it.',
    needs: ['reference-32'],
    run: async site => {
      const cart = referTo(site, MAX_REFERENCE + 1)
      const { referenceTooLong: status } = site.profile.expect
      const visit = await probe(status, () => site.visit(site.write(cart)))
      await site.judge(visit, { status, items: cart.items, orNone: true })
    }
  },
  {
    id: 'big-bag',
    group: 'limits',
    title: 'A big bag arrives whole, unit by unit',
    section: 'contract 1; 8 names no most items',
    why: 'Servers have limits on fields and bodies that nobody thinks of. They cut the bags of the best customers.',
    remedy: 'Raise the limits of your form parser. If a bag is too big for you, refuse it whole.',
    needs: SHOWN,
    run: async site => {
      const cart = roomyBag(site, site.profile.bigBag)
      await site.judge(await site.visit(site.write(cart)), { status: '2xx', items: cart.items, counting: 'units' })
    }
  },
  {
    id: 'url-2048',
    group: 'limits',
    title: 'A URL of exactly 2,048 characters is taken whole',
    section: 'contract 8',
    why: 'It is within the limit, and it is what the app sends for a bag that just fits.',
    remedy: 'Raise the limits of server, proxy and query parser.',
    concerns: isInUrl,
    needs: [...SHOWN, 'unknown-fields-ignored', 'big-bag'],
    run: async site => {
      const { cart, request } = fill(site, MAX_URL)
      await site.judge(await site.visit(request), { status: '2xx', items: cart.items, counting: 'units' })
    }
  },
  {
    id: 'url-2049',
    group: 'limits',
    title: 'A longer URL is refused or shown whole, and never cut',
    section: 'good practice (contract 8 says at most 2,048; nothing in it says what becomes of more)',
    why: 'A bag that is cut at some character loses its last items without a word.',
    remedy: 'Refuse a URL that is too long with 414, or read all of it.',
    concerns: isInUrl,
    needs: ['url-2048'],
    run: async site => {
      const { cart, request } = fill(site, MAX_URL + 1)
      const visit = await probe('', () => site.visit(request))
      const status = visit.status < 400 ? '2xx' : '4xx'
      // Where refusals have a status of success, no line is one.
      const orNone = isOfClass(visit.status, site.profile.expect.malformed)
      await site.judge(visit, { status, items: cart.items, counting: 'units', orNone })
    }
  }
]
