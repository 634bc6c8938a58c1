// The messages of every language, one file each: everything a shopper reads, except texts from a merchant's own file and
// feed.
import ar from './ar.json' with { type: 'json' }
import de from './de.json' with { type: 'json' }
import en from './en.json' with { type: 'json' }
import es from './es.json' with { type: 'json' }
import fr from './fr.json' with { type: 'json' }
import ja from './ja.json' with { type: 'json' }

export type MessageName = keyof typeof en

/** Every message of a language, in ICU MessageFormat. */
export type Messages = Record<MessageName, string>

/** The languages, by their ISO 639 code. */
export const languages = { en, de, fr, es, ja, ar } satisfies Record<string, Messages>

export type Language = keyof typeof languages

export function isLanguage(code: string): code is Language {
  return Object.hasOwn(languages, code)
}

export function isMessageName(name: string): name is MessageName {
  return Object.hasOwn(en, name)
}
