// What a shopper may do with the order form in real Chromium: press the button twice, change country, get a new price,
// or use only the keyboard. Each results in one order.
import t, { type Test } from 'tap'
import { StoreUnavailable } from '../../src/errors.ts'
import type { Store } from '../../src/store/store.ts'
import { jsonDescription } from '../../src/transfer/json-description/json-description.ts'
import { until } from '../until.ts'
import { bag, openShopView, showsBag } from './shop-view.ts'
import {
  clickThrough,
  FOCUSED,
  fill,
  followSteps,
  isConfirmed,
  MAY,
  POSTCODE,
  placeButton,
  SELLS,
  waitForAutofocus
} from './shopper.ts'

/** Whether the focused element has an outline, all of it on the screen and none of it below the bar with the button. */
const SHOWS_OUTLINE = `(() => {
  const { outlineStyle, outlineWidth, outlineOffset } = getComputedStyle(document.activeElement)
  const { top, bottom } = document.activeElement.getBoundingClientRect()
  const width = parseFloat(outlineWidth) + parseFloat(outlineOffset)
  const bar = document.querySelector('.pay')
  const end = bar.contains(document.activeElement) ? innerHeight : bar.getBoundingClientRect().top
  return outlineStyle !== 'none' && top - width >= 0 && bottom + width <= end
})()`

/** What the app reads of an order of one mug. */
const ONE_MUG = { subTotal: '12.50', discount: '0.00', delivery: '4.50', total: '17.00' }

t.test('a shopper places one order', async t => {
  // Placements wait until this many have started.
  let concurrent = 1
  let started = 0
  let failure: Error | undefined
  const withBarrier = (store: Store): Store => ({
    ...store,
    placeOrder: async (...args) => {
      started++
      await until(`${concurrent} concurrent placements`, () => started >= concurrent)
      if (failure) throw failure
      return store.placeOrder(...args)
    }
  })
  const settings = { ...SELLS, locales: ['de'], links: { terms: 'https://shop.example/terms' } }
  const view = await openShopView(t, jsonDescription, settings, { store: withBarrier })
  const { page, transfer, changeOffer, orders } = view
  const steps = followSteps(view)
  const ordersOnce = (name: string, act: (t: Test) => Promise<unknown>, placements = 1) =>
    t.test(name, async t => {
      concurrent = placements
      started = 0
      const before = orders()
      await act(t)
      t.equal(orders().length, before.length + 1, 'one order is placed')
      t.strictSame(view.violations, [])
    })

  await ordersOnce(
    'by pressing the button again while the order is being placed',
    async t => {
      const first = bag(6, ['MUG', 1])
      await transfer(first)
      await fill(page, { ...MAY, ...POSTCODE })
      await placeButton(page).scrollIntoViewIfNeeded()
      const { x, y } = (await placeButton(page).boundingBox()) ?? { x: 0, y: 0 }
      for (const press of [1, 2]) {
        await page.mouse.click(x + 10, y + 10)
        await until(`placement ${press}`, () => started === press)
      }
      await isConfirmed(t, view, first.reference, ONE_MUG)
    },
    2
  )

  await ordersOnce('by Enter on “Try again”, when the store was out of reach', async t => {
    const first = bag(7, ['MUG', 1])
    await transfer(first)
    await fill(page, { ...MAY, ...POSTCODE })
    failure = new StoreUnavailable('busy')
    await clickThrough(page, placeButton(page))
    t.match(steps.at(-1), { method: 'POST', status: 503 })
    failure = undefined
    await page.getByRole('button', { name: 'Try again' }).press('Enter')
    await isConfirmed(t, view, first.reference, ONE_MUG)
  })

  await ordersOnce('after choosing another country, which shows its fields', async t => {
    const first = bag(2, ['MUG', 1])
    await transfer(first)
    await fill(page, { ...MAY, ...POSTCODE })
    await page.getByLabel('Country').selectOption('US')
    await clickThrough(page, page.getByRole('button', { name: 'Use this country' }))
    await waitForAutofocus(page)
    t.match(
      await page.evaluate(FOCUSED),
      /You chose another country: United States.*Please also fill in: State\.$/s,
      'the box that says so has the focus'
    )
    await page.locator('[name=state]').selectOption('Maine')
    await page.getByLabel('Country').selectOption('GB')
    await clickThrough(page, placeButton(page))
    t.match(
      steps.at(-1),
      { method: 'POST', status: 200 },
      'fields that were not shown are shown before anything is ordered'
    )
    await waitForAutofocus(page)
    const box = 'You chose another country: United Kingdom. Check the address and the total, then tap “Buy now”.'
    t.equal(await page.evaluate(FOCUSED), box)
    const inView = `(() => {
      const [box, country] = [document.activeElement, document.querySelector('[name=country]')].map(part => part.getBoundingClientRect())
      return box.top >= 0 && country.bottom <= document.querySelector('.pay').getBoundingClientRect().top
    })()`
    t.ok(await page.evaluate(inView), 'and is in view, with the country below it')
    await placeButton(page).click()
    await isConfirmed(t, view, first.reference, ONE_MUG)
  })

  await ordersOnce('by pressing the button again below a doubt', async t => {
    const first = bag(8, ['MUG', 1])
    await transfer(first)
    await fill(page, { ...MAY, ...POSTCODE, Email: 'may@gmial.com', Postcode: 'YO21' })
    await clickThrough(page, placeButton(page))
    t.match(steps.at(-1), { method: 'POST', status: 200 })
    await waitForAutofocus(page)
    t.match(await page.evaluate(FOCUSED), /^Please check your details\s+Did you mean may@gmail\.com\?/)
    await page.getByRole('alert').getByRole('link').first().click()
    t.equal(await page.evaluate(FOCUSED), 'email', 'each doubt leads to its field')
    await page.keyboard.press('ControlOrMeta+A')
    await page.keyboard.type('may@gmail.con')
    await clickThrough(page, placeButton(page))
    await waitForAutofocus(page)
    t.match(await page.evaluate(FOCUSED), /^Please check your details/, 'another value is doubted anew')
    await clickThrough(page, page.getByRole('button', { name: 'Use may@gmail.com' }))
    await waitForAutofocus(page)
    t.equal(await page.evaluate(FOCUSED), 'email', 'what was meant is taken at one tap')
    t.equal(await page.inputValue('[name=email]'), 'may@gmail.com')
    t.ok(await page.evaluate(SHOWS_OUTLINE))
    await clickThrough(page, placeButton(page))
    await waitForAutofocus(page)
    t.equal(await page.evaluate(FOCUSED), 'postcode', 'what is left is asked about, alone')
    const note = 'Please check your postcode: it usually looks like EC1Y 8SY. If it’s right, tap “Buy now” again.'
    const described = "document.getElementById(document.activeElement.getAttribute('aria-describedby')).innerText"
    t.equal(await page.evaluate(described), note)
    t.match(await page.getByRole('alert').innerText(), note)
    await placeButton(page).press('Enter')
    await isConfirmed(t, view, first.reference, ONE_MUG)
  })

  await ordersOnce('after agreeing to a changed price', async t => {
    const first = bag(3, ['CLOCK', 1], ['MUG', 2])
    await transfer(first)
    await fill(page, { ...MAY, ...POSTCODE })
    await page.getByLabel('Express').check()
    changeOffer('MUG', { price: 1300 })
    await clickThrough(page, placeButton(page))
    t.match(steps.at(-1), { method: 'POST', status: 409 })
    t.match(await page.getByRole('alert').innerText(), 'A price has changed. Please check it')
    await page.goBack()
    await showsBag(t, view, first, 'Back shows the bag, not a browser error')
    await page.goForward()
    await placeButton(page).click()
    const amounts = { subTotal: '146.00', discount: '0.00', delivery: '9.95', total: '155.95' }
    await isConfirmed(t, view, first.reference, amounts)
    await page.goBack()
    await showsBag(t, view, first, 'Back from the confirmation shows the page with the new price')
  })

  await ordersOnce('with only the keyboard', async t => {
    const { keyboard } = page
    const first = bag(4, ['MUG', 1], ['CLOCK', 1])
    await transfer(first)
    const tabStops: [focused: string, press: () => Promise<void>][] = [
      ['email', () => keyboard.type('nobody')],
      ['phone', async () => {}],
      ['country', () => keyboard.type('United S')],
      ['look', () => keyboard.press('Enter')],
      ['name', () => keyboard.type(MAY['Full name'])],
      ['address1', () => keyboard.type(MAY.Address)],
      ['Add company or flat', () => keyboard.press('Enter')],
      ['organization', async () => {}],
      ['address2', async () => {}],
      ['city', () => keyboard.type('Portland')],
      ['state', () => keyboard.type('Maine')],
      ['postcode', () => keyboard.type('04101')],
      ['delivery', () => keyboard.press('ArrowDown')],
      ['By ordering you accept our terms and conditions.', async () => {}],
      ['Buy now', () => keyboard.press('Enter')]
    ]
    await keyboard.press('Tab')
    t.equal(await page.evaluate(FOCUSED), 'lang', 'Tab leads to the other language')
    await keyboard.press('Tab')
    t.match(await page.evaluate(FOCUSED), 'Your bag', 'Tab leads to the bag, which can be folded')
    for (const key of ['Enter', 'Space']) {
      await keyboard.press(key)
      const picture = await page.locator('[data-sku] :is(img,i)').first().boundingBox()
      t.equal(Math.round(Number(picture?.width)), key === 'Space' ? 72 : 40, `${key} folds and unfolds it`)
      t.ok(await page.locator('[data-total]').isVisible(), 'the total stays')
    }
    for (const [focused, press] of tabStops) {
      await keyboard.press('Tab')
      t.equal(await page.evaluate(FOCUSED), focused, `Tab leads to ${focused}`)
      t.ok(await page.evaluate(SHOWS_OUTLINE), `with a visible focus: ${focused}`)
      const loads = focused === 'look' || focused === 'Buy now'
      await Promise.all([loads && page.waitForEvent('load'), press()])
      if (loads) await waitForAutofocus(page)
      if (focused === 'look') {
        t.match(await page.evaluate(FOCUSED), 'You chose another country', 'the new page says so first')
        await keyboard.press('Tab')
        t.equal(await page.evaluate(FOCUSED), 'country', 'with the choice below it')
        await keyboard.press('Tab')
      }
    }
    t.equal(await page.evaluate(FOCUSED), 'email', 'the only field with a mistake has the focus')
    await keyboard.press('ControlOrMeta+A')
    await keyboard.type(MAY.Email)
    const before = view.pageRequests.length
    const fields = await page.locator('form input:not([type=radio]):visible').all()
    t.equal(fields.length, 6)
    for (const field of fields) {
      await field.focus()
      await keyboard.press('Enter')
    }
    await page.getByLabel('Express').focus()
    await Promise.all([page.waitForEvent('load'), keyboard.press('Enter')])
    await waitForAutofocus(page)
    t.equal(
      await page.evaluate('document.activeElement.value'),
      'express',
      'Enter on a delivery method shows the page again, where it was'
    )
    t.equal(await page.getByRole('alert').count(), 0, 'and says nothing of the country')
    for (const language of ['Deutsch', 'English']) {
      await clickThrough(page, page.getByRole('button', { name: language }))
      t.equal(await page.getAttribute('html', 'lang'), language === 'Deutsch' ? 'de' : 'en-GB')
      t.equal(await page.inputValue('[name=email]'), MAY.Email, `what was typed is there in ${language}`)
      t.ok(await page.getByLabel('Express').isChecked(), 'and what was chosen')
    }
    await placeButton(page).focus()
    await keyboard.press('Enter')
    await isConfirmed(t, view, first.reference, { ...ONE_MUG, subTotal: '133.00', delivery: '9.95', total: '142.95' })
    const requests = view.pageRequests.slice(before).map(request => request.replace(/\?.*/, ''))
    const path = `/shop/checkout/${page.url().split('/').at(-2)}`
    t.strictSame(
      requests,
      [...Array(4).fill(`POST ${path}`), `GET ${path}/complete`],
      'Enter in a field, as on a phone’s keyboard, requests nothing: only the button orders'
    )
    await page.getByRole('link', { name: 'Deutsch' }).focus()
    await keyboard.press('Tab')
    t.equal(await page.evaluate(FOCUSED), 'Continue shopping')
  })
})
