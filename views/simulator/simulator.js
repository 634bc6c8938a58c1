// The simulator page: a bag, the phone that it is in, and what happens to it. The server plays platform and web view.
import { newReference, openBag } from './simulator-bag.js'
import { byId, element, say } from './simulator-element.js'
import { look, narrow } from './simulator-frame.js'
import { readLink, writeLink } from './simulator-link.js'
import { openPhone } from './simulator-phone.js'
import { drawPicture, lightOrder, lightSteps } from './simulator-picture.js'
import { copyButton } from './simulator-request.js'
import { findMessages, post } from './simulator-server.js'
import { addSteps, failedStep, showSteps, showWatched } from './simulator-steps.js'

const merchants = JSON.parse(byId('merchants').textContent)
/** What is chosen for the phone, by the ids of its fields and with their defaults. */
const LOOK = { language: '', width: '390', height: '', keyboard: '', colours: '', text: '100', failure: '' }
/** How long changes must pause before they are kept in the address of this page, in milliseconds. */
const PAUSE = 400
/** How often to ask for the messages about an order, and the pause before it asks again, in milliseconds. */
const MOST_ASKED = 30
const BETWEEN = 1000
/** The shop with the way in that is chosen. */
let merchant
/** The bag that was sent last, and what was sent last: that bag, or a request that somebody has edited. */
let sentBag
let sent
let isBusy = false
let pause
/** A name for what was sent last and all that follows, and what asks for its messages, which waits for what is pressed. */
let journey
let asking
let isPressed = false
const phone = openPhone(() => bag.shown(), watched, request)
const bag = openBag(bagChanged, phoneShowsBag)

function chooseMerchant(id, link) {
  const shop = merchants.find(candidate => candidate.id === id)
  const { ways } = shop
  merchant = { ...shop, ...(ways.find(({ way }) => way === link?.way) ?? ways[0]) }
  byId('merchant').value = id
  byId('ways').hidden = ways.length === 1
  byId('way').replaceChildren(...ways.map(({ way, title }) => element('option', { value: way }, `${way} (${title})`)))
  byId('way').value = merchant.way
  drawPicture(merchant)
  // What a shop of its own sells, and for how long, only that knows.
  byId('while-shopping').disabled = merchant.hasOwnPages
  if (merchant.hasOwnPages && byId('failure').selectedOptions[0].parentElement.id === 'while-shopping')
    byId('failure').value = ''
  sent = undefined
  forgetBag()
  say('')
  showFailure()
  showSteps([])
  bag.choose(merchant, link)
}

/** When what goes wrong takes effect is the label of its group, which nobody sees once it is chosen. */
function showFailure() {
  const { label } = byId('failure').selectedOptions[0].parentElement
  byId('failure-says').textContent = label ?? ''
  byId('failure-says').hidden = label === undefined
}

/** A bag that was sent to one shop cannot be sent again to another. */
function forgetBag() {
  sentBag = undefined
  byId('again').disabled = true
  byId('again-changed').disabled = true
}

/** Whoever changes the bag is in the app. */
function bagChanged() {
  phone.idle()
  keepAddress()
}

function phoneShowsBag() {
  if (byId('phone').dataset.shows === 'idle') phone.idle()
}

/** Keeps everything that is chosen in the address of this page. Safari allows 100 changes in 30 seconds. */
function keepAddress() {
  clearTimeout(pause)
  pause = setTimeout(() => history.replaceState(null, '', address()), PAUSE)
}

/** The bag, with its reference if that is not a new one each time. */
function chosenBag() {
  const { reference, ...typed } = bag.state()
  return { ...typed, ...(!byId('fresh').checked && { reference }) }
}

function address() {
  const chosen = Object.keys(LOOK).filter(name => byId(name).value !== LOOK[name])
  return writeLink({
    shop: merchant.id,
    ...(merchant.way !== merchant.ways[0].way && { way: merchant.way }),
    ...chosenBag(),
    look: Object.fromEntries(chosen.map(name => [name, byId(name).value]))
  })
}

/** Restores everything from the address of this page. */
function restore() {
  const link = readLink(location.hash)
  const isHere = merchants.some(({ id }) => id === link?.shop)
  for (const [name, value] of Object.entries(LOOK)) {
    byId(name).value = link?.look[name] ?? value
    if (byId(name).value === '') byId(name).value = value
  }
  look()
  chooseMerchant(isHere ? link.shop : merchants[0].id, isHere ? link : undefined)
  if (link && !isHere) say(`No shop here is called “${link.shop}”.`)
}

function checkOut() {
  if (isBusy) return
  if (byId('fresh').checked && sentBag?.reference === byId('reference').value) bag.renew()
  const { lines, currency, reference } = bag.state()
  const items = lines.map(({ sku, quantity, price }) => ({ sku, quantity, ...(price && { price }) }))
  sendBag({ items, currency, reference })
}

async function sendBag(cart) {
  if (!(await send('transfers', { cart }))) return
  sentBag = cart
  byId('again').disabled = false
  byId('again-changed').disabled = false
}

/** Sends a bag or a request and shows everything that follows. @returns whether it could be sent */
async function send(path, payload) {
  const to = merchant
  isBusy = true
  journey = newReference()
  byId('steps').ariaBusy = 'true'
  say('The bag is on its way …')
  phone.waits()
  if (narrow.matches) byId('picture').scrollIntoView()
  try {
    const { steps, page } = await post(path, { ...phoneIs(false), ...payload })
    // Another shop has been chosen in the meantime.
    if (to !== merchant) return false
    sent = { path, payload }
    showSteps(steps, resend)
    lightSteps(steps)
    if (page) phone.open({ ...page, asked: lastRequest(steps), isFirst: true }, to.app)
    else phone.fails()
    say(page ? `The web view shows the shop’s page, status ${page.status}.` : 'The app shows its generic error.')
    return true
  } catch (error) {
    phone.idle()
    showSteps([failedStep(error.message)])
    lightSteps([])
    say(`The simulator could not send this: ${error.message}`)
    return false
  } finally {
    isBusy = false
    byId('steps').ariaBusy = 'false'
  }
}

function resend(sender, edited) {
  if (!isBusy) send('requests', { sender, request: edited })
}

/** What the phone is set to. Some things go wrong only after the bag has been handed over. */
function phoneIs(isShopping) {
  const failure = byId('failure').selectedOptions[0]
  const isMet = failure.value !== '' && (isShopping || failure.parentElement.id !== 'while-shopping')
  return {
    merchant: merchant.id,
    way: merchant.way,
    journey,
    language: byId('language').value,
    ...(isMet && { failure: failure.value })
  }
}

/** The request that the page at the end of these steps answers. */
function lastRequest(steps) {
  return steps.findLast(({ request }) => request && request.sender !== 'server').request
}

/** The request of something pressed in the phone. @returns the page that answers it, or why there is none */
async function request(made) {
  const to = merchant
  const { failure, ...set } = phoneIs(true)
  isPressed = true
  try {
    const { steps, page } = await post('requests', {
      ...set,
      ...(failure && { failure }),
      sender: 'shopper',
      request: made
    })
    if (to === merchant) addSteps(steps, resend)
    if (page) say(`The web view shows the ${page.isPayment ? 'payment' : 'shop’s'} page, status ${page.status}.`)
    const leads = `This leads to no page of ${to.name}, and the phone opens no others.`
    return {
      page: page && { ...page, asked: lastRequest(steps) },
      says: failure === 'offline' ? 'The phone has no network: the page stays as it is.' : leads
    }
  } catch (error) {
    return { says: `The simulator could not send this: ${error.message}` }
  } finally {
    isPressed = false
  }
}

/** What the app makes of a page. */
function watched(seen, isPayment) {
  showWatched(seen)
  if (merchant.hasMessages && (seen.isComplete || isPayment)) showMessages()
  if (seen.isComplete) lightOrder()
}

/** Adds what servers tell each other about an order, until it has arrived. */
async function showMessages() {
  const to = journey
  const mine = {}
  asking = mine
  for (let asked = 0; asked < MOST_ASKED && asking === mine && to === journey; asked++) {
    const steps = isPressed ? [] : await findMessages(to).catch(() => [])
    if (to === journey) addSteps(steps)
    if (steps.some(({ isLast }) => isLast)) return
    await new Promise(resolve => setTimeout(resolve, BETWEEN))
  }
}

/** Sends the last reference again: with the same bag, or with another. */
function again(change) {
  if (isBusy) return
  const cart = { ...sentBag, items: change(sentBag.items) }
  byId('reference').value = cart.reference
  bag.fill({ currency: cart.currency, lines: cart.items })
  sendBag(cart)
}

/** Another bag: one more of its first item, or a second line of it. */
function oneMore([first, ...rest]) {
  if (!first) return [{ sku: 'ANOTHER', quantity: '1' }]
  return /^\d+$/.test(first.quantity)
    ? [{ ...first, quantity: `${Number(first.quantity) + 1}` }, ...rest]
    : [first, first, ...rest]
}

/** A page has one language, so it is asked for again, unless that would send a form of the shop again. */
async function changeLanguage() {
  const page = phone.page()
  if (!page || isBusy || byId('view').ariaBusy === 'true') return
  const { method, url, editable } = page.asked
  if (new URL(url).searchParams.has('lang')) {
    say('The address of this page names its language, which counts more than the phone’s. The page can change it.')
  } else if (method === 'GET') {
    say('The web view asks for this page again, in the language chosen.')
    phone.follow({ method, url, headers: editable.filter(({ name }) => !/^accept-language$/i.test(name)) })
  } else if (page.isFirst) {
    await send(sent.path, sent.payload)
    if (phone.page()) say('The bag was sent again, for a page in the language chosen.')
  } else say('This page answers a form, which is not sent again. The next page is in the language chosen.')
}

byId('merchant').append(
  ...merchants.map(({ id, name, ways }) => {
    const how = ways.length === 1 ? `option ${ways[0].way}` : `${ways.length} ways in`
    return element('option', { value: id }, `${name} (${how})`)
  })
)
byId('merchant').addEventListener('change', event => chooseMerchant(event.target.value))
byId('way').addEventListener('change', event => {
  chooseMerchant(merchant.id, { ...chosenBag(), way: event.target.value })
})
for (const name of Object.keys(LOOK)) {
  byId(name).addEventListener('change', () => {
    keepAddress()
    look()
    if (name === 'language') changeLanguage()
    if (name === 'failure') showFailure()
  })
}
byId('bag').addEventListener('submit', event => {
  event.preventDefault()
  checkOut()
})
byId('again').addEventListener('click', () => again(items => items))
byId('again-changed').addEventListener('click', () => again(oneMore))
byId('to-order').addEventListener('click', () => byId('watch').scrollIntoView({ block: 'center' }))
byId('edit').open = !narrow.matches
byId('links').append(copyButton('Copy a link to this bag', () => location.origin + location.pathname + address()))
addEventListener('hashchange', restore)
restore()
