// The layout holds whatever happens to the page: narrow and wide screens, long titles, large numbers, text at twice the
// size, an app's own styles, images that do not load.
import type { Page } from 'playwright-core'
import t from 'tap'
import { openBrowser } from './open-browser.ts'
import { openStory } from './stories.ts'
import { fillIn } from './story.ts'
import { merchantSettings, openStoryShop } from './story-shop.ts'

const OVERFLOW = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'

const SMALL_TARGETS = `Array.from(document.querySelectorAll('a,button:not([aria-hidden]),select,summary,label:has(input),input:not([type=hidden],[type=radio])'))
  .filter(element => element.getBoundingClientRect().height < 44 || element.getBoundingClientRect().width < 44)
  .map(element => element.outerHTML)`

/** Whether the focused element is wholly visible, not under the sticky total. */
const IS_VISIBLE = `(() => {
  const { left, right, top, bottom } = document.activeElement.getBoundingClientRect()
  const at = (x, y) => document.elementFromPoint(x, y)
  const isOwn = element => element && (document.activeElement.contains(element) || element.contains(document.activeElement))
  return top > -1 && bottom < innerHeight + 1 && isOwn(at((left + right) / 2, top + 2)) && isOwn(at((left + right) / 2, bottom - 2))
})()`

const inject = (css: string) =>
  `const sheet = new CSSStyleSheet(); sheet.replaceSync(${JSON.stringify(css)}); document.adoptedStyleSheets = [sheet]`

/** Styles such as apps inject into the pages they show. */
const APP_STYLES =
  '*{font-family:serif!important;letter-spacing:.03em}body{padding:8px}form,.card{position:relative}button{position:static!important}img{max-width:100%;height:auto}h1{font-size:2em}'

t.test('layout', async t => {
  const shop = await openStoryShop(t, 'harbour')
  const browser = await openBrowser(t)
  const openPage = async (language: string, height = 844): Promise<Page> => {
    const page = await browser.newPage({
      viewport: { width: 390, height },
      extraHTTPHeaders: { 'Accept-Language': language }
    })
    t.teardown(() => page.close())
    return page
  }

  for (const language of ['de', 'ar']) {
    t.test(`${language}: no horizontal scrolling and no small touch targets, from 320 to 1280 pixels`, async t => {
      const page = await openPage(language)
      for (const name of [
        'checkout-extremes',
        'checkout-500-lines',
        'checkout-mistakes',
        'confirmation',
        'refused-items'
      ]) {
        await openStory(name, page, shop)
        for (const width of [320, 390, 600, 1280]) {
          await page.setViewportSize({ width, height: 844 })
          t.strictSame(await page.evaluate(`[${OVERFLOW}, ${SMALL_TARGETS}]`), [0, []], `${name} at ${width}`)
        }
        await page.setViewportSize({ width: 320, height: 844 })
        for (const css of ['html{font-size:200%}', APP_STYLES]) {
          await page.evaluate(inject(css))
          t.equal(await page.evaluate(OVERFLOW), 0, `${name} with ${css.slice(0, 20)}`)
        }
      }
    })
  }

  t.test(
    'styles that an app injects as <style> do not break the layout, and apply only if the merchant allows them',
    async t => {
      const checkout = { ...merchantSettings('harbour').checkout, appInjectsStyles: true }
      const page = await openPage('de')
      await page.addInitScript(
        `addEventListener('DOMContentLoaded', () => document.head.append(Object.assign(document.createElement('style'), { textContent: ${JSON.stringify(APP_STYLES)} })))`
      )
      const shopWithStyles = await openStoryShop(t, 'harbour', { checkout })
      for (const [openedShop, fonts] of [
        [shopWithStyles, 'serif'],
        [shop, 'system-ui, sans-serif']
      ] as const) {
        await openStory('checkout-extremes', page, openedShop)
        await page.setViewportSize({ width: 320, height: 844 })
        t.equal(await page.evaluate('getComputedStyle(document.body).fontFamily'), fonts)
        t.strictSame(await page.evaluate(`[${OVERFLOW}, ${SMALL_TARGETS}]`), [0, []])
      }
    }
  )

  t.test('the focused element is always visible, although total and button are sticky', async t => {
    for (const [height, css] of [
      [844, ''],
      [500, ''],
      [844, 'html{font-size:200%}']
    ] as const) {
      const page = await openPage('de', height)
      await openStory('checkout-mistakes', page, shop)
      if (css) await page.evaluate(inject(css))
      await page.locator('#email').focus()
      const isSticky = await page.evaluate(
        "document.querySelector('.pay').getBoundingClientRect().bottom <= innerHeight"
      )
      t.equal(isSticky, height > 576 && !css, 'a short screen, or one with large text, has no sticky total')
      await page.locator('summary').focus()
      await page.keyboard.press('Tab')
      for (; await page.evaluate('document.activeElement !== document.body'); await page.keyboard.press('Tab')) {
        t.ok(
          await page.evaluate(IS_VISIBLE),
          `${height} ${css}: ${await page.evaluate('document.activeElement.outerHTML')}`
        )
      }
      await page.getByRole('alert').getByRole('link').last().click()
      t.ok(await page.evaluate(IS_VISIBLE), 'so is the field that a mistake links to')
    }
  })

  t.test('the total next to the button includes the chosen delivery method', async t => {
    const page = await openPage('en')
    await openStory('checkout', page, shop)
    const total = () => page.locator('.pay p').innerText()
    t.match(await total(), /^Total\s+£106\.50$/)
    await page.getByLabel('Courier').check()
    t.match(await total(), /^Total\s+£111\.95$/)
    const totalsInBag = () => page.locator('.totals div:visible').count()
    t.equal(await totalsInBag(), 1, 'the bag shows no other total, and no other delivery')
    await page.getByLabel('Royal').check()
    t.equal(await totalsInBag(), 3)
  })

  t.test('late images shift nothing, and missing images keep their space', async t => {
    const page = await openPage('en')
    // Apps inject their styles before the first paint: neither these nor images may shift the layout.
    await page.addInitScript(inject(APP_STYLES))
    const shifts = `new Promise(resolve => {
      let sum = 0
      const add = entries => { for (const { value } of entries) sum += value }
      const observer = new PerformanceObserver(list => add(list.getEntries()))
      observer.observe({ type: 'layout-shift', buffered: true })
      // Two frames after the images, any shift has been painted.
      requestAnimationFrame(() => requestAnimationFrame(() => {
        add(observer.takeRecords())
        resolve(sum)
      }))
    })`
    const largest = `new Promise(resolve => new PerformanceObserver(list => resolve(list.getEntries().at(-1).element.tagName))
      .observe({ type: 'largest-contentful-paint', buffered: true }))`
    await page.route('**/pictures/**', async route => {
      await new Promise(resolve => setTimeout(resolve, 300))
      await route.continue()
    })
    await openStory('checkout', page, shop)
    t.equal(await page.evaluate(shifts), 0)
    t.not(await page.evaluate(largest), 'IMG', 'the largest contentful paint is not an image')
    await page.unroute('**/pictures/**')
    await openStory('checkout-no-pictures', page, shop)
    const boxes = await page.evaluate(
      "Array.from(document.querySelectorAll('.lines img'), ({ clientWidth, clientHeight }) => [clientWidth, clientHeight])"
    )
    t.strictSame(boxes, Array(3).fill([72, 72]), 'their space stays')
    const position = "getComputedStyle(document.querySelector('.lines img'), '::after').position"
    t.equal(await page.evaluate(position), 'absolute', 'the browser’s broken-image icon is covered')
  })

  t.test('images below the first screen of a phone load lazily', async t => {
    const page = await openPage('en')
    await openStory('checkout-500-lines', page, shop)
    const loading = (await page.evaluate(
      "Array.from(document.querySelectorAll('.lines img'), ({ loading }) => loading)"
    )) as string[]
    t.equal(loading.length, 500)
    t.strictSame(loading.slice(0, 7), [...Array(6).fill('auto'), 'lazy'])
  })

  t.test('the confirmation prints in dark text on white, without buttons', async t => {
    const page = await openPage('en')
    await openStory('confirmation', page, shop)
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ media: 'print', colorScheme })
      t.notOk(await page.locator('.leave').isVisible())
      t.ok(await page.locator('.number').isVisible())
      const colours = '(({ color, backgroundColor }) => [color, backgroundColor])(getComputedStyle(document.body))'
      t.strictSame(await page.evaluate(colours), ['rgb(18, 37, 43)', 'rgb(255, 255, 255)'], colorScheme)
    }
  })

  t.test('the button that only serves the Enter key can be neither seen nor tapped', async t => {
    const page = await openPage('en')
    await openStory('checkout', page, shop)
    const hit = `(() => {
      const first = document.querySelector('.first')
      first.scrollIntoView({ block: 'center' })
      const { left, top, width, height } = first.getBoundingClientRect()
      return document.elementFromPoint(left + width / 2, top + height / 2) === first
    })()`
    t.equal(await page.evaluate(hit), false)
    for (const css of ['form{position:relative}', 'button{position:static!important;opacity:1!important}']) {
      await page.evaluate(inject(css))
      t.equal(await page.evaluate(hit), false, css)
    }
  })

  t.test('the bag folds and unfolds without a script', async t => {
    const context = await browser.newContext({ javaScriptEnabled: false })
    t.teardown(() => context.close())
    const page = await context.newPage()
    await openStory('checkout', page, shop)
    t.ok(await page.getByText('Wall Tide Clock').isVisible(), 'it is open at first')
    await page.locator('summary').click()
    t.notOk(await page.getByText('Wall Tide Clock').isVisible())
    t.ok(await page.locator('[data-total]').isVisible(), 'the total stays')
    await fillIn(page)
    await page.locator('.go').click()
    await page.locator('.number').waitFor()
  })
})

t.test('there is no animation that reduced motion would have to stop', async t => {
  const { readFileSync } = await import('node:fs')
  for (const name of ['page', 'confirmation', 'problem']) {
    const css = readFileSync(new URL(`../../views/${name}.css`, import.meta.url), 'utf8')
    t.notMatch(css, /animation|transition|scroll-behavior|@import|url\(|@font-face/, name)
  }
})
