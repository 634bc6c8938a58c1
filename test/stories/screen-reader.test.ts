// What a screen reader gets from the pages: landmarks, headings, names and roles, and the announcement after a mistake. In
// `npm test` each page in one language, by turns.
import type { Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { languages } from '../../src/messages/messages.ts'
import { createTranslator, type Translator } from '../../src/messages/translator.ts'
import { inTurn } from '../nightly.ts'
import { openBrowser } from './open-browser.ts'
import { openStory } from './stories.ts'
import { openStoryShop } from './story-shop.ts'

type Role = Parameters<Page['getByRole']>[0]

async function hasOne(t: Test, page: Page, role: Role, name?: string): Promise<void> {
  t.equal(await page.getByRole(role, name === undefined ? {} : { name }).count(), 1, `one ${role} ${name ?? ''}`)
}

const FOCUSED = "document.activeElement.getAttribute('role')"

/** The stories, and what is checked of each. */
const PAGES: Record<string, (t: Test, page: Page, translate: Translator['translate']) => Promise<void>> = {
  checkout: async (t, page, translate) => {
    for (const landmark of ['banner', 'main', 'contentinfo'] as const) await hasOne(t, page, landmark)
    t.equal(await page.getByRole('heading', { level: 1 }).innerText(), translate('checkout'))
    t.equal(await page.getByRole('listitem').count(), 3, 'the lines are a list')
    await hasOne(t, page, 'group', translate('delivery-method'))
    t.equal(await page.getByRole('radio').count(), 2)
    const sale = await page.locator('p:has(s)').innerText()
    t.ok(
      sale.startsWith(translate('was')),
      'words say what a struck price is, as few readers announce that it is struck'
    )
    await hasOne(t, page, 'button', translate('place-order'))
    await hasOne(t, page, 'combobox', translate('country'))
    await hasOne(t, page, 'link', translate('back-to-app'))
    for (const name of ['email', 'name', 'address1', 'city', 'postcode']) {
      const field = page.locator(`#${name}`)
      t.not(await field.getAttribute('required'), null, `${name} is required`)
      t.equal(await page.evaluate(`document.getElementById('${name}').labels.length`), 1, 'and has a label')
    }
  },
  'checkout-mistakes': async (t, page, translate) => {
    const alert = page.getByRole('alert')
    t.match(await alert.innerText(), translate('check-details'))
    await page.locator('[autofocus]:focus').waitFor()
    t.equal(await page.evaluate(FOCUSED), 'alert', 'the summary of mistakes is read first')
    for (const name of ['email', 'address1', 'city', 'postcode']) {
      const field = page.locator(`#${name}`)
      t.equal(await field.getAttribute('aria-invalid'), 'true', name)
      const message = await page.locator(`#${await field.getAttribute('aria-describedby')}`).innerText()
      t.match(await alert.innerText(), message, 'its message is that of the summary')
    }
  },
  'checkout-input-warnings': async (t, page) => {
    const alert = page.getByRole('alert')
    await page.locator('[autofocus]:focus').waitFor()
    t.equal(await page.evaluate(FOCUSED), 'alert', 'what is doubted is read first too')
    t.equal(await alert.count(), 1, 'and once')
    for (const name of ['email', 'address1', 'postcode']) {
      const field = page.locator(`#${name}`)
      t.equal(await field.getAttribute('aria-invalid'), null, `${name} is not wrong`)
      const note = await page.locator(`#${await field.getAttribute('aria-describedby')}`).innerText()
      t.match(await alert.innerText(), note, 'its note is that of the summary')
    }
  },
  confirmation: async (t, page, translate) => {
    t.equal(await page.getByRole('heading', { level: 1 }).innerText(), translate('thank-you'))
    await hasOne(t, page, 'link', translate('continue-shopping'))
  },
  'refused-items': async (t, page, translate) => {
    t.equal(await page.getByRole('heading', { level: 1 }).innerText(), translate('some-unsold'))
    t.equal(await page.getByRole('main').getByRole('listitem').count(), 4, 'each item of the bag')
    await hasOne(t, page, 'link', translate('back-to-app'))
  }
}

t.test('names, roles and announcements', async t => {
  const shop = await openStoryShop(t, 'harbour')
  const browser = await openBrowser(t)
  for (const [i, [name, check]] of Object.entries(PAGES).entries()) {
    for (const language of inTurn(Object.keys(languages), i)) {
      t.test(`${name}, ${language}`, async t => {
        const page = await browser.newPage({ extraHTTPHeaders: { 'Accept-Language': language } })
        t.teardown(() => page.close())
        await openStory(name, page, shop)
        await check(t, page, createTranslator(language).translate)
      })
    }
  }
})
