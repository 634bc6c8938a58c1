// The phone: shows what the shopper sees, and behaves as an app does (REAL-APP.md 8 to 11).
import { byId, element } from './simulator-element.js'
import { addressOf, pageFrame, requestOf, understand } from './simulator-frame.js'

/** How many lines of the bag fit into the app. */
const MOST_LINES = 6

/**
 * @param bag returns the bag as the app shows it: its lines and their total, amounts as text, and the shop's locale
 * @param watched called with every page that the web view shows, and whether one pays there, and with the address that closes it
 * @param request sends a request as the web view does
 */
export function openPhone(bag, watched, request) {
  const view = byId('view')
  let seen
  /** The address of the payment page, once one has been shown for this bag. */
  let paidAt
  /** The page shown, and what sends a request from it. */
  let shown
  let follow

  function says(text, isGood = false) {
    byId('sees').textContent = text
    byId('sees').className = isGood ? 'complete' : ''
    byId('to-order').hidden = !isGood
    byId('to-payment').hidden = !(isGood && paidAt)
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
    const { lines, total, locale } = bag()
    const items = lines.slice(0, MOST_LINES).map(bagItem)
    const more =
      lines.length > MOST_LINES ? [element('li', { lang: 'en' }, `and ${lines.length - MOST_LINES} more`)] : []
    const checkout = element('button', { className: 'go', type: 'submit' }, 'Checkout')
    checkout.setAttribute('form', 'bag')
    const sum = element('p', { className: 'sum' }, element('span', {}, 'Total'), element('b', {}, total ?? ''))
    return element(
      'div',
      { className: 'bag' },
      element('h3', {}, 'Your bag'),
      element('ul', { lang: locale }, items, more),
      element('div', { className: 'pay' }, total === undefined ? undefined : sum, checkout)
    )
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

  /** Shows the answer to a request; what is pressed in it is sent in the same way, so that it is in the same language. */
  function open(answer, app, fragment = '') {
    const { frame: src, url, isPayment } = answer
    if (isPayment) paidAt = url
    const isFocused = view.contains(document.activeElement)
    let isSending = false
    const frame = pageFrame(src + fragment, page => {
      seen = page ? understand(page, url, app) : undefined
      byId('page-title').textContent = seen?.title ?? ''
      byId('page-address').textContent = url
      says(said(seen), seen?.isComplete)
      watched(seen ?? { title: 'A page that cannot be read', url }, isPayment)
      for (const kind of ['click', 'submit']) page?.addEventListener(kind, pressed, true)
      if (isFocused) frame.focus({ preventScroll: true })
      // In a frame without scripts nothing gets the focus by itself, as it does in a web view.
      page?.querySelector('[autofocus]')?.focus()
    })

    function pressed(event) {
      const address = addressOf(event)
      const made = requestOf(event, url)
      const isLeaving = address?.includes(app.continueUrl)
      if (isLeaving || made) event.preventDefault()
      if (isLeaving) return leave(address)
      if (made) send(made)
    }

    async function send(made) {
      if (isSending) return
      isSending = true
      byId('view').ariaBusy = 'true'
      const { page, says: failure } = await request(made)
      byId('view').ariaBusy = 'false'
      isSending = false
      // The shopper may have left in the meantime.
      if (!frame.isConnected) return
      if (page) open(page, app, URL.parse(made.url).hash)
      else says(failure)
    }
    shown = answer
    follow = send
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
  byId('to-payment').addEventListener('click', () => follow({ method: 'GET', url: paidAt, headers: [] }))
  return {
    idle,
    open,
    /** The page that the web view shows, if any, as it was given to `open`. */
    page: () => (byId('phone').dataset.shows === 'page' ? shown : undefined),
    /** Sends a request as if it had been pressed in the page that the web view shows. */
    follow: made => follow(made),
    waits: () => {
      paidAt = undefined
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

function bagItem({ title, image, quantity, amount }) {
  return element(
    'li',
    {},
    picture(image, title),
    element('div', {}, element('b', {}, title), element('span', { className: 'soft', lang: 'en' }, `Qty ${quantity}`)),
    amount === undefined ? undefined : element('span', {}, amount)
  )
}

/** A product's picture, or else the first letter of its name. */
export function picture(image, title) {
  if (image !== undefined) return element('img', { src: image, alt: '' })
  const [letter = ''] = new Intl.Segmenter().segment(title.trim())
  return element('i', { ariaHidden: 'true' }, letter.segment?.toUpperCase() ?? '')
}
