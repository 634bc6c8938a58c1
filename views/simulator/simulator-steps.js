// The steps of a transfer, worded by the server, with everything that was sent and answered.
import { byId, element, written } from './simulator-element.js'

/** Rows beyond this number are folded away. */
const MOST_OPEN = 8

const VERDICTS = { used: 'used', doubtful: 'doubtful', ignored: 'ignored', refused: 'refused' }

export function showSteps(steps) {
  byId('step-list').replaceChildren(...steps.map(stepItem))
  byId('watched').replaceChildren()
  byId('watch').hidden = true
}

function stepItem({ title, says, isFailure, request, answer, described }) {
  return element(
    'li',
    { className: isFailure ? 'card failure' : 'card' },
    element('h3', {}, title),
    element('p', { className: 'soft' }, says),
    request && requestPart(request),
    answer && answerHead(answer),
    described && element('ul', { className: 'described' }, described.map(describedField)),
    answer && reasons(answer),
    answer && answerPart(answer)
  )
}

function requestPart({ method, url, urlLength, isTooLong, headers, body, fields, curl }) {
  const length = `${written(urlLength)} characters${isTooLong ? ', and the contract allows 2,048: this can stop a checkout' : ''}`
  const copy = element('button', { type: 'button', className: 'copy' }, 'Copy as curl')
  copy.addEventListener('click', async () => {
    if (!(await copied(curl))) return copy.replaceWith(pre(curl))
    copy.textContent = 'Copied'
    setTimeout(() => {
      copy.textContent = 'Copy as curl'
    }, 3000)
  })
  return element(
    'div',
    { className: 'sent' },
    element(
      'pre',
      { className: 'line', tabIndex: 0, ariaLabel: 'Method and address' },
      element('b', {}, method),
      ` ${url}`
    ),
    element('p', { className: isTooLong ? 'bad' : 'soft' }, length),
    fields.length > 0
      ? folded(`What it carries, decoded (${fields.length})`, rows(fields), fields.length <= MOST_OPEN)
      : undefined,
    folded(`Headers (${headers.length})`, rows(headers)),
    body === undefined ? undefined : folded('Body, as sent', pre(body), fields.length === 0),
    copy
  )
}

/** Without access to the clipboard the line is shown instead. */
async function copied(text) {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return false
  }
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

function answerPart({ headers, text, isCut }) {
  return element(
    'div',
    {},
    folded(`Headers (${headers.length})`, rows(headers)),
    folded(isCut ? 'Body (its beginning)' : 'Body', pre(text))
  )
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
    element('code', { className: 'value' }, value),
    element('p', { className: 'soft' }, says)
  )
}

function rows(pairs) {
  const list = pairs.map(({ name, value }) => element('div', {}, element('dt', {}, name), element('dd', {}, value)))
  return element('dl', {}, list)
}

function pre(text) {
  return element('pre', { tabIndex: 0 }, text)
}

function folded(title, content, isOpen = false) {
  return element('details', { open: isOpen }, element('summary', {}, title), content)
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
