// The layout holds whatever happens to the page: narrow and wide screens and fonts, long titles, large numbers, text at
// twice the size, an app's own styles, images that do not load. In `npm test` a few of these together, nightly all.
import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import t from 'tap'
import { inTurn, isNightly, nightly } from '../nightly.ts'
import { type Fonts, MEASURED, showIn } from './fonts.ts'
import { openBrowser } from './open-browser.ts'
import { openStory } from './stories.ts'
import { merchantSettings, openStoryShop } from './story-shop.ts'

const OVERFLOW = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'

const SMALL_TARGETS = `Array.from(document.querySelectorAll('a,button:not([hidden]),select,summary,label:has(input),input:not([type=hidden],[type=radio])'))
  .filter(element => element.getBoundingClientRect().height < 44 || element.getBoundingClientRect().width < 44)
  .map(element => element.outerHTML)`

/** A phone zooms into fields with smaller text. */
const ZOOMING = `Array.from(document.querySelectorAll('input:not([type=radio]),select'))
  .filter(element => parseFloat(getComputedStyle(element).fontSize) < 16).map(({ name }) => name)`

/** Whether the focused element is wholly visible, not under the sticky total. */
const IS_VISIBLE = `(() => {
  const { left, right, top, bottom } = document.activeElement.getBoundingClientRect()
  const at = (x, y) => document.elementFromPoint(x, y)
  const isOwn = element => element && (document.activeElement.contains(element) || element.contains(document.activeElement))
  return top > -1 && bottom < innerHeight + 1 && isOwn(at((left + right) / 2, top + 2)) && isOwn(at((left + right) / 2, bottom - 2))
})()`

/** Most bags of stories are folded on a phone. */
const UNFOLD = "document.querySelector('.bag details')?.setAttribute('open', '')"

/** Then what has been loaded is painted. */
const TWO_FRAMES = 'new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))'

/** No image is waited for: while they are on their way, only text can be painted. */
const TEXT_PAINTED = `new Promise(done => new PerformanceObserver(list => {
  if (list.getEntriesByName('first-contentful-paint').length > 0) done()
}).observe({ type: 'paint', buffered: true }))`

/** How much has moved since the whole page was painted. Two frames after the images, any shift has been painted. */
const SHIFTS = `new Promise(resolve => {
  let sum = 0
  const add = entries => {
    for (const { value, startTime } of entries) if (startTime > painted) sum += value
  }
  const observer = new PerformanceObserver(list => add(list.getEntries()))
  observer.observe({ type: 'layout-shift', buffered: true })
  requestAnimationFrame(() => requestAnimationFrame(() => {
    add(observer.takeRecords())
    resolve(sum)
  }))
})`

/** @param size such as `390 × 664` */
const resize = (page: Page, size: string) => {
  const [width = 0, height = 0] = size.split(' × ').map(Number)
  return page.setViewportSize({ width, height })
}

const inject = (css: string) =>
  `const sheet = new CSSStyleSheet(); sheet.replaceSync(${JSON.stringify(css)}); document.adoptedStyleSheets = [globalThis.fontSheet ?? [], sheet].flat()`

/** Styles such as apps inject into the pages they show. */
const stylesOfApp = (fonts: Fonts = 'own') =>
  `*{${fonts === 'own' ? 'font-family:serif!important;' : ''}letter-spacing:.03em}body{padding:8px}form,.card{position:relative}button{position:static!important}img{max-width:100%;height:auto}h1{font-size:2em}`

const EVERYWHERE = [
  ...['checkout-extremes', 'checkout-mistakes', 'checkout-500-lines'],
  ...['confirmation', 'order-placed', 'refused-items']
]

/** In which each of them is shown: nightly in all, otherwise by turns, the first in the first. */
const SHOWN = [
  ['de', 'narrow'],
  ['ja', 'wide'],
  ['ar', 'own'],
  ['ja', 'own'],
  ['ar', 'wide'],
  ['de', 'wide'],
  ['de', 'own'],
  ['ja', 'narrow'],
  ['ar', 'narrow']
] as const satisfies [string, Fonts][]

type Shown = { height?: number; fonts?: Fonts }

t.test('layout', async t => {
  const shop = await openStoryShop(t, 'harbour')
  const browser = await openBrowser(t)
  const openPage = async (language: string, { height = 844, fonts = 'own' }: Shown = {}): Promise<Page> => {
    const page = await browser.newPage({
      viewport: { width: 390, height },
      extraHTTPHeaders: { 'Accept-Language': language }
    })
    t.teardown(() => page.close())
    await showIn(page, fonts, language)
    return page
  }
  const opened = new Map<string, Page>()
  /** In a page that tests share, as a new one costs more than most of them. */
  const openAt = async (name: string, language = 'en', { height = 844, fonts = 'own' }: Shown = {}): Promise<Page> => {
    const key = `${language}, ${fonts}`
    const page = opened.get(key) ?? (await openPage(language, { fonts }))
    opened.set(key, page)
    await page.setViewportSize({ width: 390, height })
    await openStory(name, page, shop)
    return page
  }

  for (const [i, name] of EVERYWHERE.entries()) {
    for (const [language, fonts] of isNightly ? SHOWN : [SHOWN[i] as (typeof SHOWN)[0]]) {
      t.test(
        `${name}, ${language}, ${fonts} font: no horizontal scrolling, small touch targets or fields that zoom, from 320 to 1280 pixels`,
        async t => {
          const page = await openAt(name, language, { fonts })
          for (const width of fonts === 'own' ? [320, 390, 700, 1280] : [320, 1280]) {
            await page.setViewportSize({ width, height: 844 })
            const found = await page.evaluate(`[${OVERFLOW}, ${SMALL_TARGETS}, ${ZOOMING}]`)
            t.strictSame(found, [0, [], []], `at ${width}`)
          }
          await page.setViewportSize({ width: 320, height: 844 })
          for (const css of ['html{font-size:200%}', stylesOfApp(fonts)]) {
            await page.evaluate(inject(css))
            t.equal(await page.evaluate(OVERFLOW), 0, `with ${css.slice(0, 20)}`)
          }
        }
      )
    }
  }

  t.test('styles that an app injects as <style> apply only if the merchant allows them, and break nothing', async t => {
    const checkout = { ...merchantSettings('harbour').checkout, appInjectsStyles: true }
    const page = await openPage('de')
    await page.addInitScript(
      `addEventListener('DOMContentLoaded', () => document.head.append(Object.assign(document.createElement('style'), { textContent: ${JSON.stringify(stylesOfApp())} })))`
    )
    const shops = { serif: await openStoryShop(t, 'harbour', { checkout }), 'ui-serif, Georgia, serif': shop }
    for (const [fonts, openedShop] of Object.entries(shops)) {
      await openStory('checkout-extremes', page, openedShop)
      await page.setViewportSize({ width: 320, height: 844 })
      t.equal(await page.evaluate('getComputedStyle(document.body).fontFamily'), fonts)
      t.strictSame(await page.evaluate(`[${OVERFLOW}, ${SMALL_TARGETS}]`), [0, []])
    }
  })

  t.test('the focused element is always visible, although total and button are sticky', async t => {
    const kinds: [string, Fonts][] = [
      ['844 large', 'wide'],
      ['280', 'own'],
      ...nightly<[string, Fonts]>([
        ['844', 'own'],
        ['500', 'narrow']
      ])
    ]
    for (const [kind, fonts] of kinds) {
      const height = Number.parseInt(kind, 10)
      const page = await openAt('checkout-mistakes', 'de', { height, fonts })
      if (kind.includes('large')) await page.evaluate(inject('html{font-size:200%}'))
      await page.locator('[name=email]').focus()
      const bar = "document.querySelector('.pay').getBoundingClientRect()"
      const isSticky = await page.evaluate(`${bar}.bottom <= innerHeight`)
      t.equal(isSticky, height > 288, 'only a screen that is too low for them has no sticky total and button')
      await page.locator('.bag summary').focus()
      await page.keyboard.press('Tab')
      for (;;) {
        const [focused, isVisible, corners] = (await page.evaluate(
          `document.activeElement === document.body ? [] :
            [document.activeElement.outerHTML, ${IS_VISIBLE}, getComputedStyle(document.activeElement).borderRadius]`
        )) as [string?, boolean?, string?]
        if (focused === undefined) break
        // The list of lines may be longer than the window.
        t.ok(isVisible || focused.startsWith('<ul'), `${kind}: ${focused}`)
        t.not(corners, '0px', 'its ring has corners')
        await page.keyboard.press('Tab')
      }
      await page.getByRole('alert').getByRole('link').last().click()
      t.ok(await page.evaluate(IS_VISIBLE), 'so is the field that a mistake links to')
    }
  })

  t.test('a link in the summary of mistakes leads to the field, with its label and what is wrong in view', async t => {
    const inView = `(() => {
      const field = document.activeElement
      const bar = document.querySelector('.pay').getBoundingClientRect().top
      const parts = [field, field.labels[0], document.getElementById(field.getAttribute('aria-describedby'))]
      return [field.name, parts.every(part => part.getBoundingClientRect().top >= 0 && part.getBoundingClientRect().bottom <= bar)]
    })()`
    const shown: [string, string, Fonts][] = [
      ['checkout-mistakes', '320 × 568', 'wide'],
      ['checkout-input-warnings', '390 × 664', 'narrow'],
      ...nightly<[string, string, Fonts]>([
        ['checkout-mistakes', '390 × 664', 'own'],
        ['checkout-input-warnings', '320 × 568', 'wide']
      ])
    ]
    for (const [name, size, fonts] of shown) {
      const page = await openAt(name, 'de', { fonts })
      await resize(page, size)
      for (const link of await page.getByRole('alert').getByRole('link').all()) {
        await link.click()
        const field = (await link.getAttribute('href'))?.slice(1)
        t.strictSame(await page.evaluate(inView), [field, true], `${name}: ${field} at ${size}, ${fonts} font`)
      }
    }
  })

  t.test('what has the focus after a refusal goes from edge to edge on a phone, as all else does', async t => {
    const page = await openAt('checkout-mistakes')
    const corners = 'getComputedStyle(document.activeElement).borderRadius'
    t.equal(await page.evaluate(corners), '0px')
    await resize(page, '700 × 844')
    t.equal(await page.evaluate(corners), '10px')
  })

  t.test('postcode and city are side by side on a phone, and below each other on a narrow one', async t => {
    const werft = await openStoryShop(t, 'werft')
    const tops = "new Set(['postcode', 'city'].map(id => document.getElementById(id).getBoundingClientRect().top)).size"
    for (const fonts of inTurn(MEASURED, 0)) {
      const page = await openPage('en', { fonts })
      await openStory('checkout', page, werft)
      for (const [size, rows] of Object.entries({ '360 × 664': 1, '320 × 664': 2 })) {
        await resize(page, size)
        t.equal(await page.evaluate(tops), rows, `${size}, ${fonts} font`)
      }
      await resize(page, '390 × 664')
      await page.evaluate(inject('html{font-size:200%}'))
      t.equal(await page.evaluate(tops), 2, 'so are they at twice the text size')
    }
    const page = await openPage('en')
    await openStory('checkout-input-warnings', page, werft)
    t.equal(await page.evaluate(tops), 2, 'and where one of them has a sentence above it')
  })

  t.test('the bag and the bar always show the chosen delivery method and its total', async t => {
    const page = await openAt('checkout')
    const texts = async () => {
      const all = await Promise.all(['.totals', '.pay p'].map(part => page.locator(part).innerText()))
      return all.map(text => text.split(/\s*\n\s*/))
    }
    const shows = async (method: string, price: string, total: string) => {
      const totals = ['Subtotal', '£102.00', method, price, 'Total', total]
      t.strictSame(await texts(), [totals, ['Total', total]])
    }
    await shows('Royal post', '£4.50', '£106.50')
    await page.getByLabel('Courier').check()
    await shows('Courier', '£9.95', '£111.95')
    await page.getByLabel('Royal').check()
    await shows('Royal post', '£4.50', '£106.50')

    // A slow network answers late, so that the button itself has to show that it was pressed.
    const opacity = () => page.evaluate("getComputedStyle(document.querySelector('.go')).opacity")
    t.equal(await opacity(), '1')
    await page.locator('.go').hover()
    await page.mouse.down()
    t.equal(await opacity(), '0.6', 'a press shows')
    await page.mouse.move(0, 0)
    await page.mouse.up()
    const delay = "getComputedStyle(document.querySelector('.go')).transitionDelay"
    t.equal(await page.evaluate(delay), '15s', 'and does so for a while once it is released')

    await page.evaluate(`for (const sheet of document.styleSheets) {
      for (let i = sheet.cssRules.length - 1; i >= 0; i--) {
        if (sheet.cssRules[i].cssText.includes(':has(')) sheet.deleteRule(i)
      }
    }`)
    t.notOk(await page.locator('.pay p').isVisible(), 'without :has(), no total that could be that of another method')
    t.match(await page.locator('.totals').innerText(), /Royal.*£106\.50.*Courier.*£111\.95/s)
  })

  t.test('the bag stands beside the form from 900 pixels, and above it otherwise', async t => {
    const page = await openAt('checkout')
    const isBeside = `(([bag, form]) => bag.top === form.top && bag.left > form.left)
      (['.bag', 'form'].map(part => document.querySelector(part).getBoundingClientRect()))`
    await resize(page, '899 × 844')
    t.equal(await page.evaluate(isBeside), false)
    await resize(page, '900 × 844')
    t.equal(await page.evaluate(isBeside), true)
  })

  for (const fonts of inTurn(MEASURED, 1)) {
    t.test(
      `${fonts} font: on a phone a long bag is folded: four small pictures, which a tap unfolds, and the form on the first screen`,
      async t => {
        const page = await openAt('checkout-500-lines', 'en', { fonts })
        const pictures = `(list => Array.from(list.querySelectorAll('img'), image => image.getBoundingClientRect())
      .filter(({ left, right }) => left >= 16 && right <= list.getBoundingClientRect().right)
      .map(({ width, height }) => [Math.round(width), Math.round(height)]))(document.querySelector('.lines'))`
        t.strictSame(await page.evaluate(pictures), Array(4).fill([40, 40]))
        const email = page.locator('[name=email]')
        const bar = "document.querySelector('.pay').getBoundingClientRect().top"
        t.ok(
          Number((await email.boundingBox())?.y) + 48 < Number(await page.evaluate(bar)),
          'the first field is in view'
        )
        t.equal(await page.getByRole('listitem').count(), 500, 'screen readers have the whole bag')
        const loading = "Array.from(document.querySelectorAll('.lines img'), ({ loading }) => loading)"
        const expected = [...Array(6).fill('auto'), ...Array(494).fill('lazy')]
        t.strictSame(await page.evaluate(loading), expected, 'images below the first screen load lazily')
        const heading = async () => Math.round(Number((await page.locator('.bag h2').boundingBox())?.y))
        const before = await heading()
        const box = await page.locator('.lines').boundingBox()
        await page.mouse.click(Number(box?.x) + 60, Number(box?.y) + 20)
        t.equal(await page.evaluate("document.querySelector('.bag details').open"), true)
        t.strictSame((await page.locator('.lines img').first().boundingBox())?.width, 72)
        t.equal(await heading(), before, 'its heading stays where it was')
      }
    )
  }

  t.test('beside the form the whole bag is open, stays in view and scrolls by itself', async t => {
    const page = await openAt('checkout-500-lines', 'en', { fonts: 'wide' })
    await resize(page, '1280 × 800')
    t.equal((await page.locator('.lines img').nth(4).boundingBox())?.width, 72)
    await page.evaluate('scrollTo(0, 600)')
    const [top, height, contents] = (await page.evaluate(
      `(list => [document.querySelector('.bag').getBoundingClientRect().top, list.clientHeight, list.scrollHeight])
      (document.querySelector('.lines'))`
    )) as [number, number, number]
    t.equal(top, 16)
    t.ok(height < 700 && contents > 10_000, `${height} of ${contents} pixels`)
    t.equal(await page.evaluate("document.querySelector('.lines').tabIndex"), 0, 'and scroll by keyboard')
    const bottoms = `['.total:not(.by), .total.on', '.bag'].map(part => document.querySelector(part).getBoundingClientRect().bottom)`
    const [total, bag] = (await page.evaluate(bottoms)) as [number, number]
    t.ok(total < bag && bag < 800, `the total at ${total} and the bag at ${bag} pixels are in view`)
    const arrow = "getComputedStyle(document.querySelector('.bag summary'), '::after').display"
    t.equal(await page.evaluate(arrow), 'none', 'there is nothing to unfold')
    const focused = "document.querySelector('.bag summary').focus(), document.activeElement.tagName"
    t.equal(await page.evaluate(focused), 'BODY', 'the heading is no tab stop')
    t.strictSame(await page.locator('.bag h2, .bag summary span').filter({ visible: true }).count(), 2, 'but in view')
    await openStory('checkout', page, shop)
    t.equal(await page.evaluate("document.querySelector('.lines').tabIndex"), 0, 'three lines may scroll, too')
  })

  t.test('beside the form, a shadow says that there are more lines, while there are', async t => {
    const list = "document.querySelector('.lines')"
    const hasShadow = async (page: Page) => {
      const { x = 0, y = 0, width = 0, height = 0 } = (await page.locator('.lines').boundingBox()) ?? {}
      const clip = { x: Math.ceil(x), y: Math.round(y + height) - 10, width: Math.floor(width), height: 10 }
      const shown = await page.screenshot({ clip })
      await page.evaluate(`${list}.style.background = 'none'`)
      const without = await page.screenshot({ clip })
      await page.evaluate(`${list}.style.background = ''`)
      return !shown.equals(without)
    }
    for (const [name, ...shadows] of [
      ['checkout-folded', true, false],
      ['checkout-mistakes', false, false]
    ] as const) {
      const page = await openAt(name)
      await resize(page, '1280 × 800')
      const atTop = await hasShadow(page)
      await page.evaluate(`${list}.scrollTop = ${list}.scrollHeight`)
      t.strictSame([atTop, await hasShadow(page)], shadows, name)
    }
  })

  t.test('an amount stays whole on a phone at twice its size', async t => {
    for (const fonts of inTurn(MEASURED, 2)) {
      const page = await openAt('checkout-notes', 'en', { fonts })
      await page.evaluate(UNFOLD)
      await resize(page, '195 × 422')
      t.equal(await page.evaluate(OVERFLOW), 0)
      const broken = `Array.from(document.querySelectorAll('.lines b,dd,.pay b,label b'), element => {
      const text = document.createRange()
      text.selectNodeContents(element)
      return new Set(Array.from(text.getClientRects(), ({ top }) => top)).size > 1 ? [element.textContent] : []
    }).flat()`
      t.strictSame(await page.evaluate(broken), [])
      const [select, button] = await Promise.all(
        ['[name=country]', '.row button'].map(part => page.locator(part).boundingBox())
      )
      t.equal(
        Number(button?.y) - Number(select?.y) - Number(select?.height),
        8,
        'the button below the country stands off'
      )
    }
    const page = await openAt('checkout-500-lines')
    await resize(page, '195 × 422')
    t.equal(await page.evaluate(OVERFLOW), 0, 'the pictures of a folded bag are no wider than the screen')
    const [fourth, list] = await Promise.all([
      page.locator('.lines img').nth(3).boundingBox(),
      page.locator('.lines').boundingBox()
    ])
    const room = Number(list?.x) + Number(list?.width) - Number(fourth?.x) - Number(fourth?.width)
    t.ok(room > 30, `${room} pixels are left for how many there are besides`)
  })

  t.test('a wide logo is whole on a phone at twice its size, also with another for dark mode', async t => {
    const page = await openPage('en')
    await openStory('checkout', page, await openStoryShop(t, 'werft'))
    await resize(page, '195 × 422')
    const isWhole = async (how: string) => {
      const { width, height } = (await page.locator('.logo').boundingBox()) ?? {}
      t.strictSame([await page.evaluate(OVERFLOW), width, height], [0, 163, 36], how)
    }
    await isWhole('alone')
    await page.evaluate(`{
      const pair = document.createElement('picture')
      const logo = document.querySelector('.logo')
      logo.replaceWith(pair)
      pair.append(logo)
    }`)
    await isWhole('in a pair')
  })

  t.test('the number of an order is selected by one tap', async t => {
    const page = await openAt('confirmation')
    await page.locator('.number').click()
    t.equal(await page.evaluate('getSelection().toString()'), await page.locator('.number').innerText())
  })

  t.test('total and button are in view on the first screen, and at every place up to the end of the form', async t => {
    const isBarInView = `(() => {
      const bar = document.querySelector('.pay').getBoundingClientRect()
      const button = document.querySelector('.go').getBoundingClientRect()
      return bar.top >= 0 && button.bottom <= innerHeight + 1 && document.elementFromPoint(button.left + button.width / 2, button.top + button.height / 2).className === 'go'
    })()`
    const places = ['0', "document.querySelector('form').offsetTop - 100", "document.querySelector('.pay').offsetTop"]
    const shown: [string, Fonts][] = [
      ['checkout-mistakes', 'wide'],
      ['checkout-500-lines', 'own'],
      ['checkout', 'narrow']
    ]
    for (const [name, fonts] of inTurn(shown, 0)) {
      const page = await openAt(name, 'de', { height: 664, fonts })
      // 330 pixels is what a phone has left while its keyboard is open.
      for (const size of ['320 × 568', '390 × 664', '390 × 330', '430 × 932']) {
        await resize(page, size)
        for (const place of places) {
          await page.evaluate(`scrollTo(0, ${place})`)
          t.equal(await page.evaluate(isBarInView), true, `${name} at ${size}, ${place}`)
        }
      }
    }
  })

  t.test('at twice the text size, words of usual length stay whole on a narrow phone', async t => {
    const names = ['checkout-notes', 'checkout-mistakes', 'confirmation']
    for (const fonts of inTurn(MEASURED, 1)) {
      const page = await openPage('de', { fonts })
      await page.setViewportSize({ width: 320, height: 844 })
      for (const name of fonts === 'wide' ? names : names.slice(0, 1)) {
        await openStory(name, page, shop)
        await page.evaluate(inject('html{font-size:200%}'))
        await page.evaluate(UNFOLD)
        const broken = `Array.from(document.querySelectorAll('h1,h2,summary,label,dt,dd,.lines b,.lines p'), parent => {
        const texts = Array.from(parent.childNodes).filter(({ nodeType }) => nodeType === Node.TEXT_NODE)
        return texts.flatMap(text => Array.from(text.data.matchAll(/(?<!\\S)\\S{2,9}(?!\\S)/g)).filter(({ 0: word, index }) => {
          const range = document.createRange()
          range.setStart(text, index)
          range.setEnd(text, index + word.length)
          return new Set(Array.from(range.getClientRects(), ({ top }) => top)).size > 1
        })).map(([word]) => word)
      }).flat()`
        t.strictSame(await page.evaluate(broken), [], `${name}, ${fonts} font`)
      }
    }
  })

  t.test('amounts stand in one place: at the end of each line, whatever the language', async t => {
    const shown: [string, Fonts][] = [
      ['de', 'narrow'],
      ['ar', 'own'],
      ...nightly<[string, Fonts]>([
        ['en', 'own'],
        ['fr', 'wide'],
        ['ar', 'narrow'],
        ['ja', 'wide']
      ])
    ]
    for (const [language, fonts] of shown) {
      const page = await openAt('checkout-extremes', language, { fonts })
      await page.evaluate(UNFOLD)
      for (const width of [320, 390]) {
        await page.setViewportSize({ width, height: 844 })
        const ends = await page.evaluate(`Array.from(document.querySelectorAll('.lines b,dd'), element => {
          const { left, right } = element.getBoundingClientRect()
          return Math.round(document.dir === 'rtl' ? left : right)
        }).filter((end, i, all) => end > 0 && all.indexOf(end) === i)`)
        t.equal((ends as number[]).length, 1, `${language} at ${width}`)
      }
      // A name that takes two lines, from left to right, begins where the page does.
      const begins = await page.evaluate(`(() => {
        const logo = document.querySelector('.logo')
        const name = Object.assign(document.createElement('bdi'), { textContent: 'Harbour Goods and Daughters of Whitby Ltd' })
        logo.replaceWith(name)
        const text = document.createRange()
        text.selectNodeContents(name)
        const { left, right } = Array.from(text.getClientRects()).at(-1)
        return Math.round(document.dir === 'rtl' ? innerWidth - right : left)
      })()`)
      t.equal(begins, 16, `${language}: the shop’s name`)
    }
  })

  t.test('text is painted while images are on their way, which shift nothing when they come', async t => {
    for (const fonts of inTurn(MEASURED, 2)) {
      const page = await openPage('en', { fonts })
      // Apps inject their styles before the first paint. A browser may paint a page that it is still parsing, and what is
      // parsed then moves it: only what moves once the whole page was painted counts, which is when images begin to arrive.
      await page.addInitScript(inject(stylesOfApp(fonts)))
      await page.route(/\/(pictures|logo)/, async route => {
        await page.waitForLoadState('domcontentloaded')
        await page.evaluate(
          `${TEXT_PAINTED}.then(() => ${TWO_FRAMES}).then(() => { globalThis.painted ??= performance.now() })`
        )
        await route.continue()
      })
      await openStory('checkout', page, shop)
      t.equal(
        await page.evaluate('Array.from(document.images).filter(({ naturalWidth }) => naturalWidth > 0).length'),
        4
      )
      t.equal(await page.evaluate(SHIFTS), 0, `${fonts} font`)
    }
  })

  t.test('missing images keep their space', async t => {
    const page = await openAt('checkout-no-pictures')
    const boxes =
      "Array.from(document.querySelectorAll('.lines :is(img,.img)'), ({ clientWidth, clientHeight }) => [clientWidth, clientHeight])"
    t.strictSame(await page.evaluate(boxes), Array(3).fill([72, 72]), 'their space stays')
    const letter = "getComputedStyle(document.querySelector('.lines .img'), '::before').content"
    t.equal(await page.evaluate(letter), '"W" / ""', 'a product without a picture has its first letter')
    const position = "getComputedStyle(document.querySelector('.lines img'), '::after').position"
    t.equal(await page.evaluate(position), 'absolute', 'the browser’s broken-image icon is covered')
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
})

t.test('there is no animation that reduced motion would have to stop: what changes late, changes at once', async t => {
  for (const name of ['page', 'sale', 'extra', 'confirmation', 'problem']) {
    const css = readFileSync(new URL(`../../views/${name}.css`, import.meta.url), 'utf8')
    t.notMatch(
      css.replaceAll(/transition:(?:none|opacity 0s 15s)/g, ''),
      /animation|transition|scroll-behavior|@import|url\(|@font-face/,
      name
    )
  }
})
