// Back in real Chromium: from the terms, a form with mistakes, the confirmation, and without a network. It keeps
// everything that was typed, shows no browser error, and orders nothing twice. In `npm test` after a POST, as it is harder to
// go back to. For Back after a checkout has expired, see expired.test.ts.
import t, { type Test } from 'tap'
import { listen } from '../listen.ts'
import { inTurn } from '../nightly.ts'
import { stable } from '../pages/shopper.ts'
import { until } from '../until.ts'
import { goBack, navigations } from './navigations.ts'
import { bag, openShopView, type ShopView } from './shop-view.ts'
import {
  EVERYTHING,
  fill,
  fillIn,
  followSteps,
  formAction,
  isCheckout,
  isConfirmed,
  keepsForm,
  placeButton,
  SELLS,
  waitForConfirmation
} from './shopper.ts'

/** A page is saved as it goes, maybe after the next one is shown. Then it sets a cookie, which tests can wait for. */
const LEAVES_COOKIE = `addEventListener('pagehide', () => {
  if (location.hostname === '127.0.0.1') document.cookie = 'gone=1'
})`

const TERMS = 'By ordering you accept our terms and conditions.'
const LINKS = { terms: 'https://shop.example/terms', privacy: 'https://shop.example/privacy' }
const MISTAKEN = { ...EVERYTHING, Email: 'may.example.com' }
const AMOUNTS = { subTotal: '145.00', discount: '0.00', delivery: '9.95', total: '154.95' }

for (const { name, option, changes } of inTurn(navigations, 0)) {
  t.test(name, async t => {
    const otherSite = await startOtherSite(t)
    const view = await openShopView(t, option, { ...SELLS, ...changes, links: LINKS })
    const { page, transfer, orders } = view
    await page.addInitScript(LEAVES_COOKIE)
    const steps = followSteps(view)
    const showsOrderPlaced = async (t: Test, number: string) => {
      t.equal(await page.textContent('h1'), 'You’ve already placed this order')
      t.match(steps.at(-1), { status: 409 })
      t.match(await page.getByRole('link', { name: number }).getAttribute('href'), `/complete?order=${number}`)
      t.strictSame(await view.lines(), [])
    }

    await t.test('a reload of an open checkout shows the same checkout', async t => {
      const cart = bag(1, ['MUG', 1])
      await transfer(cart)
      const opened = await formAction(page)
      await page.reload()
      await isCheckout(t, view, cart)
      t.equal(await formAction(page), opened)
    })

    await t.test('Back from the terms and the privacy policy shows the form as it was', async t => {
      const cart = bag(2, ['MUG', 2], ['CLOCK', 1])
      await transfer(cart)
      await fillIn(page)
      for (const link of [TERMS, 'Privacy']) {
        await follow(view, link, otherSite)
        await goBack(t, view)
        await keepsForm(t, view, cart)
      }
    })

    await t.test('Back from a form with mistakes shows the form before it', async t => {
      const cart = bag(3, ['MUG', 2], ['CLOCK', 1])
      await transfer(cart)
      await fillIn(page, MISTAKEN)
      await placeButton(page).click()
      await page.getByRole('alert').waitFor()
      await fillIn(page)
      await follow(view, TERMS, otherSite)
      await goBack(t, view)
      t.match(steps.at(-1), { method: 'POST', status: 422 }, 'Back from the terms shows the form with mistakes')
      await keepsForm(t, view, cart)
      await goBack(t, view)
      t.match(steps.at(-1), { status: 200 }, 'Back from there shows the form before it')
      await keepsForm(t, view, cart, MISTAKEN)
      t.strictSame(orders(), [])
    })

    await t.test('Back from the confirmation shows the form, which leads to the same order', async t => {
      const cart = bag(4, ['MUG', 2], ['CLOCK', 1])
      await transfer(cart)
      await fillIn(page)
      await placeButton(page).click()
      const number = await isConfirmed(t, view, cart.reference, AMOUNTS)
      const showsEmail = async () => String(await page.textContent('main')).includes(EVERYTHING.Email)
      t.equal(await showsEmail(), true, 'whoever has just ordered sees it')
      const address = page.url()
      await goBack(t, view)
      await keepsForm(t, view, cart)
      await placeButton(page).click()
      await waitForConfirmation(page)
      t.match(steps.at(-2), { method: 'POST', status: 303 })
      t.equal(await isConfirmed(t, view, cart.reference, AMOUNTS), number, 'the same order is confirmed')
      t.equal(page.url(), stable(address), 'on the same page, which says nothing of changes')
      t.equal(await showsEmail(), false)
      await page.goto(address)
      t.equal(await showsEmail(), false, 'nor at the address that the order led to')
      await page.goto(otherSite)
      await page.goBack()
      await waitForConfirmation(page)
      t.equal(await showsEmail(), false, 'nor by Back')

      await transfer(cart)
      await showsOrderPlaced(t, number)
      await page.reload()
      await showsOrderPlaced(t, number)
      t.strictSame(orders(), [number], 'there is one order')
    })

    await t.test(
      'Back from the confirmation to a corrected form, submitted again, leads to the same order',
      async t => {
        const cart = bag(5, ['MUG', 2], ['CLOCK', 1])
        const before = orders()
        await transfer(cart)
        await fillIn(page, MISTAKEN)
        await placeButton(page).click()
        await page.getByRole('alert').waitFor()
        await fillIn(page)
        await placeButton(page).click()
        const number = await isConfirmed(t, view, cart.reference, AMOUNTS)
        await goBack(t, view)
        await keepsForm(t, view, cart)
        await fill(page, { Address: '2 Quay Street' })
        await placeButton(page).click()
        await showsOrderPlaced(t, number)
        t.strictSame(orders(), [...before, number])
      }
    )

    await t.test('Back from the button without a network keeps the form, which orders once there is one', async t => {
      const cart = bag(6, ['MUG', 2], ['CLOCK', 1])
      const before = orders()
      await transfer(cart)
      await fillIn(page)
      await view.context.setOffline(true)
      await leave(view, async () => {
        await Promise.all([page.waitForEvent('requestfailed'), placeButton(page).click()])
        await until('the browser’s error page', () => page.url().startsWith('chrome-error:'))
      })
      await goBack(t, view)
      await keepsForm(t, view, cart)
      await view.context.setOffline(false)
      await placeButton(page).click()
      const number = await isConfirmed(t, view, cart.reference, AMOUNTS)
      t.strictSame(orders(), [...before, number])
    })
    t.strictSame(view.violations, [], 'no violation of the content security policy')
  })
}

/** Starts another site, as a shop's terms may be on: Chromium resolves every name under localhost to this machine. */
async function startOtherSite(t: Test): Promise<string> {
  const { port } = await listen(t, (_request, response) => {
    response.setHeader('Content-Type', 'text/html').end('<!doctype html><title>Elsewhere</title><h1>Elsewhere</h1>')
  })
  return `http://elsewhere.localhost:${port}/`
}

/** Follows a link of the shop, which must be https, to `address` instead. */
async function follow(view: ShopView, link: string, address: string): Promise<void> {
  const { page } = view
  await page.evaluate(`Array.from(document.links).find(({ text }) => text === '${link}').href = '${address}'`)
  await leave(view, async () => {
    await page.getByRole('link', { name: link, exact: true }).click()
    await page.getByRole('heading', { name: 'Elsewhere' }).waitFor()
  })
}

/** Leaves a page of the shop for another site, and waits until Chromium has saved what was typed. */
async function leave({ context }: ShopView, act: () => Promise<unknown>): Promise<void> {
  await context.clearCookies()
  await act()
  await until('the page has gone', async () => (await context.cookies()).length > 0)
}
