import t from 'tap'
import type { DestinationRoute } from '../../../src/destination/destination.ts'
import { findMedusaMistakes, type MedusaSettings } from '../../../src/destination/medusa/medusa-settings.ts'

const EUR = { id: 'reg_1', pageUrl: 'https://shop.example/de/checkout' }
const right: MedusaSettings = { url: 'https://api.shop.example', publishableKey: 'pk_1', regions: { EUR } }
const route: DestinationRoute = { answer: 'page', origin: 'https://shop.example', path: '', currencies: ['EUR'] }

/** The mistakes with another page. */
function withPage(pageUrl: string, changed: Partial<DestinationRoute> = {}) {
  return findMedusaMistakes({ ...right, regions: { EUR: { ...EUR, pageUrl } } }, { ...route, ...changed })
}

t.test('right settings have no mistakes', async t => {
  t.strictSame(withPage(EUR.pageUrl), [])
  t.strictSame(withPage('https://shop.example/app/{cart}', { origin: 'https://elsewhere.example' }), [])
})

t.test('the address of Medusa is one that can be called', async t => {
  for (const url of [
    'shop.example',
    'http://shop.example',
    'https://api.shop.example/?a=b',
    'https://shop.example/#'
  ]) {
    const [mistake, ...others] = findMedusaMistakes({ ...right, url }, route)
    t.match(mistake, { key: ['url'], problem: /give one such as "https:\/\/api\.shop\.example"/ }, url)
    t.strictSame(others, [])
  }
})

t.test('a secret key of Medusa is refused, and not shown', async t => {
  const [mistake] = findMedusaMistakes({ ...right, publishableKey: 'sk_1' }, route)
  t.match(mistake, { key: ['publishableKey'], problem: /^it is not a publishable API key; give "pk_"/ })
  t.notMatch(mistake?.problem, 'sk_1')
})

t.test('each currency of the merchant has a region, and no other has', async t => {
  const found = findMedusaMistakes(right, { ...route, currencies: ['EUR', 'USD'] })
  t.match(found, [{ key: ['regions'], problem: /none for USD/ }])
  const others = findMedusaMistakes(right, { ...route, currencies: [] })
  t.match(others, [{ key: ['regions', 'EUR'], problem: /not in currencies/ }])
})

t.test('the address of the checkout is one that an app can open', async t => {
  for (const pageUrl of ['/de/checkout', 'https://shop.example/{id}', `https://shop.example/${'x'.repeat(2030)}`]) {
    t.match(withPage(pageUrl), [{ key: ['regions', 'EUR', 'pageUrl'] }], pageUrl)
  }
})

t.test('a cookie for another host is refused if a redirect would have to carry it', async t => {
  const elsewhere = { origin: 'https://app.example' }
  const problem =
    /_medusa_cart_id for shop\.example.*option 1 can, and an address with "\{cart\}" in it needs no cookie/
  t.match(withPage(EUR.pageUrl, elsewhere), [{ key: ['regions', 'EUR', 'pageUrl'], problem }])
  t.strictSame(withPage(EUR.pageUrl, { ...elsewhere, answer: 'description' }), [])
  // Where this server is reached is known with the first request.
  const { origin, ...withoutOrigin } = route
  t.strictSame(findMedusaMistakes(right, withoutOrigin), [])
})
