// The page in the phone: how wide, how dark and how large its text is, what the app understands of it, and the requests
// that are made by pressing something in it.
import { byId, element } from './simulator-element.js'

/** Where bag, phone and steps are below each other. */
export const narrow = matchMedia('(max-width: 899px)')

const TEXT_TYPE = 'application/x-www-form-urlencoded'

/** The text of every media query that has been changed, as the page has it. */
const original = new WeakMap()

/** That of an iPhone with the bar above it, in pixels. */
const KEYBOARD = 336
const KEYS = ['QWERTYUIOP', 'ASDFGHJKL', 'ZXCVBNM']
/** Of the window, what is around the phone in it, in pixels. */
const AROUND = 108

let frame

/** Shrinks a page that is wider or higher than there is room for; it is still laid out at its own size. */
function fit() {
  const [width, height] = ['width', 'height'].map(id => Number(byId(id).value))
  const [view, device] = [byId('view'), byId('device')]
  device.className = height ? 'device measured' : 'device'
  const above = narrow.matches ? 0 : byId('look').offsetHeight
  const room = innerHeight - AROUND - above - (device.offsetHeight - view.offsetHeight)
  const most = height ? Math.min(1, room / height) : 1
  byId('phone').style.setProperty('--width', `${Math.floor(width * most)}px`)
  const scale = Math.min(most, view.clientWidth / width)
  view.style.height = height ? `${Math.floor(height * scale)}px` : ''
  byId('screen').style.setProperty('--scale', scale)
  byId('keys').hidden = byId('keyboard').value === ''
  const size = { width: `${width}px`, height: `${height || view.clientHeight / scale}px`, scale: `${scale}` }
  if (frame) Object.assign(frame.style, size)
}

byId('keys').append(
  ...KEYS.map(row =>
    element(
      'div',
      {},
      Array.from(row, key => element('span', {}, key))
    )
  )
)

/** A frame with a page from this origin. @param loaded called with its document, or null if it cannot be read */
export function pageFrame(src, loaded) {
  frame = element('iframe', {
    src,
    title: 'The shop’s page, as the shopper sees it',
    sandbox: 'allow-forms allow-same-origin',
    // What is pressed before the page is watched would be sent as the page itself sends it.
    inert: true
  })
  frame.addEventListener('load', () => {
    frame.inert = false
    look()
    // The keyboard does not cover the field that is typed in.
    frame.contentDocument?.addEventListener('focusin', ({ target }) => {
      if (byId('keyboard').value) target.scrollIntoView({ block: 'nearest' })
    })
    loaded(frame.contentDocument)
  })
  fit()
  return frame
}

new ResizeObserver(fit).observe(byId('view'))
addEventListener('resize', fit)

/** Applies what is chosen for the phone to it and to the page that it shows. */
export function look() {
  byId('screen').dataset.colours = byId('colours').value
  fit()
  const page = frame?.contentDocument
  if (!page?.documentElement) return
  // As with a larger default size in a browser's settings: sizes in rem follow it.
  const { style } = page.documentElement
  style.fontSize = byId('text').value === '100' ? '' : `${byId('text').value}%`
  // A keyboard covers the page, which can be scrolled as much further.
  style.paddingBottom = style.scrollPaddingBottom = byId('keyboard').value && `${KEYBOARD}px`
  style.colorScheme = ''
  const colours = byId('colours').value
  if (getComputedStyle(page.documentElement).colorScheme.includes(colours)) style.colorScheme = colours
  for (const query of mediaQueriesOf(page)) {
    if (!original.has(query)) original.set(query, query.mediaText)
    query.mediaText = original.get(query).replace(/\(prefers-color-scheme:\s*(\w+)\)/g, (asIs, scheme) => {
      if (colours === '') return asIs
      return scheme === colours ? '(min-width: 0px)' : '(max-width: 0px)'
    })
  }
}

/** A frame cannot be told which colours its page should prefer, so the page's own questions about it are answered. */
function mediaQueriesOf(page) {
  const within = rules =>
    Array.from(rules).flatMap(rule => [...(rule.media ? [rule.media] : []), ...within(rule.cssRules ?? [])])
  return Array.from(page.styleSheets).flatMap(sheet => within(rulesOf(sheet)))
}

/** The rules of a style sheet from another origin, as a shop's own page may have, cannot be read. */
function rulesOf(sheet) {
  try {
    return sheet.cssRules
  } catch {
    return []
  }
}

/** What an app reads from a page that its web view shows (REAL-APP.md 8 to 10). */
export function understand(page, url, app) {
  const summary = page.getElementById('order')
  const byTitle = page.title.includes(app.completeTitle)
  const byUrl = url.includes(app.completeUrl)
  const number = new URL(url).searchParams.get(app.orderParameter)
  return {
    title: page.title,
    url,
    byTitle,
    byUrl,
    isComplete: byTitle || byUrl,
    ...(number !== null && { number }),
    ...(summary && { summary: readJson(summary.textContent) })
  }
}

function readJson(text) {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Where a press on a link or a button leads, as the page writes it; undefined if it is neither. */
export function addressOf({ type, target, submitter }) {
  if (type === 'click') return target.closest('a[href]')?.getAttribute('href')
  return submitter?.getAttribute('formaction') ?? target.getAttribute('action') ?? ''
}

/** The request of a press; undefined if it makes none, such as a link within the page. */
export function requestOf(event, pageUrl) {
  const address = addressOf(event)
  if (address === undefined || address.startsWith('#')) return undefined
  const url = URL.parse(address, pageUrl)
  if (!url?.protocol.startsWith('http')) return undefined
  if (event.type === 'click') return { method: 'GET', url: url.href, headers: [] }
  const { target: form, submitter } = event
  const fields = new URLSearchParams(new FormData(form, submitter))
  if ((submitter?.getAttribute('formmethod') ?? form.method).toLowerCase() !== 'post') {
    url.search = fields
    return { method: 'GET', url: url.href, headers: [] }
  }
  const headers = [
    { name: 'Content-Type', value: TEXT_TYPE },
    { name: 'Origin', value: new URL(pageUrl).origin }
  ]
  return { method: 'POST', url: url.href, headers, body: String(fields) }
}
