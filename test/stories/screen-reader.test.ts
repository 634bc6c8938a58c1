// What a screen reader gets from the pages: landmarks, headings, names and roles, and the announcement after a mistake.
import t from 'tap'
import { languages } from '../../src/messages/messages.ts'
import { createTranslator } from '../../src/messages/translator.ts'
import { openBrowser } from './open-browser.ts'
import { openStory } from './stories.ts'
import { openStoryShop } from './story-shop.ts'

t.test('names, roles and announcements', async t => {
  const shop = await openStoryShop(t, 'harbour')
  const browser = await openBrowser(t)
  for (const language of Object.keys(languages)) {
    t.test(language, async t => {
      const { say } = createTranslator(language)
      const page = await browser.newPage({ extraHTTPHeaders: { 'Accept-Language': language } })
      t.teardown(() => page.close())
      const hasOne = async (role: Parameters<typeof page.getByRole>[0], name?: string) =>
        t.equal(await page.getByRole(role, name === undefined ? {} : { name }).count(), 1, `one ${role} ${name ?? ''}`)

      await openStory('checkout', page, shop)
      for (const landmark of ['banner', 'main', 'contentinfo'] as const) await hasOne(landmark)
      t.equal(await page.getByRole('heading', { level: 1 }).innerText(), say('checkout'))
      t.equal(await page.getByRole('listitem').count(), 3, 'the lines are a list')
      await hasOne('group', say('delivery-method'))
      t.equal(await page.getByRole('radio').count(), 2)
      const sale = await page.locator('p:has(s)').innerText()
      t.ok(sale.startsWith(say('was')), 'words say what a struck price is, as few readers announce that it is struck')
      await hasOne('button', say('place-order'))
      await hasOne('combobox', say('country'))
      await hasOne('link', say('back-to-app'))
      for (const name of ['email', 'name', 'address1', 'city', 'postcode']) {
        const field = page.locator(`#${name}`)
        t.not(await field.getAttribute('required'), null, `${name} is required`)
        t.equal(await page.evaluate(`document.getElementById('${name}').labels.length`), 1, 'and has a label')
      }

      await openStory('checkout-mistakes', page, shop)
      const alert = page.getByRole('alert')
      t.match(await alert.innerText(), say('check-details'))
      await page.locator('[autofocus]:focus').waitFor()
      const focused = "document.activeElement.getAttribute('role')"
      t.equal(await page.evaluate(focused), 'alert', 'the summary of mistakes is read first')
      for (const name of ['email', 'address1', 'city', 'postcode']) {
        const field = page.locator(`#${name}`)
        t.equal(await field.getAttribute('aria-invalid'), 'true', name)
        const message = await page.locator(`#${await field.getAttribute('aria-describedby')}`).innerText()
        t.match(await alert.innerText(), message, 'its message is that of the summary')
      }

      await openStory('checkout-doubts', page, shop)
      await page.locator('[autofocus]:focus').waitFor()
      t.equal(await page.evaluate(focused), 'alert', 'what is doubted is read first too')
      t.equal(await alert.count(), 1, 'and once')
      for (const name of ['email', 'address1', 'postcode']) {
        const field = page.locator(`#${name}`)
        t.equal(await field.getAttribute('aria-invalid'), null, `${name} is not wrong`)
        const note = await page.locator(`#${await field.getAttribute('aria-describedby')}`).innerText()
        t.match(await alert.innerText(), note, 'its note is that of the summary')
      }

      await openStory('confirmation', page, shop)
      t.equal(await page.getByRole('heading', { level: 1 }).innerText(), say('thank-you'))
      await hasOne('link', say('continue-shopping'))
      await openStory('refused-items', page, shop)
      t.equal(await page.getByRole('heading', { level: 1 }).innerText(), say('some-unsold'))
      t.equal(await page.getByRole('main').getByRole('listitem').count(), 4, 'each item of the bag')
      await hasOne('link', say('back-to-app'))
    })
  }
})
