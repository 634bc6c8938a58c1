// Makes elements, and tells what happens. Whatever a merchant sends or a person types becomes text in them, never HTML.

/** @param {Record<string, unknown>} properties properties of the element, or else attributes */
export function element(name, properties = {}, ...children) {
  const made = document.createElement(name)
  for (const [key, value] of Object.entries(properties)) {
    if (key in made) made[key] = value
    else made.setAttribute(key, value)
  }
  made.append(...children.flat().filter(child => child !== undefined))
  return made
}

/** The element that the page has under an id. */
export const byId = id => document.getElementById(id)

/** A number as written in British English. */
export const written = number => new Intl.NumberFormat('en-GB').format(number)

/** Shows a message in the page's status line, which a screen reader reads out. */
export function say(text) {
  byId('status').textContent = text
}
