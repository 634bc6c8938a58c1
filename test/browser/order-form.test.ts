// What a shopper may do with the order form in real Chromium: press twice, open two tabs, move to another country, meet a
// new price, have no mouse, hold a narrow phone. Each comes to one order.
import t, { type Test } from 'tap'
import type { Store } from '../../src/store/store.ts'
import { jsonDescription } from '../../src/transfer/json-description/json-description.ts'
import { until } from '../until.ts'
import {
  confirmation,
  FOCUSED,
  fill,
  followSteps,
  isConfirmed,
  MAY,
  POSTCODE,
  placeButton,
  SELLS,
  typedIn
} from './shopper.ts'
import { bag, shows, stand } from './stand.ts'

const HAS_OUTLINE = "getComputedStyle(document.activeElement).outlineStyle !== 'none'"

t.test('what a shopper may do with a form', async t => {
  // No placing goes on before this many have begun.
  let atOnce = 1
  let begun = 0
  const heldBack = (store: Store): Store => ({
    ...store,
    placeOrder: async (...placing) => {
      begun++
      await until(`${atOnce} placings at once`, () => begun >= atOnce)
      return store.placeOrder(...placing)
    }
  })
  const view = await stand(t, jsonDescription, SELLS, { store: heldBack })
  const { page, handOver, change, orders } = view
  const steps = followSteps(view)
  const may = (name: string, place: (t: Test) => Promise<unknown>, placings = 1) =>
    t.test(name, async t => {
      atOnce = placings
      begun = 0
      const before = orders()
      await place(t)
      t.equal(orders().length, before.length + 1, 'and one order is placed')
      t.strictSame(view.violations, [])
    })

  await may(
    'press the button again while the order is being placed',
    async t => {
      const first = bag(6, ['MUG', 1])
      await handOver(first)
      await fill(page, { ...MAY, ...POSTCODE })
      await placeButton(page).scrollIntoViewIfNeeded()
      const { x, y } = (await placeButton(page).boundingBox()) ?? { x: 0, y: 0 }
      for (const press of [1, 2]) {
        await page.mouse.click(x + 10, y + 10)
        await until(`placing ${press}`, () => begun === press)
      }
      await isConfirmed(t, view, first.reference, {
        subTotal: '12.50',
        discount: '0.00',
        delivery: '4.50',
        total: '17.00'
      })
    },
    2
  )

  await may(
    'place in two tabs: one order, one confirmation',
    async t => {
      const first = bag(1, ['MUG', 1])
      await handOver(first)
      const other = await view.context.newPage()
      await other.goto(new URL((await page.getAttribute('form', 'action')) ?? '', page.url()).href)
      for (const tab of [page, other]) await fill(tab, { ...MAY, ...POSTCODE })
      await Promise.all([page, other].map(tab => placeButton(tab).click()))
      const amounts = { subTotal: '12.50', discount: '0.00', delivery: '4.50', total: '17.00' }
      const number = await isConfirmed(t, view, first.reference, amounts)
      t.equal(await isConfirmed(t, { ...view, page: other }, first.reference, amounts), number)
      t.equal(other.url(), page.url())
      await other.close()
    },
    2
  )

  await may('choose another country: its fields, and everything typed kept', async t => {
    const first = bag(2, ['MUG', 1])
    await handOver(first)
    await fill(page, { ...MAY, ...POSTCODE })
    await page.getByLabel('Country').selectOption('US')
    await page.getByRole('button', { name: 'Change country' }).click()
    t.equal(await page.evaluate(FOCUSED), 'country', 'the page comes back at the place where it was left')
    t.strictSame(await typedIn(page, ['Email', 'Address', 'City', 'State', 'ZIP code']), [
      MAY.Email,
      MAY.Address,
      'Whitby',
      '',
      'YO21 1AA'
    ])
    t.equal(await page.getByLabel('Postcode').count(), 0)

    await page.getByLabel('State').fill('Maine')
    await page.getByLabel('Country').selectOption('GB')
    await placeButton(page).click()
    t.match(steps.at(-1), { method: 'POST', status: 200 }, 'fields that were not shown are shown first')
    t.match(
      await page.textContent('form'),
      'The fields below are for this country: United Kingdom. Nothing is ordered yet.'
    )
    t.equal(await page.getByLabel('Postcode').inputValue(), 'YO21 1AA')
    await placeButton(page).click()
    await isConfirmed(t, view, first.reference, {
      subTotal: '12.50',
      discount: '0.00',
      delivery: '4.50',
      total: '17.00'
    })
  })

  await may('see a price that changed meanwhile, and agree to it', async t => {
    const first = bag(3, ['CLOCK', 1], ['MUG', 2])
    await handOver(first)
    await fill(page, { ...MAY, ...POSTCODE })
    await page.getByLabel('Express').check()
    change('MUG', { price: 1300 })
    await placeButton(page).click()
    t.match(steps.at(-1), { method: 'POST', status: 409 })
    t.match(await page.getByRole('alert').innerText(), 'Prices have changed')
    const marked = (await view.lines()).map(({ text }) => text.includes('The price of this item has changed'))
    t.strictSame(marked, [false, true])
    t.equal(await page.getAttribute('[data-total]', 'data-total'), '15595')
    t.strictSame(await typedIn(page, ['Email', 'Postcode']), [MAY.Email, POSTCODE.Postcode], 'everything typed is kept')
    t.ok(await page.getByLabel('Express').isChecked())
    await page.goBack()
    await shows(t, view, first, 'Back shows the bag, not an error of the browser')
    await page.goForward()
    await placeButton(page).click()
    const amounts = { subTotal: '146.00', discount: '0.00', delivery: '9.95', total: '155.95' }
    await isConfirmed(t, view, first.reference, amounts)
    await page.goBack()
    await shows(t, view, first, 'Back from the confirmation shows the page with the new price')
  })

  await may('use the keyboard alone', async t => {
    const { keyboard } = page
    const first = bag(4, ['MUG', 1])
    await handOver(first)
    const walk: [focused: string, press: () => Promise<void>][] = [
      ['country', () => keyboard.type('United S')],
      ['look', () => keyboard.press('Enter')],
      ['email', () => keyboard.type('nobody')],
      ['name', () => keyboard.type(MAY['Full name'])],
      ['organization', async () => {}],
      ['address1', () => keyboard.type(MAY.Address)],
      ['address2', async () => {}],
      ['city', () => keyboard.type('Portland')],
      ['state', () => keyboard.type('Maine')],
      ['postcode', () => keyboard.type('04101')],
      ['phone', async () => {}],
      ['delivery', () => keyboard.press('ArrowDown')],
      ['Buy now', () => keyboard.press('Enter')],
      ['Enter an email address such as name@example.com', () => keyboard.press('Enter')]
    ]
    await keyboard.press('Tab')
    t.match(await page.evaluate(FOCUSED), 'Your bag', 'Tab leads to the bag, which folds')
    for (const key of ['Enter', 'Space']) {
      await keyboard.press(key)
      t.equal(await page.locator('[data-sku]').isVisible(), key === 'Space', `${key} on it`)
    }
    for (const [focused, press] of walk) {
      await keyboard.press('Tab')
      t.equal(await page.evaluate(FOCUSED), focused, `Tab leads to ${focused}`)
      t.ok(await page.evaluate(HAS_OUTLINE), 'and shows where it is')
      const loads = focused === 'look' || focused === 'Buy now'
      await Promise.all([loads && page.waitForEvent('load'), press()])
      if (focused === 'look') {
        t.equal(await page.evaluate(FOCUSED), 'country', 'its page comes back where it was left')
        await keyboard.press('Tab')
      }
    }
    t.equal(await page.evaluate(FOCUSED), 'email', 'Enter on a mistake leads to its field')
    await keyboard.press('ControlOrMeta+A')
    await keyboard.type(MAY.Email)
    await keyboard.press('Enter')
    await isConfirmed(t, view, first.reference, {
      subTotal: '13.00',
      discount: '0.00',
      delivery: '9.95',
      total: '22.95'
    })
    await keyboard.press('Tab')
    t.equal(await page.evaluate(FOCUSED), 'Continue shopping')
  })

  await may('hold a narrow phone: nothing to scroll sideways, to miss with a thumb or to zoom into', async t => {
    const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'
    const small = `Array.from(document.querySelectorAll('a,button:not([aria-hidden]),select,summary,label:has(input),input:not([type=hidden],[type=radio])'))
      .filter(element => element.getBoundingClientRect().height < 44 || element.getBoundingClientRect().width < 44)
      .map(element => element.outerHTML)`
    const zooming = `Array.from(document.querySelectorAll('input,select'))
      .filter(element => parseFloat(getComputedStyle(element).fontSize) < 16).map(({ name }) => name)`
    const first = bag(5, ['THROW', 9999])
    const size = page.viewportSize() ?? { width: 390, height: 844 }
    await page.setViewportSize({ width: 320, height: 640 })
    const fits = async (what: string) =>
      t.strictSame(await page.evaluate(`[${overflow}, ${small}, ${zooming}]`), [0, [], []], what)
    await handOver(first)
    await fits('the form')
    await placeButton(page).click()
    await fits('mistakes')
    await fill(page, { ...MAY, ...POSTCODE })
    await placeButton(page).click()
    await confirmation(page)
    await fits('the confirmation')
    await handOver(first)
    await fits('an order placed before')
    await page.setViewportSize(size)
  })
})
