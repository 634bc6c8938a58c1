// The bag of the simulator page: filled from presets, from the catalogue or by hand; the server sends it.
import { openCatalogue } from './simulator-catalogue.js'
import { byId, element, written } from './simulator-element.js'
import { openPhone } from './simulator-phone.js'
import { showSteps, showWatched } from './simulator-steps.js'

const merchants = JSON.parse(byId('merchants').textContent)
let [merchant] = merchants
let lines = []
/** The bag that was sent last. */
let sent
let isBusy = false
const phone = openPhone(() => lines, showWatched)
const catalogue = openCatalogue(() => merchant.id, addProduct)

function say(text) {
  byId('status').textContent = text
}

/** A random UUID as 32 hexadecimal digits, which every option accepts. */
function newReference() {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  bytes[6] = (bytes[6] & 0x0f) | 0x40
  bytes[8] = (bytes[8] & 0x3f) | 0x80
  return Array.from(bytes, byte => byte.toString(16).padStart(2, '0')).join('')
}

function chooseMerchant(id) {
  merchant = merchants.find(candidate => candidate.id === id)
  byId('option').textContent = `Option ${merchant.option}, ${merchant.title}.`
  byId('meaning').textContent = merchant.meaning
  byId('currencies').replaceChildren(...merchant.currencies.map(value => element('option', { value })))
  byId('presets').replaceChildren(...merchant.presets.map(presetButton))
  byId('reference').value = newReference()
  forget()
  say('')
  phone.idle()
  showSteps([])
  usePreset(merchant.presets[0])
  catalogue.startOver()
}

function presetButton(preset) {
  const button = element('button', { type: 'button', ariaPressed: 'false' }, preset.name)
  button.addEventListener('click', () => usePreset(preset))
  return button
}

function usePreset(preset) {
  byId('currency').value = preset.currency
  byId('preset-says').textContent = preset.says
  for (const button of byId('presets').children) button.ariaPressed = String(button.textContent === preset.name)
  lines = preset.lines.map(line => ({ ...line }))
  showLines()
}

function showLines() {
  byId('count').textContent = lines.length === 1 ? '1 line' : `${written(lines.length)} lines`
  byId('lines').className = merchant.sendsPrices ? 'priced' : ''
  byId('lines').replaceChildren(...lines.map(lineItem))
  phone.bagChanged()
}

function lineItem(line, i) {
  const field = (key, label) => {
    const input = element('input', { value: line[key] ?? '', spellcheck: false, autocapitalize: 'off' })
    input.addEventListener('input', () => {
      line[key] = input.value
      phone.bagChanged()
    })
    return element('label', { className: key }, element('span', {}, label), input)
  }
  const remove = element('button', { type: 'button', className: 'remove', ariaLabel: `Remove line ${i + 1}` }, '✕')
  remove.addEventListener('click', () => {
    lines.splice(i, 1)
    showLines()
    const next = byId('lines').children[Math.min(i, lines.length - 1)]
    ;(next?.querySelector('.remove') ?? byId('add-line')).focus()
  })
  return element(
    'li',
    {},
    line.title === undefined ? undefined : element('p', { className: 'soft' }, line.title),
    field('sku', 'SKU'),
    field('quantity', 'Quantity'),
    merchant.sendsPrices ? field('price', 'Price shown') : undefined,
    remove
  )
}

/** Adds one of a product: to its line, or as a new line. */
function addProduct({ sku, title, offers }) {
  const same = lines.find(line => line.sku === sku && /^\d+$/.test(line.quantity))
  const offer = offers.find(({ currency }) => currency === byId('currency').value)
  if (same) same.quantity = String(Number(same.quantity) + 1)
  else lines.push({ sku, title, quantity: '1', ...(offer && { price: offer.amount }) })
  showLines()
  say(`${title} is in the bag.`)
}

/** A bag that was sent to one shop cannot be sent again to another. */
function forget() {
  sent = undefined
  byId('again').disabled = true
  byId('again-changed').disabled = true
}

async function checkOut() {
  if (isBusy) return
  if (byId('fresh').checked && sent?.cart.reference === byId('reference').value)
    byId('reference').value = newReference()
  const items = lines.map(({ sku, quantity, price }) => ({
    sku,
    quantity,
    ...(merchant.sendsPrices && price && { price })
  }))
  await send({
    merchant: merchant.id,
    cart: { items, currency: byId('currency').value, reference: byId('reference').value }
  })
}

async function send(transfer) {
  const { app } = merchant
  isBusy = true
  byId('bag').ariaBusy = 'true'
  say('The bag is on its way …')
  phone.waits()
  if (matchMedia('(max-width: 759px)').matches) byId('phone').scrollIntoView()
  try {
    const answer = await fetch('/simulator/transfers', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(transfer)
    })
    const { steps, page, detail } = await answer.json().catch(() => ({}))
    if (!steps) throw new Error(detail ?? `the answer was ${answer.status}`)
    // Another shop has been chosen in the meantime.
    if (transfer.merchant !== merchant.id) return phone.idle()
    sent = transfer
    byId('again').disabled = false
    byId('again-changed').disabled = false
    showSteps(steps)
    if (page) phone.open(page, app)
    else phone.fails()
    say(page ? `The web view shows the shop’s page, status ${page.status}.` : 'The app shows its generic error.')
  } catch (error) {
    phone.idle()
    say(`The simulator could not send this: ${error.message}`)
  } finally {
    isBusy = false
    byId('bag').ariaBusy = 'false'
  }
}

/** Sends the last reference again: with the same bag, or with another. */
function again(change) {
  if (isBusy) return
  const { cart } = sent
  const items = change(cart.items)
  lines = items.map(item => ({ ...item, title: lines.find(({ sku }) => sku === item.sku)?.title }))
  byId('currency').value = cart.currency
  byId('reference').value = cart.reference
  showLines()
  send({ ...sent, cart: { ...cart, items } })
}

/** Another bag: one more of its first item, or a second line of it. */
function oneMore([first, ...rest]) {
  if (!first) return [{ sku: 'ANOTHER', quantity: '1' }]
  return /^\d+$/.test(first.quantity)
    ? [{ ...first, quantity: `${Number(first.quantity) + 1}` }, ...rest]
    : [first, first, ...rest]
}

byId('merchant').append(
  ...merchants.map(({ id, name, option }) => element('option', { value: id }, `${name} (option ${option})`))
)
byId('merchant').addEventListener('change', event => chooseMerchant(event.target.value))
byId('add-line').addEventListener('click', () => {
  lines.push({ sku: '', quantity: '1' })
  showLines()
  byId('lines').lastElementChild.querySelector('input').focus()
})
byId('reference').addEventListener('input', () => {
  byId('fresh').checked = false
})
byId('bag').addEventListener('submit', event => {
  event.preventDefault()
  checkOut()
})
byId('again').addEventListener('click', () => again(items => items))
byId('again-changed').addEventListener('click', () => again(oneMore))

chooseMerchant(merchant.id)
