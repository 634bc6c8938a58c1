// The steps of a transfer, worded by the server, with everything that was sent and answered.
import { byId, element, written } from './simulator-element.js'
import { jsonCode, pre } from './simulator-json.js'
import { folded, requestPart, rows } from './simulator-request.js'

const VERDICTS = { used: 'used', doubtful: 'doubtful', ignored: 'ignored', refused: 'refused' }

/** @param resend sends a request in place of that of a step */
export function showSteps(steps, resend) {
  byId('step-list').replaceChildren(...steps.map(step => stepItem(step, resend)))
  byId('watched').replaceChildren()
  byId('watch').hidden = true
}

/** Adds what follows the steps that are shown. */
export function addSteps(steps, resend) {
  byId('step-list').append(...steps.map(step => stepItem(step, resend)))
}

/** What is shown instead of steps if nothing could be sent. */
export function failedStep(says) {
  return { title: 'Nothing was sent', says, isFailure: true }
}

function stepItem({ title, says, isFailure, request, answer, described }, resend) {
  return element(
    'li',
    { className: isFailure ? 'card failure' : 'card' },
    element('h3', {}, title),
    element('p', { className: 'soft' }, says),
    request && requestPart(request, resend),
    answer && answerHead(answer),
    described && describedPart(described),
    answer && reasons(answer),
    answer && answerPart(answer)
  )
}

function answerHead({ status, statusText, milliseconds, size }) {
  const className = status >= 400 ? 'pill refused' : status >= 300 ? 'pill ignored' : 'pill used'
  const facts = `${written(milliseconds)} ms, ${written(size)} bytes`
  return element(
    'p',
    {},
    element('span', { className }, `${status} ${statusText}`),
    element('span', { className: 'soft' }, ` ${facts}`)
  )
}

/** The mistakes of a refusal, one per field. */
function reasons({ mistakes }) {
  const items = mistakes.map(({ at, says }) =>
    element('li', {}, at === '' ? undefined : element('code', {}, at), ` ${says}`)
  )
  return items.length > 0 ? element('ul', { className: 'reasons' }, items) : undefined
}

/** Open if it says what to mend. */
function answerPart({ headers, text, isCut, mistakes }) {
  return element(
    'div',
    {},
    folded(`Headers (${headers.length})`, rows(headers)),
    text === '' ? undefined : folded(isCut ? 'Body (its beginning)' : 'Body', pre(text), mistakes.length > 0)
  )
}

/** Open if there is something to mend. */
function describedPart(fields) {
  const isOpen = fields.some(({ verdict }) => verdict === 'refused' || verdict === 'doubtful')
  const list = element('ul', { className: 'described' }, fields.map(describedField))
  return folded(`What the app does with each field (${fields.length})`, list, isOpen)
}

function describedField({ at, value, verdict, says }) {
  return element(
    'li',
    { className: verdict },
    element(
      'p',
      {},
      element('code', {}, at),
      ' ',
      element('span', { className: `pill ${verdict}` }, VERDICTS[verdict])
    ),
    jsonCode(value),
    element('p', { className: 'soft' }, says)
  )
}

/** Adds what the app understood of a page, the newest first. */
export function showWatched({ left, title, url, byTitle, byUrl, isComplete, number, summary }) {
  const lines = []
  if (left !== undefined)
    lines.push(element('b', {}, 'The app closes the web view and goes on shopping'), element('code', {}, left))
  else {
    const how = [byTitle && 'its title', byUrl && 'its address'].filter(Boolean).join(' and ')
    lines.push(
      element('b', {}, isComplete ? `Order complete, known by ${how}` : 'No order yet'),
      element('span', {}, title),
      element('code', {}, url)
    )
    if (isComplete) lines.push(element('span', {}, `Order number: ${number ?? 'none in the address'}`))
    if (summary) {
      const pairs = Object.entries(summary).map(([name, value]) => ({ name, value: String(value) }))
      lines.push(element('span', {}, 'What the app’s script reads from the page:'), rows(pairs))
    }
  }
  byId('watched').prepend(element('li', { className: isComplete ? 'complete' : '' }, lines))
  byId('watch').hidden = false
}
