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
      byId('found').replaceChildren(...found.map(product => productItem(product, add)))
      byId('found-says').textContent = found.length === 0 ? 'Nothing found.' : ''
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

function productItem(product, add) {
  const { sku, title, image, offers } = product
  const button = element('button', { type: 'button', ariaLabel: `Add ${title}` }, 'Add')
  button.addEventListener('click', () => add(product))
  const prices = offers.map(({ text, availability }) => `${text}, ${availability}`).join(' · ')
  return element(
    'li',
    {},
    picture(image, title),
    element(
      'div',
      {},
      element('b', {}, title),
      element('span', { className: 'soft' }, sku),
      element('span', { className: 'soft' }, prices)
    ),
    button
  )
}
