// Back, in real Chromium: from terms, from a wrong form, from the confirmation and from an expired page it loses nothing
// that was typed, and never shows an error of the browser.
import { createServer } from 'node:http'
import t from 'tap'
import { transferOptions } from '../../src/transfer/index.ts'
import { confirmation, fill, MAY, POSTCODE, placeButton, SELLS, typedIn } from './shopper.ts'
import { bag, shows, stand } from './stand.ts'

const DAY = 24 * 60 * 60 * 1000
const LABELS = ['Email', 'Full name', 'Address', 'Town or city']
const TYPED = [MAY.Email, MAY['Full name'], MAY.Address, MAY['Town or city']]

for (const option of transferOptions) {
  t.test(`option ${option.name}`, async t => {
    const elsewhere = createServer((_request, response) => {
      response.setHeader('Content-Type', 'text/html').end('<!doctype html><title>Terms</title><h1>Terms</h1>')
    })
    await new Promise<void>(resolve => elsewhere.listen(0, '127.0.0.1', resolve))
    t.teardown(() => elsewhere.close())
    const { port } = elsewhere.address() as { port: number }
    const links = { terms: 'https://shop.example/terms', contact: 'mailto:help@shop.example' }
    const view = await stand(t, option, { ...SELLS, links })
    const { page, handOver, tick } = view
    // The shop's terms are https somewhere; here they are next door.
    await page.route('https://shop.example/terms', route =>
      route.fulfill({ status: 302, headers: { Location: `http://127.0.0.1:${port}/` } })
    )
    const first = bag(1, ['MUG', 2], ['CLOCK', 1])
    await handOver(first)
    await fill(page, MAY)
    await page.getByLabel('Express').check()

    const toTerms = async (what: string) => {
      await page.getByRole('link', { name: 'Terms' }).click()
      await page.getByRole('heading', { name: 'Terms' }).waitFor()
      await page.goBack()
      await shows(t, view, first, `Back from the terms, ${what}: the bag`)
      t.strictSame(await typedIn(page, LABELS), TYPED, 'and everything typed')
      t.ok(await page.getByLabel('Express').isChecked())
    }
    await toTerms('before anything was sent')
    await placeButton(page).click()
    await page.getByRole('alert').waitFor()
    await toTerms('from a form that came back with mistakes')
    await page.goBack()
    await shows(t, view, first, 'Back from the mistakes')
    t.strictSame(await typedIn(page, LABELS), TYPED, 'to what was typed before')

    await fill(page, { ...MAY, ...POSTCODE })
    await placeButton(page).click()
    await confirmation(page)
    await page.goBack()
    t.match(
      await page.textContent('h1'),
      /^(Checkout|You have already placed this order)$/,
      'Back from the confirmation'
    )
    t.equal(view.orders().length, 1)

    const second = bag(2, ['MUG', 1])
    await handOver(second)
    await fill(page, { ...MAY, ...POSTCODE })
    tick(DAY)
    await placeButton(page).click()
    await page.getByRole('heading', { name: 'This checkout has expired' }).waitFor()
    t.match(await page.textContent('main'), 'Nothing has been ordered. Go back to the app and tap checkout again.')
    t.equal(await page.getByRole('link', { name: 'Back to the app' }).getAttribute('href'), 'shop://continue')
    await page.goBack()
    t.match(page.url(), /^http:/)
    t.match(await page.textContent('h1'), /^(Checkout|This checkout has expired)$/, 'Back is a page of ours')
    await page.reload()
    t.match(await page.textContent('h1'), /^(Checkout|This checkout has expired|Your bag did not arrive complete)$/)
  })
}
