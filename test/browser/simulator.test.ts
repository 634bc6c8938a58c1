// The simulator page in real Chromium: a shop of each option from a proposed bag to the confirmation and back to the app,
// refused and hostile bags, edited requests, links to a bag, the settings of the phone, and a narrow screen.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import { openDemoShop } from '../../src/kit/demo/demo-shop.ts'
import { transferOptions } from '../../src/transfer/index.ts'
import { isOfApp } from '../../src/transfer/option.ts'
import { type Build, buildListening, FEED, merchantFile, SIMULATOR_KEY } from '../build.ts'
import { shopFile } from '../integrations/destination/own-shop.ts'
import { describedOtherwise } from '../kit/simulator/described-otherwise.ts'
import { listen } from '../listen.ts'
import { ROOT } from '../node-process.ts'
import { until } from '../until.ts'
import { sharedViews } from './shared-views.ts'
import { MAY, POSTCODE, SELLS } from './shopper.ts'
import { policyViolations } from './views.ts'

const WIDE = { width: 1280, height: 800 }
const NARROW = { width: 390, height: 844 }

const LINES = `Array.from(document.querySelectorAll('[data-sku]'), ({ dataset }) => dataset.sku + ' × ' + dataset.quantity)`
const ORCHARD_LINES = `Array.from(document.querySelectorAll('.line'), line =>
  line.dataset.article + ' × ' + line.querySelector('.count').textContent)`
const HAS_PICTURES = `Array.from(document.images).every(({ naturalWidth }) => naturalWidth > 0)`
const OVERFLOW = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'
/** Touch targets that are too small. */
const SMALL_TARGETS = `Array.from(document.querySelectorAll('a,button,select,summary,input:not([type=checkbox]),label:has([type=checkbox]),textarea'))
  .filter(element => element.checkVisibility() && Math.min(element.getBoundingClientRect().height, element.getBoundingClientRect().width) < 44)
  .map(element => element.outerHTML)`
const UNNAMED = `Array.from(document.querySelectorAll('input,select,textarea'))
  .filter(field => field.labels.length === 0).map(field => field.outerHTML)`

/** The pages of shops have tests of their own. */
const AXE = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')
const RUN_AXE = `axe.run(document, { iframes: false, resultTypes: ['violations'] }).then(({ violations }) =>
  violations.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => id + html + failureSummary)))`

/** Whether the whole element is on the screen. */
const isOnScreen = (selector: string) => `(({ top, bottom }) => top >= 0 && bottom <= innerHeight)(
  document.querySelector('${selector}').getBoundingClientRect())`

/** Its frame runs no scripts, so those of a test look in from outside. */
const IN_PHONE = `document.querySelector('#view iframe').contentDocument`

/** How the page in the phone is shown. */
const LOOK = `({ lang: document.documentElement.lang, width: innerWidth,
  background: getComputedStyle(document.body).backgroundColor,
  scheme: getComputedStyle(document.documentElement).colorScheme,
  text: getComputedStyle(document.body).fontSize })`
const LIGHT_PAGE = 'rgb(244, 245, 247)'
const DARK_PAGE = 'rgb(17, 20, 24)'

/** The legs of the picture with their states: `bag done`. */
const LEGS = `Array.from(document.querySelectorAll('#legs [data-state]'), ({ dataset }) => dataset.leg + ' ' + dataset.state)`

/** Types a hundred keys at once. @returns how often the address of the page has been changed by then */
const TYPE_FAST = `(() => {
  let changes = 0
  const { replaceState } = history
  history.replaceState = (...state) => {
    changes++
    replaceState.apply(history, state)
  }
  for (let i = 0; i < 100; i++) document.getElementById('currency').dispatchEvent(new Event('input'))
  return changes
})()`

const IS_REFERENCE_CUT = `(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)(document.getElementById('reference'))`

/** The accessible name of the focused element. */
const FOCUSED = `(({ ariaLabel, labels, innerText }) => ariaLabel ?? labels?.[0]?.innerText ?? innerText)(document.activeElement)`

const shops = transferOptions.map(({ name }) =>
  merchantFile(name, {
    id: `by-${name.toLowerCase()}`,
    name: `Shop ${name}`,
    publicUrl: `/by-${name.toLowerCase()}`,
    locales: ['de'],
    links: { terms: 'https://shop.example/terms' },
    ...SELLS
  })
)

async function open(t: Test, parts: Build = {}) {
  const { app } = await buildListening(t, { merchants: shops, simulator: {}, ...parts })
  const { page, origins, close } = await sharedViews().open()
  t.teardown(close)
  const violations = policyViolations(page)
  // Dialogs opened and errors thrown by scripts in the page.
  const alerts: string[] = []
  page.on('dialog', dialog => {
    alerts.push(dialog.message())
    void dialog.dismiss()
  })
  page.on('pageerror', error => alerts.push(error.message))
  await page.setViewportSize(WIDE)
  await page.emulateMedia({ reducedMotion: 'reduce' })
  await page.goto(`${app.listeningOrigin}/simulator?key=${SIMULATOR_KEY}`)
  const frame = page.frameLocator('#view iframe')
  return {
    page,
    frame,
    violations,
    origins,
    alerts,
    origin: app.listeningOrigin,
    choose: (option: string) => page.getByLabel('Shop').selectOption(`by-${option}`.toLowerCase()),
    preset: (name: string) => page.getByRole('button', { name, exact: true }).click(),
    /** Presses a button that sends something, and waits for the steps. */
    checkOut: async (button = '#view .go') => {
      const answered = page.waitForResponse(response => /\/simulator\/(transfers|requests)$/.test(response.url()))
      await page.locator(button).click()
      await answered
      await page.locator('#phone[data-shows=page], #phone[data-shows=error]').waitFor()
    },
    /** Leaves a page that is no confirmation. */
    backToBag: async () => {
      for (const name of ['Close the web view', 'Leave', 'Back to the bag']) {
        await page.getByRole('button', { name }).click()
      }
    },
    steps: () => page.locator('#step-list > li > h3').allInnerTexts(),
    legs: () => page.evaluate(LEGS),
    /** The lines of the page in the phone: `MUG × 1`. */
    shown: async (): Promise<unknown> => {
      await frame.locator('main').waitFor()
      return frame.locator('html').evaluate(LINES)
    }
  }
}

t.test('one click opens the page, on another site too, and its address does not have the key', async t => {
  const { page, origin, checkOut } = await open(t)
  /** Without the bag, which the page adds when it has shown it. */
  const address = () => page.url().replace(/#.*/, '')
  t.equal(address(), `${origin}/simulator`)
  const bag = '#shop=by-2b&currency=GBP&sku=THROW'
  const { port } = await listen(t, (_request, response) => {
    response.writeHead(200, { 'Content-Type': 'text/html' })
    response.end(
      `<a href="${origin}/simulator?key=${SIMULATOR_KEY}">Terminal</a> <a href="${origin}/simulator${bag}">Chat</a>`
    )
  })
  const click = async (name: string) => {
    await page.goto(`http://localhost:${port}`)
    await page.getByRole('link', { name }).click()
    await page.getByRole('heading', { name: 'Cart transfer simulator' }).waitFor()
  }
  await click('Chat')
  await page.locator('#view li', { hasText: 'Herring throw' }).waitFor()
  await page.context().clearCookies()
  await page.locator('#view .go').click()
  await page.getByText('The simulator could not send this: the server has been started anew; open the').waitFor()
  await click('Terminal')
  t.equal(address(), `${origin}/simulator`)
  await checkOut()
})

t.test('a page takes presses once it is watched, and no sooner', async t => {
  const { page, frame, checkOut } = await open(t)
  const early: unknown[] = []
  const isInert = () => page.evaluate("document.querySelector('#view iframe').inert")
  await page.route('**/simulator/frames/*', async route => {
    early.push(await isInert())
    await route.continue()
  })
  await checkOut()
  await frame.getByRole('button', { name: 'Buy now' }).click()
  await page.locator('#status', { hasText: 'status 422' }).waitFor()
  await until('the answer is watched', async () => !(await isInert()))
  t.strictSame(early, [true, true])
})

t.test('with every option, a proposed bag becomes an order, and the shopper returns to the app', async t => {
  const { page, frame, violations, origins, origin, choose, preset, checkOut, legs, shown } = await open(t)
  for (const option of transferOptions) {
    const { name, answer } = option
    const ways = ['description', 'protocol'].includes(answer)
      ? ['bag', 'description', 'request', 'page']
      : ['bag', 'page']
    const done = ways.map(leg => `${leg} done`)
    await choose(name)
    t.match(await page.textContent('#option'), `Option ${name}`)
    await preset('Normal bag')
    t.strictSame(await page.getByRole('button', { name: 'Checkout' }).count(), 1)
    t.strictSame(await page.locator('#view li, #view .sum').allInnerTexts(), [
      'Sea-glass mug\nQty 1\n£12.50',
      'H\nHerring throw\nQty 2\n£129.90',
      'Total\n£142.40'
    ])
    t.match(await page.getAttribute('#view img', 'src'), `/by-${name.toLowerCase()}/pictures/mug.svg`)
    t.strictSame(await legs(), [], 'nothing is lit yet')
    await checkOut()
    t.strictSame(await legs(), done, `option ${name}: its legs light up`)
    t.strictSame(await shown(), ['MUG × 1', 'THROW × 2'], `option ${name}: the phone shows exactly the lines`)
    // The phone reads a page only once it has loaded, which is after its lines have appeared.
    await page.locator('#sees', { hasText: 'The app sees: no order yet.' }).waitFor()
    t.match(await page.textContent('#page-address'), `${origin}/by-${name.toLowerCase()}/`)
    for (const [label, text] of Object.entries({ ...MAY, ...POSTCODE })) {
      await frame.getByLabel(label, { exact: true }).fill(text)
    }
    const scrolled = await page.evaluate('scrollY')
    await frame.getByRole('button', { name: 'Buy now' }).click()
    const number = String(await frame.locator('.number').textContent())
    await page.getByText(`The app sees: order complete, ${number}.`).waitFor()
    t.strictSame(await legs(), [...done, 'order done'])
    t.equal(await page.evaluate('scrollY'), scrolled, 'the window stays where it was')
    await page.getByRole('button', { name: 'Show how the app knows' }).click()
    await until('the complete order is on the screen', () => page.evaluate(isOnScreen('#watched > .complete')))
    const watched = await page.locator('#watched > li').first().innerText()
    t.match(watched, 'Order complete, known by its title and its address')
    t.match(watched, `Order number: ${number}`)
    t.match(watched, /subTotal\s+142\.40/)
    if (name === '2B') {
      await page.setViewportSize(NARROW)
      t.equal(await page.evaluate(isOnScreen('#watched > .complete')), false, 'below the phone on a narrow screen')
      await page.getByRole('button', { name: 'Show how the app knows' }).click()
      await until('it is on the screen', () => page.evaluate(isOnScreen('#watched > .complete')))
      await page.setViewportSize(WIDE)
    }
    if (name === '2A') {
      await page.getByLabel('Language').selectOption('de')
      await page.locator('#status', { hasText: 'The address of this page names its language' }).waitFor()
      await frame.locator('html[lang=en-GB]').waitFor({ state: 'attached' })
      t.equal(await frame.locator('.number').textContent(), number, 'a confirmation stays in the language of its order')
      await frame.getByRole('link', { name: 'Deutsch' }).click()
      await frame.locator('html[lang=de]').waitFor({ state: 'attached' })
      t.equal(await frame.locator('.number').textContent(), number, 'until the shopper chooses another')
      await page.getByText(`The app sees: order complete, ${number}.`).waitFor()
      t.strictSame(await legs(), [...done, 'order done'])
      await page.getByLabel('Language').selectOption('')
      await frame.getByRole('link', { name: 'English' }).click()
      await frame.locator('html[lang=en-GB]').waitFor({ state: 'attached' })
    }
    const back = frame.getByRole('link', { name: 'Continue shopping' })
    if (isOfApp(option)) {
      await back.click()
      await page.getByText('The app closes the web view and goes on shopping.').first().waitFor()
      t.match(await page.textContent('#view'), 'shop://continue', `option ${name}: the app intercepts the link`)
    } else {
      t.equal(await back.count(), 0, `option ${name}: no link to an app that nobody came from`)
      await page.getByRole('button', { name: 'Close the web view' }).click()
    }
    await page.getByRole('button', { name: 'Back to the bag' }).click()
  }
  t.strictSame(violations, [], 'no violation of the content security policy')
  const pictures = 'https://images.example'
  t.strictSame(new Set(origins), new Set([origin, pictures]), 'no other origin is requested, except for images')
})

t.test('refusals, hostile bags, bags by hand, leaving and the keyboard', async t => {
  const { page, frame, violations, alerts, choose, preset, checkOut, backToBag, steps, legs, shown } = await open(t)

  await t.test('option 1: a refusal shows the app’s generic error, and the reasons', async t => {
    await preset('Unknown SKU')
    await checkOut()
    t.match(await page.getByRole('alertdialog').textContent(), 'Something went wrong')
    t.strictSame(await steps(), [
      'The platform sends the bag',
      'The shop refuses the bag',
      'The app shows its generic error'
    ])
    t.match(await page.textContent('.reasons'), '#/items/2/sku No product has the SKU "NO-SUCH-SKU"')
    t.strictSame(await legs(), ['bag done', 'description failed'], 'the picture shows where it went wrong')
    t.match(await page.textContent('#legs [data-state=failed]'), 'The shop refuses the bag, failed')
    const [sent = '', answered = ''] = await page.locator('#step-list pre:not(.line)').allTextContents()
    t.match(sent, '{\n  "items": [\n    {\n      "sku": "MUG",\n      "quantity": 1\n    },\n', 'JSON is indented')
    t.equal(JSON.parse(answered).status, 422)
    t.strictSame(await page.locator('#step-list .json-number').first().innerText(), '1', 'and coloured')
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    t.equal(await page.locator('.copies button').count(), 2, 'one copies in any format, one edits')
    await page.getByRole('button', { name: 'Copy', exact: true }).click()
    await page.getByRole('button', { name: 'Copied' }).waitFor()
    t.equal(await page.textContent('#status'), 'Copied.')
    t.match(await page.evaluate('navigator.clipboard.readText()'), /^curl -X POST .*"sku":"NO-SUCH-SKU".* 'http.*'$/)
    await page.getByLabel('Copy as').selectOption('fetch')
    await page.getByRole('button', { name: 'Copied' }).click()
    await until('the code is copied', async () =>
      /^const/.test(String(await page.evaluate('navigator.clipboard.readText()')))
    )
    t.match(
      await page.evaluate('navigator.clipboard.readText()'),
      /^const response = await fetch\("http.*"NO-SUCH-SKU/s
    )
    await page.getByRole('button', { name: 'OK' }).click()
    t.match(await page.textContent('#view'), 'Your bag', 'the bag is shown again')
  })

  await t.test('option 2B: a refusal shows the shop’s own page, also for a bag too long for a URL', async t => {
    await choose('2B')
    t.equal(await page.getByRole('button', { name: 'URL too long' }).count(), 1)
    await preset('Unknown SKU')
    await checkOut()
    t.match(await frame.locator('h1').textContent(), 'An item in your bag isn’t available right now')
    await preset('URL too long')
    await checkOut()
    t.match(await page.textContent('#step-list .bad'), 'the contract allows 2,048')
    t.match(await frame.locator('h1').textContent(), /bag/i)
    t.match(await page.textContent('#status'), 'status 414')
  })

  await t.test('a hostile SKU is plain text everywhere, with every option', async t => {
    for (const { name, answer } of transferOptions) {
      await choose(name)
      await preset('Hostile SKU')
      await checkOut()
      if (answer === 'page') t.match(await frame.locator('main').textContent(), '<img src=x onerror=alert(1)>')
    }
    t.equal(await page.locator('img[src=x], #bag script, #phone script, #steps script').count(), 0)
  })

  await t.test('a bag is filled from the catalogue and by hand, and sent again under the same reference', async t => {
    await choose('2A')
    t.equal(await page.getByRole('button', { name: 'URL too long' }).count(), 0, 'only where there is that limit')
    await page.getByLabel('Add from the catalogue').fill('script')
    await page.locator('#found:not(:has(> div + div))').waitFor()
    await page.getByRole('button', { name: 'Add <script>alert("title")</script>' }).click()
    await page.getByRole('button', { name: 'Add a line by hand' }).click()
    await page.getByLabel('SKU', { exact: true }).last().fill('a+b c')
    await page.getByLabel('Quantity').last().fill('3')
    await page.getByRole('button', { name: 'Remove line 2' }).click()
    await checkOut()
    const bag = ['MUG × 1', '<script>alert("sku")</script> × 1', 'a+b c × 3']
    t.strictSame(await shown(), bag)
    const reference = await page.getByLabel('Reference of the order').inputValue()
    const action = await frame.locator('form').getAttribute('action')
    await checkOut('#again')
    t.strictSame(await shown(), bag)
    t.equal(await frame.locator('form').getAttribute('action'), action, 'the same checkout')
    await checkOut('#again-changed')
    t.strictSame(await shown(), ['MUG × 2', ...bag.slice(1)])
    t.not(await frame.locator('form').getAttribute('action'), action, 'another checkout')
    t.equal(await page.getByLabel('Reference of the order').inputValue(), reference)
    await backToBag()
    await checkOut()
    t.not(await page.getByLabel('Reference of the order').inputValue(), reference, 'each checkout uses a new reference')
    await page.getByLabel('Reference of the order').fill(crypto.randomUUID())
    t.equal(await page.evaluate(IS_REFERENCE_CUT), false, 'also a UUID with hyphens is shown whole')
    await page.getByLabel('Reference of the order').fill('r'.repeat(40))
    await checkOut()
    t.match(await frame.locator('h1').textContent(), /bag/)
    t.match(await page.textContent('#status'), 'status 400')
  })

  await t.test('a request is edited and sent again', async t => {
    const body = page.locator('.editor').getByLabel('Body')
    await choose('2A')
    await preset('Normal bag')
    await checkOut()
    await page.getByRole('button', { name: 'Edit and resend' }).click()
    t.equal(await page.evaluate(FOCUSED), 'Address')
    await body.fill((await body.inputValue()).replace(/(?<=items%5B1%5D%5Bquantity%5D=)2/, '5'))
    await checkOut('.editor .go')
    t.strictSame(await shown(), ['MUG × 1', 'THROW × 5'])
    t.match((await steps())[0], 'The web view sends the request as edited')
    await choose('1')
    await checkOut()
    await page.getByRole('button', { name: 'Edit and resend' }).first().click()
    await body.fill((await body.inputValue()).replace('"sku":"MUG"', '"sku":"LAMP"'))
    await page.getByLabel('Headers, one on each line').fill('Content-Type: application/json\n\nX-Own:')
    await checkOut('.editor .go')
    t.match(await page.textContent('.reasons'), '#/items/0/sku')
    await page.locator('summary', { hasText: 'Headers (6)' }).click()
    t.match(await page.locator('#step-list dl').first().innerText(), /X-Own/)
    await page.getByRole('button', { name: 'Edit and resend' }).click()
    await page.getByLabel('Headers, one on each line').fill('X-Own: a\u2028b')
    await checkOut('.editor .go')
    t.match(await page.textContent('#step-list'), 'Invalid character in header content ["X-Own"]', 'sent as typed')
    await page.getByRole('button', { name: 'Edit and resend' }).click()
    await page.getByLabel('Address', { exact: true }).fill('http://elsewhere.example/')
    await checkOut('.editor .go')
    t.strictSame(await legs(), ['bag failed'], 'nothing was sent')
    await page.getByRole('button', { name: 'OK' }).click()
    await checkOut()
    await page.getByRole('button', { name: 'Edit and resend' }).first().click()
    await page.getByLabel('Address', { exact: true }).fill('none')
    await page.getByRole('button', { name: 'Send this request' }).click()
    await page.getByText('The simulator could not send this: Its address is no URL.').waitFor()
    t.strictSame(await steps(), ['Nothing was sent'], 'the steps of before are gone')
    t.strictSame(await legs(), [])
  })

  await t.test('the address of the page restores everything that is chosen', async t => {
    await choose('2A')
    await preset('Wrong price')
    await page.getByRole('button', { name: 'Add a line by hand' }).click()
    await page.route('**/products?*sku=DOLLAR*', route => route.fulfill({ status: 503, json: {} }), { times: 1 })
    const refused = page.waitForResponse(response => response.status() === 503)
    await page.getByLabel('SKU', { exact: true }).last().fill('DOLLAR')
    await refused
    // The next edit asks for what is still unknown.
    await page.getByLabel('Quantity').last().fill('1')
    await page.locator('#view li', { hasText: 'Dollar only' }).waitFor()
    await page.getByLabel('Reference of the order').fill('a & b')
    await page.getByLabel('Width').selectOption('320')
    await page.getByRole('button', { name: 'Copy a link to this bag' }).click()
    await page.getByRole('button', { name: 'Copied' }).waitFor()
    const link = String(await page.evaluate('navigator.clipboard.readText()'))
    await until('the address of the page is this link', () => page.url() === link)
    t.equal(await page.evaluate(TYPE_FAST), 0, 'the address is not changed with every key')
    const chosen = `[['merchant', 'currency', 'reference', 'width'].map(id => document.getElementById(id).value),
      document.getElementById('fresh').checked,
      Array.from(document.querySelectorAll('#lines li'), line => Array.from(line.querySelectorAll('input'), ({ value }) => value).join())]`
    const expected = [['by-2a', 'GBP', 'a & b', '320'], false, ['MUG,1,0.01', 'DOLLAR,1,']]
    t.strictSame(await page.evaluate(chosen), expected)
    await page.evaluate("location.hash = '#shop=gone'")
    await page.getByText('No shop here is called “gone”.').waitFor()
    t.notSame(await page.evaluate(chosen), expected)
    const unknown = Array.from({ length: 51 }, (_, i) => `sku=NONE-${i}&`).join('')
    await page.evaluate(`location.hash = '#shop=by-2a&currency=USD&${unknown}sku=DOLLAR'`)
    await page.locator('#lines li:last-child p', { hasText: 'Dollar only' }).waitFor()
    await page.evaluate("Object.defineProperty(navigator, 'clipboard', { value: undefined })")
    await page.getByRole('button', { name: 'Copy a link to this bag' }).click()
    await page.getByText('The clipboard is not accessible').waitFor()
    t.equal(await page.evaluate('document.activeElement.localName'), 'pre', 'it has the focus')
    t.match(await page.evaluate('String(getSelection())'), /#shop=by-2a.*&sku=DOLLAR/, 'and is selected')
    await page.goto('about:blank')
    await page.goto(link)
    t.strictSame(await page.evaluate(chosen), expected)
    await page.locator('#view li', { hasText: 'Dollar only' }).waitFor()
    await checkOut()
    t.match(await page.textContent('#step-list'), 'a & b')
    await page.getByLabel('A new reference for every checkout').check()
  })

  await t.test('the phone has a language, a width, colours and a size of text', async t => {
    const set = async (settings: Record<string, string>) => {
      for (const [label, value] of Object.entries(settings)) {
        await page.getByLabel(label, { exact: true }).selectOption(value)
      }
    }
    const look = () => frame.locator('html').evaluate(LOOK)
    await choose('1')
    await set({ Width: '390' })
    await checkOut()
    await shown()
    await page.locator('#sees', { hasText: 'no order yet' }).waitFor()
    const usual = { lang: 'en-GB', width: 390, background: LIGHT_PAGE, scheme: 'light dark', text: '16px' }
    t.strictSame(await look(), usual)
    await set({ Width: '320', Colours: 'dark', Text: '200' })
    const chosen = { lang: 'en-GB', width: 320, background: DARK_PAGE, scheme: 'dark', text: '32px' }
    t.strictSame(await look(), chosen)
    await set({ Language: 'de' })
    await frame.locator('html[lang=de]').waitFor()
    await page.locator('#sees', { hasText: 'no order yet' }).waitFor()
    t.strictSame(await look(), { ...chosen, lang: 'de' }, 'the page is asked for again, and shown like the one before')
    t.match(await page.textContent('#status'), 'The bag was sent again')
    await frame.locator('.go').click()
    await frame.locator('[aria-invalid]').first().waitFor()
    t.equal(await frame.locator('html').getAttribute('lang'), 'de', 'so is what a press in it leads to')
    await until('the autofocus of the page', () => page.evaluate(`${IN_PHONE}.activeElement.autofocus`))
    await page.emulateMedia({ colorScheme: 'dark' })
    await set({ Colours: 'light', Text: '100', Width: '390' })
    t.strictSame(await look(), { ...usual, lang: 'de', scheme: 'light' }, 'light on a dark device')
    await set({ Colours: '' })
    t.strictSame(await look(), { ...usual, lang: 'de', background: DARK_PAGE }, 'or as the device is')
    await page.emulateMedia({ colorScheme: 'light' })
    const before = await page.getAttribute('#view iframe', 'src')
    await set({ Language: '' })
    await page.getByText('The address of this page names its language').waitFor()
    t.equal(await page.getAttribute('#view iframe', 'src'), before, 'the page stays, with what was typed')
  })

  await t.test('what goes wrong is chosen, and met by what is sent from then on', async t => {
    const goesWrong = (name: string) => page.getByLabel('What goes wrong').selectOption(name)
    const says = (text: string) => page.locator('#status, #sees', { hasText: text }).first().waitFor()
    await choose('2A')
    await preset('Normal bag')
    await goesWrong('sold-out')
    await checkOut()
    await says('status 200')
    t.equal(await page.innerText('#failure-says'), 'When you press Buy now, or another button in the page')
    await says('The app sees: no order yet.')
    t.equal(await page.evaluate(isOnScreen('#sees')), true, 'what the app sees is in view')
    await goesWrong('offline')
    t.equal(await page.innerText('#failure-says'), 'With every request, from the next one on')
    await frame.getByRole('button', { name: 'Buy now' }).click()
    await says('The phone has no network: the page stays as it is.')
    t.equal((await steps()).at(-1), 'The page stays as it is')
    await goesWrong('sold-out')
    await frame.getByRole('button', { name: 'Buy now' }).click()
    await says('status 409')
    t.match((await steps()).slice(-2), ['The shopper presses a button', 'The shop shows a refusal page'])
    await goesWrong('offline')
    await checkOut('#again')
    t.equal(await page.getAttribute('#phone', 'data-shows'), 'error')
    await page.getByRole('button', { name: 'OK' }).click()
    await goesWrong('')
    t.equal(await page.isVisible('#failure-says'), false)
    await checkOut()
    await says('status 200')
    await frame.getByRole('button', { name: 'Buy now' }).click()
    await says('status 422')
    await goesWrong('expired')
    await choose('1')
    t.equal(await page.getByLabel('What goes wrong').inputValue(), 'expired', 'it stays for another shop')
    await goesWrong('')
  })

  await t.test('the phone is as high as a real one, with its keyboard, and is scaled down to the window', async t => {
    const set = (label: string, value: string) => page.getByLabel(label, { exact: true }).selectOption(value)
    await choose('1')
    await checkOut()
    await shown()
    for (const size of [WIDE, NARROW, { width: 1600, height: 1200 }]) {
      await page.setViewportSize(size)
      for (const height of ['664', '844']) {
        await set('Height', height)
        const inside = () => frame.locator('html').evaluate('[innerWidth, innerHeight]')
        await until(`${height} px`, async () => String(await inside()) === `390,${height}`)
        const box = await page.locator('.device').boundingBox()
        t.ok(
          box && box.width <= size.width && box.height <= size.height,
          `${height} px in ${size.width} × ${size.height}`
        )
      }
    }
    await set('Keyboard', 'shown')
    const keys = await page.locator('#keys').boundingBox()
    t.equal(keys?.height, 336, 'unscaled where there is room')
    const covered = `(() => { const { bottom } = document.querySelector('[name=phone]').getBoundingClientRect(); return innerHeight - bottom })()`
    await frame.locator('[name=phone]').evaluate('document.querySelector("[name=phone]").focus()')
    t.ok(Number(await frame.locator('html').evaluate(covered)) >= 336, 'what is typed in is above the keyboard')
    await set('Keyboard', '')
    t.equal(await page.locator('#keys').isVisible(), false)
    await set('Height', '')
    for (const size of [{ width: 1000, height: 600 }, NARROW, { width: 390, height: 600 }, WIDE]) {
      await page.setViewportSize(size)
      await page.locator('#phone').evaluate(phone => phone.scrollIntoView())
      const box = await page.locator('.device').boundingBox()
      t.ok(box && box.height <= size.height - 96, `with no height chosen, in ${size.width} × ${size.height}`)
    }
  })

  await t.test('a link leads to a page of the shop, and to nothing else', async t => {
    await frame.locator('a[href="https://shop.example/terms"]').click()
    await page.getByText('This leads to no page of Shop 1, and the phone opens no others.').waitFor()
    await page.evaluate(`${IN_PHONE}.querySelector('.quiet a').setAttribute('href', '/by-1/nothing')`)
    await frame.locator('.quiet a').click()
    await page.locator('#page-address', { hasText: '/by-1/nothing' }).waitFor()
    t.match(await frame.locator('h1').textContent(), 'Page not found', 'a page of the shop, though it is a 404')
  })

  await t.test('everything works with only the keyboard', async t => {
    const { keyboard } = page
    const hasFocus = async (what: string) => t.equal(await page.evaluate(FOCUSED), what, `${what} has the focus`)
    await choose('2A')
    await page.getByLabel('Add from the catalogue').focus()
    await page.locator('#found > div').first().waitFor()
    const description = `document.getElementById(document.activeElement.getAttribute('aria-describedby')).innerText`
    const moves: [key: string, product: string][] = [
      ['Tab', 'Sea-glass mug'],
      ['ArrowUp', 'カップ'],
      ['ArrowDown', 'Sea-glass mug'],
      ['End', 'カップ'],
      ['Home', 'Sea-glass mug'],
      ['ArrowDown', 'Herring throw']
    ]
    for (const [key, product] of moves) {
      await keyboard.press(key)
      await hasFocus(`Add ${product}`)
    }
    t.match(await page.evaluate(description), /THROW\s+£64\.95, in stock/, 'and is described')
    await keyboard.press('Enter')
    t.equal(await page.textContent('#status'), 'Herring throw is in the bag.')
    await keyboard.press('Tab')
    await hasFocus('SKU')
    await keyboard.press('Shift+Tab')
    await hasFocus('Add from the catalogue')
    await keyboard.press('ArrowDown')
    await hasFocus('Add Herring throw')
    await keyboard.press('Escape')
    await hasFocus('Add from the catalogue')
    t.equal(await page.locator('#found').isVisible(), false, 'Escape closes the catalogue')
    await page.getByLabel('Reference of the order').fill('r-1')
    await keyboard.press('Enter')
    await frame.locator('[data-sku]').first().waitFor()
    await page.locator('#close').focus()
    await keyboard.press('Enter')
    await hasFocus('Stay')
    await keyboard.press('Enter')
    await hasFocus('Close the web view')
    await choose('1')
    await preset('Unknown SKU')
    await page.locator('#view .go').focus()
    await keyboard.press('Enter')
    await page.locator('#phone[data-shows=error]').waitFor()
    await hasFocus('OK')
    await keyboard.press('Enter')
    await hasFocus('Checkout')
  })
  t.strictSame(violations, [], 'no violation of the content security policy')
  t.strictSame(alerts, [], 'no injected script ran, and none of ours failed')
})

t.test('a shop with several ways in gets the same bag by the one that is chosen', async t => {
  const transfer = [
    { option: '1', path: '/cart' },
    { option: 'meta', path: '/meta' }
  ]
  const merchants = [
    { ...merchantFile('1', { publicUrl: '/shop' }), transfer },
    merchantFile('2A', { id: 'other', publicUrl: '/other' })
  ]
  const { page, alerts, checkOut, steps, shown } = await open(t, { merchants })
  t.equal(await page.locator('#merchant option').first().innerText(), 'The Shop (2 ways in)')
  await page.getByLabel('Quantity').first().fill('3')
  await page.getByLabel('Way in').selectOption('meta (Meta Checkout URL)')
  await page.waitForURL(/#shop=shop&way=meta&/)
  await page.reload()
  t.equal(await page.getByLabel('Way in').inputValue(), 'meta', 'the address of the page says it')
  t.equal(await page.getByLabel('A new reference for every checkout').isChecked(), true)
  await checkOut()
  t.match(await steps(), ['The app builds the request', 'The shop redirects the web view'])
  t.strictSame(await shown(), ['MUG × 3', 'THROW × 2'])
  await page.getByLabel('Reference of the order').fill('a'.repeat(32))
  await page.getByLabel('Way in').selectOption('1')
  t.equal(
    await page.getByLabel('Reference of the order').inputValue(),
    'a'.repeat(32),
    'a reference that was typed stays'
  )
  await checkOut()
  t.match(await steps(), ['The platform sends the bag'])
  t.strictSame(await shown(), ['MUG × 3', 'THROW × 2'])
  await page.getByLabel('Shop').selectOption('other')
  t.equal(await page.getByLabel('Way in').isVisible(), false, 'a single way is not asked for')
  t.strictSame(alerts, [])
})

t.test('a bag is followed into a shop of its own, and ordered there', async t => {
  const clock = () => new Date()
  let own = ''
  const shop = await openDemoShop({ port: 0, ownOrigin: () => own, clock })
  t.teardown(shop.close)
  const merchants = ['1', '2A'].map(name => ({
    ...shopFile(name, `${shop.origin}/app-cart`, { hasFeed: name === '1', id: `by-${name}`.toLowerCase() }),
    // The first is where that shop reports its orders.
    publicUrl: name === '1' ? '/orchard' : '/by-2a',
    currencies: ['EUR']
  }))
  const feed = readFileSync(join(ROOT, 'config/orchard/feed.tsv'), 'utf8')
  const variables = { SHOP_SECRET: shop.variables.ORCHARD_SHOP_SECRET }
  const parts = { merchants, feed, variables, isNow: true }
  const { page, frame, alerts, origins, origin, checkOut, choose, steps } = await open(t, parts)
  own = origin
  t.equal(await page.locator('#while-shopping').isDisabled(), true, 'what only that shop could do cannot be chosen')
  await checkOut()
  await frame.getByRole('heading', { name: 'Your bag' }).waitFor()
  t.strictSame(await frame.locator('html').evaluate(ORCHARD_LINES), ['OL-JUICE × 1', 'OL-CHUTNEY × 2'])
  await until('the pictures of the shop', () => frame.locator('html').evaluate(HAS_PICTURES))
  t.ok(origins.has(shop.origin))
  await frame.getByRole('button', { name: /Order and pay/ }).click()
  await until('the order', async () => /order complete, OL-\d+/.test(await page.innerText('#sees')))
  await frame.getByRole('link', { name: 'Back to the app' }).waitFor()
  await page.getByRole('heading', { name: 'The shop reports the order to this server' }).waitFor()
  t.match((await steps()).slice(-5), [
    'The shopper presses a button',
    'The shop reports the order to this server',
    'The shop redirects the web view',
    'The web view follows the redirect',
    'The next page opens in the web view'
  ])
  const report = page.locator('#step-list > li', { hasText: 'The shop reports the order' })
  t.match(await report.innerText(), /POST http:\/\/127\.0\.0\.1:\d+\/orchard\/orders/)
  t.equal(
    await report.getByRole('button', { name: 'Edit and resend' }).count(),
    0,
    'it is not for the web view to send'
  )

  await choose('2A')
  t.notOk(await page.locator('#catalogue').isVisible(), 'a shop without a feed has nothing to search')
  t.match(await page.textContent('#preset-says'), 'Type SKUs')
  await page.getByLabel('SKU', { exact: true }).fill('OL-HONEY')
  await checkOut()
  t.match(await steps(), [
    'The app builds the request',
    'The web view is led into the shop',
    'The web view follows the redirect',
    'A page of the shop’s own opens in the web view'
  ])
  await frame.getByText('Blossom honey').waitFor()
  t.strictSame(alerts, [])
})

t.test('the parts of a description that iOS refuses are marked', async t => {
  const options = describedOtherwise(() => ({
    url: 'http://127.0.0.1:3000/a b',
    httpMethod: 'GET',
    body: 'x=1',
    cookies: [{ name: 'a', value: 'b', expireDate: '2026-11-20T10:00:00.000Z' }]
  }))
  const { page, checkOut, legs } = await open(t, { merchants: [merchantFile('1', { publicUrl: '/shop' })], options })
  await checkOut()
  const verdicts = await page.locator('.described .pill').allInnerTexts()
  t.strictSame(verdicts, ['refused', 'used', 'refused', 'doubtful', 'used'])
  t.match(await page.locator('.described > .refused').last().textContent(), 'iOS cannot send a GET with a body')
  t.equal(await page.getAttribute('#phone', 'data-shows'), 'error')
  t.strictSame(await legs(), ['bag done', 'description failed'])
  t.match(await page.textContent('#legs [data-state=failed]'), 'The shop answers with a description that iOS refuses')
})

t.test(
  'on narrow and wide screens, nothing overflows, touch targets are large, and every field has a label',
  async t => {
    const { page, frame, choose, preset, checkOut, shown } = await open(t, {
      feed: `${FEED}\n${'W'.repeat(128)}\tW\t\tin_stock\t1 GBP\t`
    })
    const fits = async (what: string) => {
      for (const size of [NARROW, { width: 900, height: 800 }, WIDE]) {
        await page.setViewportSize(size)
        const found = await page.evaluate(`[${OVERFLOW}, ${SMALL_TARGETS}, ${UNNAMED}]`)
        t.strictSame(found, [0, [], []], `${what}, ${size.width} px`)
      }
    }
    const isAccessible = async () => t.strictSame(await page.evaluate(RUN_AXE), [], 'axe finds nothing')
    await page.evaluate(AXE)
    await fits('at the start')
    await choose('2A')
    await page.getByLabel('Add from the catalogue').fill('')
    await page.locator('#found > div').first().waitFor()
    await isAccessible()
    await fits('the catalogue')
    await preset('50 items')
    await checkOut()
    t.equal(((await shown()) as unknown[]).length, 50)
    await fits('fifty items')
    await choose('2B')
    await preset('Hostile SKU')
    await checkOut()
    for (const summary of await page.locator('#step-list summary').all()) await summary.click()
    await page.getByRole('button', { name: 'Edit and resend' }).click()
    await page.getByLabel('Width', { exact: true }).selectOption('430')
    await fits('all steps unfolded')
    await page.setViewportSize(NARROW)
    t.equal(await frame.locator('html').evaluate('innerWidth'), 430, 'the page is as wide as was chosen')
    await until('the phone is shrunk to what the screen has room for', async () => {
      const box = await page.locator('#view iframe').boundingBox()
      return box !== null && box.x + box.width <= NARROW.width
    })
    await isAccessible()
    await choose('1')
    await preset('Unknown SKU')
    await page.setViewportSize(NARROW)
    await checkOut()
    await until('the picture is on the narrow screen', () => page.evaluate(isOnScreen('#legs')))
    await page.emulateMedia({ colorScheme: 'dark' })
    await fits('a refusal')
    await isAccessible()
  }
)
