// JSON, indented and coloured. Only white space outside of strings is changed: duplicate keys and long numbers stay.
import { element } from './simulator-element.js'

const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s"{}[\],:]+/g

/** A <pre> with a text, indented and coloured if it is JSON. */
export function pre(text) {
  return element('pre', { tabIndex: 0 }, isJson(text) ? coloured(text, true) : text)
}

/** A JSON value within a line. */
export function jsonCode(text) {
  return element('code', { className: 'value', tabIndex: 0 }, isJson(text) ? coloured(text, false) : text)
}

function isJson(text) {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

function coloured(text, isIndented) {
  const tokens = text.match(TOKEN)
  let depth = 0
  const newLine = () => (isIndented ? `\n${'  '.repeat(depth)}` : '')
  return tokens.flatMap((token, i) => {
    const next = tokens[i + 1]
    if (token === '{' || token === '[') {
      const isEmpty = next === '}' || next === ']'
      depth++
      return isEmpty ? token : token + newLine()
    }
    if (token === '}' || token === ']') {
      const isEmpty = tokens[i - 1] === '{' || tokens[i - 1] === '['
      depth--
      return isEmpty ? token : newLine() + token
    }
    if (token === ',') return isIndented ? `,${newLine()}` : ', '
    if (token === ':') return ': '
    return element('span', { className: kindOf(token, next) }, token)
  })
}

function kindOf(token, next) {
  if (token.startsWith('"')) return next === ':' ? 'json-key' : 'json-text'
  return /^[-\d]/.test(token) ? 'json-number' : 'json-word'
}
