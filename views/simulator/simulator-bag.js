// The bag in the app: filled from presets, from the catalogue or by hand.
import { openCatalogue } from './simulator-catalogue.js'
import { byId, element, say, written } from './simulator-element.js'
import { findProducts } from './simulator-server.js'

/** How long typing must pause before the products of typed SKUs are fetched, in milliseconds. */
const PAUSE = 200

/** How many products are fetched at once. */
const MOST_FETCHED = 50

/** A random UUID as 32 hexadecimal digits, which every option accepts. */
export function newReference() {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  bytes[6] = (bytes[6] & 0x0f) | 0x40
  bytes[8] = (bytes[8] & 0x3f) | 0x80
  return Array.from(bytes, byte => byte.toString(16).padStart(2, '0')).join('')
}

/**
 * @param changed called when the bag has changed
 * @param learnt called when titles, pictures or prices of products in it are known
 */
export function openBag(changed, learnt) {
  let merchant
  let lines = []
  /** The products that are known, by SKU; undefined for those that the shop does not have. */
  let products
  let pause
  const catalogue = openCatalogue(() => merchant.id, addProduct)

  /** @param link what a permalink has of the bag, if there is one */
  function choose(chosen, link) {
    merchant = chosen
    products = new Map(merchant.products.map(product => [product.sku, product]))
    byId('currencies').replaceChildren(...merchant.currencies.map(value => element('option', { value })))
    byId('presets').replaceChildren(...merchant.presets.map(presetButton))
    byId('fresh').checked = link?.reference === undefined
    byId('reference').value = link?.reference ?? newReference()
    byId('catalogue').hidden = !merchant.hasFeed
    catalogue.startOver()
    fill(link?.currency === undefined ? merchant.presets[0] : link)
  }

  function presetButton(preset) {
    const button = element('button', { type: 'button' }, preset.name)
    button.addEventListener('click', () => fill(preset))
    return button
  }

  function fill(bag) {
    byId('currency').value = bag.currency
    lines = bag.lines.map(line => ({ ...line }))
    showLines()
  }

  function showLines() {
    byId('lines').className = merchant.sendsPrices ? 'priced' : ''
    byId('lines').replaceChildren(...lines.map(lineItem))
    edited()
  }

  function edited() {
    byId('count').textContent = lines.length === 1 ? '1 line' : `${written(lines.length)} lines`
    const { currency } = state()
    const same = merchant.presets.find(
      preset => preset.currency === currency && JSON.stringify(preset.lines) === JSON.stringify(lines)
    )
    for (const [i, button] of Array.from(byId('presets').children).entries()) {
      button.ariaPressed = String(merchant.presets[i] === same)
    }
    byId('preset-says').textContent = same?.says ?? 'A bag of your own.'
    clearTimeout(pause)
    pause = setTimeout(lookUp, PAUSE)
    changed()
  }

  /** Fetches the products of lines that were typed or came with a link. If that fails, the next edit tries again. */
  async function lookUp() {
    const known = products
    const skus = [...new Set(lines.map(({ sku }) => sku))].filter(sku => !known.has(sku)).slice(0, MOST_FETCHED)
    if (skus.length === 0) return
    const query = skus.map(sku => ['sku', sku])
    const found = await findProducts(merchant.id, query).catch(() => undefined)
    // Another shop has been chosen in the meantime.
    if (!found || known !== products) return
    for (const sku of skus) known.set(sku, undefined)
    for (const product of found) known.set(product.sku, product)
    for (const [i, item] of Array.from(byId('lines').children).entries()) {
      item.firstElementChild.textContent = titleOf(lines[i])
    }
    learnt()
    lookUp()
  }

  const titleOf = ({ sku }) => products.get(sku)?.title ?? ''

  function lineItem(line, i) {
    const title = element('p', { className: 'soft' }, titleOf(line))
    const field = (key, label) => {
      const input = element('input', { value: line[key] ?? '', spellcheck: false, autocapitalize: 'off' })
      input.addEventListener('input', () => {
        line[key] = input.value
        title.textContent = titleOf(line)
        edited()
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
      title,
      field('sku', 'SKU'),
      field('quantity', 'Quantity'),
      merchant.sendsPrices ? field('price', 'Price shown') : undefined,
      remove
    )
  }

  const offerOf = (product, currency) => product?.offers.find(offer => offer.currency === currency)

  /** Adds one of a product: to its line, or as a new line. */
  function addProduct(product) {
    const { sku, title } = product
    products.set(sku, product)
    const same = lines.find(line => line.sku === sku && /^\d+$/.test(line.quantity))
    const offer = merchant.sendsPrices ? offerOf(product, byId('currency').value) : undefined
    if (same) same.quantity = String(Number(same.quantity) + 1)
    else lines.push({ sku, quantity: '1', ...(offer && { price: offer.amount }) })
    showLines()
    say(`${title} is in the bag.`)
  }

  /** The bag as it is typed. */
  function state() {
    return { lines, currency: byId('currency').value, reference: byId('reference').value }
  }

  /** The bag as the app shows it: each line with its amount, if its price is known. */
  function shown() {
    const currency = byId('currency').value
    const amounts = []
    const shownLines = lines.map(({ sku, quantity, price }) => {
      const product = products.get(sku)
      const amount = Number(price || (offerOf(product, currency)?.amount ?? Number.NaN)) * Number(quantity)
      amounts.push(amount)
      return { title: product?.title ?? sku, image: product?.image, quantity, amount: moneyText(amount, currency) }
    })
    const total = amounts.reduce((sum, amount) => sum + amount, 0)
    return {
      locale: merchant.locale,
      lines: shownLines,
      total: lines.length > 0 ? moneyText(total, currency) : undefined
    }
  }

  /** Undefined if there is no such amount or currency. */
  function moneyText(amount, currency) {
    if (!Number.isFinite(amount)) return undefined
    try {
      return new Intl.NumberFormat(merchant.locale, { style: 'currency', currency }).format(amount)
    } catch {
      return undefined
    }
  }

  byId('add-line').addEventListener('click', () => {
    lines.push({ sku: '', quantity: '1' })
    showLines()
    byId('lines').lastElementChild.querySelector('input').focus()
  })
  byId('currency').addEventListener('input', edited)
  byId('reference').addEventListener('input', () => {
    byId('fresh').checked = false
    changed()
  })
  byId('fresh').addEventListener('change', changed)
  return {
    choose,
    fill,
    state,
    shown,
    renew: () => {
      byId('reference').value = newReference()
    }
  }
}
