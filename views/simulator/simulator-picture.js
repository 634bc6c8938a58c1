// The picture of a bag's way between app, platform and shop. Each leg lights up when it has been travelled.
import { byId, element } from './simulator-element.js'

const STATES = { done: ', done', failed: ', failed' }

function legItem({ leg, to, byPlatform, says }) {
  const way = `${to === 'shop' ? 'From the app' : 'From the shop'}${byPlatform ? ' by way of the platform' : ''} to the ${to}: `
  const item = element(
    'li',
    { className: `to-${to}${byPlatform ? ' by-platform' : ''}` },
    element(
      'span',
      {},
      element('span', { className: 'unseen' }, way),
      element('span', { className: 'says' }, says),
      element('span', { className: 'unseen state' })
    )
  )
  item.dataset.leg = leg
  item.dataset.says = says
  return item
}

/** Draws the legs of an option, none of them lit. */
export function drawPicture({ way, title, meaning, legs }) {
  byId('option').textContent = `Option ${way}, ${title}.`
  byId('meaning').textContent = meaning
  byId('parties').className = legs.some(({ byPlatform }) => byPlatform) ? '' : 'no-platform'
  byId('legs').replaceChildren(...legs.map(legItem))
}

function light(leg, state, says) {
  const item = byId('legs').querySelector(`[data-leg=${leg}]`)
  if (!item || item.dataset.state === 'failed') return
  item.dataset.state = state
  item.querySelector('.state').textContent = STATES[state]
  if (says) item.querySelector('.says').textContent = says
}

/** Lights the legs of these steps up, one after the other; the leg where something failed says what. */
export function lightSteps(steps) {
  for (const item of byId('legs').children) {
    delete item.dataset.state
    item.querySelector('.state').textContent = ''
    item.querySelector('.says').textContent = item.dataset.says
  }
  // What was lit before lights up anew.
  byId('legs').getBoundingClientRect()
  let leg
  for (const step of steps) {
    leg = step.leg ?? leg
    if (step.isFailure) light(leg, 'failed', step.title)
    else light(leg, 'done')
  }
}

export function lightOrder() {
  light('order', 'done')
}
