// A request of a step: what was sent, to copy, to edit and to send again.
import { codeIn } from './simulator-code.js'
import { element, say, written } from './simulator-element.js'
import { pre } from './simulator-json.js'

/** Rows beyond this number are folded away. */
const MOST_OPEN = 8

/** How long a button says that it has copied, in milliseconds. */
const SAYS_COPIED = 3000

/** @param resend sends a request in place of this one */
export function requestPart(request, resend) {
  const { method, url, headers, body, fields, sender } = request
  const format = element(
    'select',
    {},
    Object.keys(codeIn).map(name => element('option', {}, name))
  )
  const edit = element('button', { type: 'button', ariaExpanded: 'false' }, 'Edit and resend')
  const part = element(
    'div',
    { className: 'sent' },
    element(
      'pre',
      { className: 'line', tabIndex: 0, role: 'group', ariaLabel: 'Method and address' },
      element('b', {}, method),
      ` ${url}`
    ),
    lengthOf(request),
    fields.length > 0
      ? folded(`Parameters, decoded (${fields.length})`, rows(fields), fields.length <= MOST_OPEN)
      : undefined,
    folded(`Headers (${headers.length})`, rows(headers)),
    body === undefined ? undefined : folded('Body', pre(body), fields.length === 0),
    element(
      'div',
      { className: 'copies' },
      element('label', {}, 'Copy as', format),
      copyButton('Copy', () => codeIn[format.value](request)),
      // What servers tell each other is not for the web view to send.
      sender === 'server' ? undefined : edit
    )
  )
  let form
  edit.addEventListener('click', () => {
    if (form) form.remove()
    else part.append(editor(request, resend))
    form = form ? undefined : part.lastElementChild
    edit.ariaExpanded = String(form !== undefined)
    form?.elements[1].focus()
  })
  return part
}

/** Only the address of a GET grows with the bag. */
function lengthOf({ method, urlLength, isTooLong }) {
  if (method !== 'GET' && !isTooLong) return undefined
  const limit = isTooLong ? ', and the contract allows 2,048: this can stop a checkout' : ''
  return element('p', { className: isTooLong ? 'bad' : 'soft' }, `${written(urlLength)} characters${limit}`)
}

/** A button that copies what `write` returns; without access to the clipboard the text is shown instead, selected. */
export function copyButton(name, write) {
  const copy = element('button', { type: 'button' }, name)
  copy.addEventListener('click', async () => {
    const copied = write()
    try {
      await navigator.clipboard.writeText(copied)
    } catch {
      const shown = element('pre', { tabIndex: 0 }, copied)
      copy.replaceWith(shown)
      shown.focus()
      getSelection().selectAllChildren(shown)
      return say('The clipboard is not accessible, so the text is shown, selected.')
    }
    say(`${name.replace('Copy', 'Copied')}.`)
    copy.textContent = 'Copied'
    setTimeout(() => {
      copy.textContent = name
    }, SAYS_COPIED)
  })
  return copy
}

function editor({ sender, method, url, editable, body }, resend) {
  const field = (name, label, value, kind) => {
    const input = element(kind, { name, value, spellcheck: false, autocapitalize: 'off', autocomplete: 'off' })
    return element('label', { className: name }, label, input)
  }
  const lines = editable.map(({ name, value }) => `${name}: ${value}`).join('\n')
  const form = element(
    'form',
    { className: 'editor', ariaLabel: 'The request, to edit' },
    field('method', 'Method', method, 'input'),
    field('url', 'Address', url, 'textarea'),
    field('headers', 'Headers, one on each line', lines, 'textarea'),
    field('body', 'Body', body ?? '', 'textarea'),
    element('p', { className: 'soft' }, alsoSent(sender)),
    element('button', { className: 'go' }, 'Send this request')
  )
  form.addEventListener('submit', event => {
    event.preventDefault()
    const typed = name => form.elements[name].value
    resend(sender, {
      method: typed('method'),
      url: typed('url'),
      headers: readHeaders(typed('headers')),
      ...((typed('body') !== '' || body !== undefined) && { body: typed('body') })
    })
  })
  return form
}

function alsoSent(sender) {
  const proof = ' If the shop asks for a token or a signature, it is added, unless you write your own.'
  return `Host and Content-Length are added.${sender === 'platform' ? proof : ''}`
}

/** A line without a colon is a header without a value. */
function readHeaders(text) {
  return text
    .split('\n')
    .filter(line => line.trim() !== '')
    .map(line => {
      const [, name, value = ''] = /^([^:]*)(?::\s*(.*))?$/s.exec(line)
      return { name, value }
    })
}

export function rows(pairs) {
  const list = pairs.map(({ name, value }) => element('div', {}, element('dt', {}, name), element('dd', {}, value)))
  return element('dl', { tabIndex: 0 }, list)
}

export function folded(title, content, isOpen = false) {
  return element('details', { open: isOpen }, element('summary', {}, title), content)
}
