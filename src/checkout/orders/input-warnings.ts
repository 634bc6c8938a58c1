// What is probably mistyped in the form. Nothing is refused for it: what is doubted is asked about once, without errors beside
// it, and ordered as it is if all of it is sent again unchanged. Pure.
import leven from 'leven'
import { countryFormat } from '../../merchant/countries.ts'
import { type FieldError, type FormEntry, type FormField, type FormValues, MAX_EMAIL } from './order-form.ts'

type InputWarning = Pick<FieldError, 'message' | 'example'>

/** The field of a form that says which value of this one has been doubted. */
export const confirmedName = (field: string) => `${CONFIRMED}${field}`
const CONFIRMED = 'doubted-'

/** The values as if nothing had been doubted yet. */
export function unconfirmed(values: FormValues): FormValues {
  return Object.fromEntries(Object.entries(values).filter(([name]) => !name.startsWith(CONFIRMED)))
}

/** In the order of the fields, without the values that the form says have been doubted, unless one of them was changed. */
export function findInputWarnings({ values, fields, country }: FormEntry): FieldError[] {
  const isDoubted = ({ name }: FormField) => values[confirmedName(name)] !== undefined
  const isSame = ({ name }: FormField) => values[name]?.trim() === values[confirmedName(name)]?.trim()
  const isConfirmed = fields.filter(isDoubted).every(isSame)
  return fields.flatMap(field => {
    const { name, label } = field
    const value = (values[name] ?? '').trim()
    const isKnown = value === '' || (isConfirmed && isDoubted(field))
    // What is too long is refused.
    const doubt = isKnown || value.length > MAX_EMAIL ? undefined : inputWarnings[name]?.(value, country)
    return doubt ? [{ field: name, label, ...doubt }] : []
  })
}

const inputWarnings: Record<string, (value: string, country: string) => InputWarning | undefined> = {
  email: emailWarning,
  phone: phone => lengthWarning(phone, /\p{Nd}/gu, 5),
  address1: street => lengthWarning(street, /[\p{L}\p{N}]/gu, 2),
  // 津, Å and Y are towns.
  city: city => lengthWarning(city, /[\p{L}\p{N}]/gu, 1),
  postcode: postcodeWarning
}

function lengthWarning(text: string, counted: RegExp, least: number): InputWarning | undefined {
  return (text.match(counted) ?? []).length < least ? { message: 'doubt-short' } : undefined
}

/** Where most shoppers have their mail, if no other domain in use is a slip away: `yahoo.fr` and `yahoo.gr` are both real. */
const LARGE_DOMAINS = [
  'gmail.com',
  'googlemail.com',
  'hotmail.com',
  'hotmail.co.uk',
  'icloud.com',
  'outlook.com',
  'yahoo.com',
  'yahoo.co.jp',
  'yahoo.co.uk'
]
/** Slips for `.com` that are no domains themselves, as `.co`, `.cm` and `.cam` are. */
const NO_COM = /\.(con|cmo|ocm|vom|xom|cpm|comm|coom)$/

function emailWarning(email: string): InputWarning | undefined {
  const [name, written = ''] = email.split('@')
  const domain = written.normalize('NFKC').toLowerCase().replaceAll('。', '.')
  if (!/^[^\s.]+(\.[^\s.]+)+$/.test(domain)) return { message: 'doubt-form' }
  const ended = domain.replace(NO_COM, '.com')
  const meant = LARGE_DOMAINS.find(large => isSlip(ended, large)) ?? ended
  return meant === domain ? undefined : { message: 'doubt-meant', example: `${name}@${meant}` }
}

/** One letter wrong, missing or too many, or two swapped, but not the first: `mail.com` and `ymail.com` are no slips. */
function isSlip(text: string, meant: string): boolean {
  if (text[0] !== meant[0] || Math.abs(text.length - meant.length) > 1) return false
  const sorted = (letters: string) => [...letters].toSorted().join('')
  return leven(text, meant) <= (sorted(text) === sorted(meant) ? 2 : 1)
}

/** Compared without spaces, hyphens and case, in any script's digits, with or without letters as in `D-26133` or `LV-1073`. */
function postcodeWarning(postcode: string, country: string): InputWarning | undefined {
  const { zip, zipex } = { ...countryFormat(country) }
  if (zip === undefined) return undefined
  // Separators go, classes of characters stay.
  const joined = zip.replace(/\[ \\-\]|(\[[^\]]*\])|[ -]\??/g, '$1')
  const pattern = new RegExp(`^(${joined.replaceAll('\\d', '\\p{Nd}')})$`, 'u')
  const typed = postcode
    .normalize('NFKC')
    .toUpperCase()
    .replace(/[^A-Z\p{Nd}]/gu, '')
  const writings = [typed, typed.replace(/^[A-Z]{1,3}(?=\p{Nd})/u, ''), /^[A-Z]*/.exec(zip) + typed]
  if (writings.some(writing => pattern.test(writing))) return undefined
  const example = String(zipex).replace(/,.*/s, '')
  return { message: /^\d+$/.test(example) ? 'doubt-digits' : 'doubt-form', example }
}
