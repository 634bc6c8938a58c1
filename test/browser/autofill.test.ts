// The browser's own autofill fills in the whole form, whichever field the shopper starts it in.
import t from 'tap'
import { launchWithoutCookies } from '../../src/kit/browser/launch-chromium.ts'
import { buildListening, merchantFile } from '../build.ts'
import { SELLS } from './shopper.ts'
import { chromiumPath } from './views.ts'

const ADDRESS = {
  NAME_FULL: 'Ada King-Noel',
  COMPANY_NAME: 'Engine & Sons',
  ADDRESS_HOME_STREET_ADDRESS: '12 Square\nOckham Wing',
  ADDRESS_HOME_LINE1: '12 Square',
  ADDRESS_HOME_LINE2: 'Ockham Wing',
  ADDRESS_HOME_CITY: 'Portland',
  ADDRESS_HOME_STATE: 'Maine',
  ADDRESS_HOME_ZIP: '04101',
  ADDRESS_HOME_COUNTRY: 'US',
  EMAIL_ADDRESS: 'ada@analytical.example',
  PHONE_HOME_WHOLE_NUMBER: '+12075550123'
}
const VALUES =
  "Object.fromEntries(Array.from(document.querySelectorAll('select,input[autocomplete]'), ({ name, value }) => [name, value]))"

t.test('autofill', async t => {
  const { app } = await buildListening(t, {
    merchants: [merchantFile('2B', { ...SELLS, countries: ['GB', 'US', 'CA', 'JP'], publicUrl: '/shop' })]
  })
  // A whole Chromium: the headless shell has no autofill.
  const context = await launchWithoutCookies(chromiumPath(), t.testdir({}), {})
  t.teardown(() => context.close())
  const page = await context.newPage()
  const devtools = await context.newCDPSession(page)
  await devtools.send('Autofill.enable')
  await devtools.send('DOM.enable')
  const open = () =>
    page.goto(`${app.listeningOrigin}/shop/cart?item_0_sku=MUG&item_0_quantity=1&currency=GBP&reference=order-1`)

  /** Starts autofill in a field, and waits until the browser has filled in the form. */
  const autofill = async (name: string, address = ADDRESS) => {
    const fields = Object.entries(address).map(([name, value]) => ({ name, value }))
    await page.locator(`[name=${name}]`).focus()
    const { root } = await devtools.send('DOM.getDocument')
    const { nodeId } = await devtools.send('DOM.querySelector', { nodeId: root.nodeId, selector: `[name=${name}]` })
    const { node } = await devtools.send('DOM.describeNode', { nodeId })
    const filled = new Promise(resolve => devtools.once('Autofill.addressFormFilled', resolve))
    await devtools.send('Autofill.trigger', { fieldId: node.backendNodeId, address: { fields } } as never)
    await filled
    return page.evaluate(VALUES)
  }

  const expected = {
    email: 'ada@analytical.example',
    phone: '12075550123',
    country: 'US',
    name: 'Ada King-Noel',
    address1: '12 Square, Ockham Wing',
    organization: '',
    address2: '',
    city: 'Portland',
    postcode: '04101'
  }
  for (const name of ['email', 'address1', 'postcode']) {
    await open()
    t.strictSame(
      await autofill(name),
      expected,
      `from ${name}, everything; a folded line of the street is in the first`
    )
  }

  await page.getByRole('button', { name: 'Use this country' }).click()
  await page.locator('select[name=state]').waitFor()
  t.match(await autofill('city'), { state: 'ME', city: 'Portland' }, 'a state is chosen by its name')

  await open()
  await page.getByLabel('Country').selectOption('CA')
  await page.getByRole('button', { name: 'Use this country' }).click()
  await page.locator('select[name=state]').waitFor()
  const canadian = { ...ADDRESS, ADDRESS_HOME_STATE: 'ON', ADDRESS_HOME_COUNTRY: 'CA' }
  t.match(await autofill('city', canadian), { state: 'ON', country: 'CA' }, 'a province is chosen by its code too')

  await open()
  await page.getByLabel('Country').selectOption('JP')
  await page.getByRole('button', { name: 'Use this country' }).click()
  await page.getByLabel('Prefecture').waitFor()
  const japanese = {
    ...ADDRESS,
    ADDRESS_HOME_STREET_ADDRESS: '神宮前1-2-3',
    ADDRESS_HOME_LINE1: '神宮前1-2-3',
    ADDRESS_HOME_LINE2: '',
    ADDRESS_HOME_CITY: '渋谷区',
    ADDRESS_HOME_STATE: 'Tokyo',
    ADDRESS_HOME_ZIP: '150-0001',
    ADDRESS_HOME_COUNTRY: 'JP'
  }
  t.match(
    await autofill('postcode', japanese),
    { postcode: '150-0001', state: 'Tokyo', city: '渋谷区', address1: '神宮前1-2-3' },
    'a Japanese city has a field of its own'
  )
})
