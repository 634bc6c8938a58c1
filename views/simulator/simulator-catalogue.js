// Searches the catalogue of a shop: a list shown over the bag.
import { byId, element } from './simulator-element.js'
import { picture } from './simulator-phone.js'
import { findProducts } from './simulator-server.js'

/** How long typing must pause before a search, in milliseconds. */
const PAUSE = 200

/**
 * @param merchantId returns the id of the shop whose catalogue is searched
 * @param add adds a product to the bag
 */
export function openCatalogue(merchantId, add) {
  let searching = new AbortController()
  let pause

  async function search() {
    searching.abort()
    searching = new AbortController()
    const { signal } = searching
    try {
      const found = await findProducts(merchantId(), [['q', byId('search').value]], { signal })
      byId('found').replaceChildren(...found.map((product, i) => productItem(product, add, i)))
      byId('found-says').textContent = found.length === 0 ? 'Nothing found.' : saysFound(found.length)
    } catch (error) {
      if (error.name !== 'AbortError') byId('found-says').textContent = 'The catalogue cannot be searched right now.'
    }
  }

  byId('search').addEventListener('focus', () => {
    byId('found').hidden = false
    byId('found').scrollIntoView({ block: 'nearest' })
  })
  byId('search').addEventListener('input', () => {
    byId('found').hidden = false
    clearTimeout(pause)
    pause = setTimeout(search, PAUSE)
  })
  byId('search').addEventListener('keydown', event => {
    if (event.key === 'Enter') event.preventDefault()
    if (event.key !== 'ArrowDown' || !byId('found').firstElementChild) return
    event.preventDefault()
    byId('found').hidden = false
    byId('found').querySelector('[tabindex="0"]').focus()
  })
  // A vertical toolbar, as its pattern says: one stop of the Tab key, and arrow keys within.
  byId('found').addEventListener('keydown', event => {
    const buttons = Array.from(byId('found').querySelectorAll('button'))
    const at = buttons.indexOf(event.target)
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: -1 }[event.key]
    if (to === undefined) return
    event.preventDefault()
    buttons.at(to % buttons.length).focus()
  })
  byId('found').addEventListener('focusin', ({ target }) => {
    for (const button of byId('found').querySelectorAll('button')) button.tabIndex = button === target ? 0 : -1
  })
  byId('catalogue').addEventListener('keydown', event => {
    if (event.key !== 'Escape') return
    byId('search').focus()
    byId('found').hidden = true
  })
  for (const kind of ['focusin', 'click']) {
    document.addEventListener(kind, ({ target }) => {
      if (!byId('catalogue').contains(target)) byId('found').hidden = true
    })
  }
  return {
    /** Switches to another shop and lists its products from the beginning. */
    startOver: () => {
      byId('search').value = ''
      byId('found').replaceChildren()
      search()
    }
  }
}

function saysFound(count) {
  return count === 1 ? 'One product.' : `${count} products; the arrow keys move between them.`
}

function productItem(product, add, i) {
  const { sku, title, image, offers } = product
  const id = `found-${i}`
  const properties = { type: 'button', ariaLabel: `Add ${title}`, tabIndex: i === 0 ? 0 : -1 }
  const button = element('button', { ...properties, 'aria-describedby': id }, 'Add')
  button.addEventListener('click', () => add(product))
  const prices = offers.map(({ text, availability }) => `${text}, ${availability}`).join(' · ')
  return element(
    'div',
    {},
    picture(image, title),
    element(
      'div',
      { id },
      element('b', {}, title),
      element('span', { className: 'soft' }, sku),
      element('span', { className: 'soft' }, prices)
    ),
    button
  )
}
