// Back in real Chromium: from terms, from a wrong form and from the confirmation it loses nothing that was typed, shows
// no error of the browser, and orders nothing twice. What it does once a checkout has expired: expired.test.ts.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import t, { type Test } from 'tap'
import {
  confirmation,
  EVERYTHING,
  fillIn,
  followSteps,
  formAction,
  isCheckout,
  isConfirmed,
  keeps,
  placeButton,
  SELLS
} from './shopper.ts'
import { bag, type Stand, stand } from './stand.ts'
import { describedGet, describedPost, goBack, posted, queried, type Way } from './ways.ts'

type Expected = {
  way: Way
  /** What Back from the confirmation shows; pressed again, the form leads to the same order. */
  backFromOrder: 'the form as it was' | 'that it is ordered'
}

const EXPECTED: Expected[] = [
  { way: describedPost, backFromOrder: 'the form as it was' },
  { way: describedGet, backFromOrder: 'that it is ordered' },
  { way: posted, backFromOrder: 'the form as it was' },
  { way: queried, backFromOrder: 'that it is ordered' }
]

const LINKS = { terms: 'https://shop.example/terms', privacy: 'https://shop.example/privacy' }
const MISTAKEN = { ...EVERYTHING, Email: 'may.example.com' }
const AMOUNTS = { subTotal: '145.00', discount: '0.00', delivery: '9.95', total: '154.95' }

for (const { way, backFromOrder } of EXPECTED) {
  t.test(way.name, async t => {
    const elsewhere = await listenElsewhere(t)
    const view = await stand(t, way.option, { ...SELLS, ...way.changes, links: LINKS })
    const { page, handOver, orders } = view
    const steps = followSteps(view)
    const saysOrdered = async (t: Test, number: string) => {
      t.equal(await page.textContent('h1'), 'You have already placed this order')
      t.match(steps.at(-1), { status: 409 })
      t.match(await page.getByRole('link', { name: number }).getAttribute('href'), `/complete?order=${number}`)
      t.strictSame(await view.lines(), [])
    }

    await t.test('a reload of an open checkout shows the same one', async t => {
      const cart = bag(1, ['MUG', 1])
      await handOver(cart)
      const opened = await formAction(page)
      await page.reload()
      await isCheckout(t, view, cart)
      t.equal(await formAction(page), opened)
    })

    await t.test('Back from terms and from privacy', async t => {
      const cart = bag(2, ['MUG', 2], ['CLOCK', 1])
      await handOver(cart)
      await fillIn(page)
      for (const link of ['Terms', 'Privacy']) {
        await follow(view, link, elsewhere)
        await goBack(t, view, way.backFinds)
        await keeps(t, view, cart)
      }
    })

    await t.test('Back from mistakes', async t => {
      const cart = bag(3, ['MUG', 2], ['CLOCK', 1])
      await handOver(cart)
      await fillIn(page, MISTAKEN)
      await placeButton(page).click()
      await page.getByRole('alert').waitFor()
      await fillIn(page)
      await follow(view, 'Terms', elsewhere)
      await goBack(t, view, 'in the cache')
      t.match(steps.at(-1), { method: 'POST', status: 422 }, 'Back from terms is where the mistakes are')
      await keeps(t, view, cart)
      await goBack(t, view, way.backFinds)
      t.match(steps.at(-1), { status: 200 }, 'Back from there is the page before them')
      await keeps(t, view, cart, MISTAKEN)
      t.strictSame(orders(), [])
    })

    await t.test(`Back from the confirmation shows ${backFromOrder}`, async t => {
      const cart = bag(4, ['MUG', 2], ['CLOCK', 1])
      await handOver(cart)
      await fillIn(page)
      await placeButton(page).click()
      const number = await isConfirmed(t, view, cart.reference, AMOUNTS)
      const address = page.url()
      await goBack(t, view, way.backFinds)
      if (backFromOrder === 'the form as it was') {
        await keeps(t, view, cart)
        await placeButton(page).click()
        await confirmation(page)
        t.match(steps.at(-2), { method: 'POST', status: 303 })
      } else {
        await saysOrdered(t, number)
        await page.getByRole('link', { name: number }).click()
      }
      t.equal(await isConfirmed(t, view, cart.reference, AMOUNTS), number, 'which leads to the same order')
      t.equal(page.url(), address, 'on the same page')

      await handOver(cart)
      await saysOrdered(t, number)
      await page.reload()
      await saysOrdered(t, number)
      t.strictSame(orders(), [number], 'and there is one order')
    })

    await t.test('Back from the confirmation to the mistakes before it, and sent again from there', async t => {
      const cart = bag(5, ['MUG', 2], ['CLOCK', 1])
      const before = orders()
      await handOver(cart)
      await fillIn(page, MISTAKEN)
      await placeButton(page).click()
      await page.getByRole('alert').waitFor()
      await fillIn(page)
      await placeButton(page).click()
      const number = await isConfirmed(t, view, cart.reference, AMOUNTS)
      await goBack(t, view, 'in the cache')
      await keeps(t, view, cart)
      await placeButton(page).click()
      t.equal(await isConfirmed(t, view, cart.reference, AMOUNTS), number)
      t.strictSame(orders(), [...before, number])
    })
    t.strictSame(view.violations, [], 'nothing on the pages breaks their own policy')
  })
}

/** A page of another site, as a shop's terms may be: Chromium takes every name under localhost for this machine. */
async function listenElsewhere(t: Test): Promise<string> {
  const server = createServer((_request, response) => {
    response.setHeader('Content-Type', 'text/html').end('<!doctype html><title>Elsewhere</title><h1>Elsewhere</h1>')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  return `http://elsewhere.localhost:${(server.address() as AddressInfo).port}/`
}

/** Follows a link of the shop's, which must be https, to the page that stands for it here. */
async function follow({ page }: Stand, link: string, address: string): Promise<void> {
  await page.evaluate(`Array.from(document.links).find(({ text }) => text === '${link}').href = '${address}'`)
  await page.getByRole('link', { name: link, exact: true }).click()
  await page.getByRole('heading', { name: 'Elsewhere' }).waitFor()
}
