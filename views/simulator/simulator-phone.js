// The phone: shows what the shopper sees, and understands each page as an app does (REAL-APP.md 8 to 11).
import { byId, element } from './simulator-element.js'

/** What an app reads from a page that its web view shows. */
function understand(page, url, app) {
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

/** How many lines of the bag fit into the app. */
const MOST_LINES = 6

/**
 * @param bag returns the lines of the bag as the app shows them
 * @param watched called with every page that the web view shows, and with the address that closes it
 */
export function openPhone(bag, watched) {
  const view = byId('view')
  let seen

  function says(text, isGood = false) {
    byId('sees').textContent = text
    byId('sees').className = isGood ? 'complete' : ''
  }
  function show(name, ...children) {
    byId('phone').dataset.shows = name
    byId('bar').hidden = name !== 'page'
    const wasInside = byId('phone').contains(document.activeElement)
    view.replaceChildren(...children)
    // Focus inside the phone moves to whatever can be pressed next.
    const next =
      name === 'page'
        ? byId('close')
        : (view.querySelector('.alert button') ?? view.querySelector('button') ?? byId('phone'))
    if (wasInside) next.focus({ preventScroll: true })
  }
  function message(title, text, ...more) {
    return element('div', { className: 'message' }, element('h3', {}, title), element('p', {}, text), ...more)
  }
  function idle() {
    says('')
    show('idle', appBag())
  }
  function appBag() {
    const lines = bag()
    const items = lines
      .slice(0, MOST_LINES)
      .map(({ sku, title, quantity }) =>
        element('li', {}, element('span', {}, title ?? sku), element('span', {}, `× ${quantity}`))
      )
    const more = lines.length > MOST_LINES ? [element('li', {}, `and ${lines.length - MOST_LINES} more`)] : []
    const checkout = element('button', { className: 'go', type: 'submit' }, 'Checkout')
    checkout.setAttribute('form', 'bag')
    return element('div', { className: 'bag' }, element('h3', {}, 'Your bag'), element('ul', {}, items, more), checkout)
  }
  function backButton() {
    const back = element('button', { type: 'button' }, 'Back to the bag')
    back.addEventListener('click', idle)
    return back
  }
  function leave(url) {
    says('The web view is closed.')
    const link = element('code', {}, url)
    show(
      'left',
      message('Back in the app', 'The app closes the web view and goes on shopping. It knows this:', link, backButton())
    )
    watched({ left: url })
  }

  /** Shows a stored response; links and forms in it go straight to the shop. */
  function open({ frame: src, url: opened }, app) {
    const frame = element('iframe', {
      src,
      title: 'The shop’s page, as the shopper sees it',
      sandbox: 'allow-forms allow-same-origin'
    })
    frame.addEventListener('load', () => {
      const page = frame.contentDocument
      const url = page?.location.pathname.startsWith('/simulator/frames/') ? opened : page?.location.href
      seen = page ? understand(page, url, app) : undefined
      byId('page-title').textContent = seen?.title ?? ''
      byId('page-address').textContent = seen?.url ?? ''
      says(said(seen), seen?.isComplete)
      watched(seen ?? { title: 'A page that cannot be read', url: opened })
      const caught = (event, address) => {
        if (!address?.includes(app.continueUrl)) return
        event.preventDefault()
        leave(address)
      }
      page?.addEventListener(
        'click',
        event => caught(event, event.target.closest('a[href]')?.getAttribute('href')),
        true
      )
      page?.addEventListener('submit', event => caught(event, event.target.getAttribute('action')), true)
    })
    show('page', frame)
  }

  function said(understood) {
    if (!understood) return 'The app cannot read this page.'
    const { isComplete, number = 'without a number' } = understood
    return isComplete ? `The app sees: order complete, ${number}.` : 'The app sees: no order yet.'
  }

  byId('close').addEventListener('click', () => {
    if (seen?.isComplete) return leave('the close button')
    const stay = element('button', { type: 'button' }, 'Stay')
    const go = element('button', { type: 'button', className: 'go' }, 'Leave')
    const question = element('div', { className: 'alert', role: 'alertdialog', 'aria-label': 'Leave the checkout?' })
    question.append(element('h3', {}, 'Leave the checkout?'), element('p', {}, 'Your bag stays in the app.'), stay, go)
    stay.addEventListener('click', () => {
      question.remove()
      byId('close').focus()
    })
    go.addEventListener('click', () => leave('the close button'))
    view.append(question)
    stay.focus()
  })
  return {
    idle,
    open,
    /** Redraws the bag if the app shows it. */
    bagChanged: () => {
      if (byId('phone').dataset.shows === 'idle') idle()
    },
    waits: () => {
      says('')
      show('waits', message('One moment', 'The app hands the bag over …'))
    },
    /** All that an app shows when a checkout fails. */
    fails: () => {
      const ok = element('button', { type: 'button' }, 'OK')
      ok.addEventListener('click', idle)
      const alert = element('div', { className: 'alert', role: 'alertdialog', 'aria-label': 'The app’s generic error' })
      alert.append(element('h3', {}, 'Something went wrong'), element('p', {}, 'Please try again later.'), ok)
      show('error', appBag(), alert)
      says('This is all that the shopper is told.')
    }
  }
}
