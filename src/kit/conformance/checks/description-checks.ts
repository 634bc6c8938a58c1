// The description of a web request that option 1 answers with (contract 2.2 and 4.1), read as an iPhone reads it.
import type { DescribedField } from '../../client/described-field.ts'
import type { Check } from '../check.ts'
import { sentAs, shortened } from '../judge.ts'
import { isDescribed } from '../option-traits.ts'
import type { Described, Site } from '../site.ts'
import { Failed } from '../verdict-errors.ts'

/** What every check of a description needs. */
export const READABLE = ['description-json']

/** What a page can be opened with. */
export const OPENABLE = [...READABLE, 'description-types', 'url-characters', 'described-method', 'get-without-body']

export const COMMON: Pick<Check, 'group' | 'concerns' | 'needs'> = {
  group: 'description',
  concerns: isDescribed,
  needs: READABLE
}

/** Fields of contract 2.2, by the list that they stand in. */
const FIELDS = {
  '': ['url', 'httpMethod', 'body', 'cookies', 'headers'],
  cookies: ['name', 'value', 'expireDate', 'isHttpOnly', 'isSecure', 'path'],
  headers: ['name', 'value']
}

function describeBag(site: Site): Promise<Described> {
  return site.describe(site.bag([0, 1], [1, 2], [2, 3]))
}

/** @throws Failed with what the app says of the fields that are wrong */
export async function finds(
  site: Site,
  isWrong: (field: DescribedField, described: Described) => boolean
): Promise<void> {
  const described = await describeBag(site)
  const wrong = described.fields.filter(field => isWrong(field, described))
  complain(wrong.map(({ at, value, says }) => `${at} is ${shortened(value)}. ${says}`))
}

export function complain(problems: string[]): void {
  if (problems.length > 0) throw new Failed(problems.join('\n'))
}

export function isText(json: Record<string, unknown>, at: string): boolean {
  return typeof json[at] === 'string'
}

/** The entries of a list of the description, as objects. */
function entriesOf(json: Record<string, unknown>, list: string): Record<string, unknown>[] {
  return [json[list] ?? []].flat().map(entry => Object(entry))
}

export const descriptionChecks: Check[] = [
  {
    ...COMMON,
    id: 'description-json',
    title: 'The answer to a bag is a description in JSON, and not the page',
    section: 'contract 4.1 rule 1',
    why: 'The app looks for the address of the checkout page in the answer. Where it finds none, its user sees an error and cannot buy.',
    remedy: 'Answer with status 200 and a JSON object that holds at least "url".',
    needs: [],
    run: async site => {
      const cart = site.bag([0, 1], [1, 2], [2, 3])
      const { status, text, fields } = await site.describe(cart)
      const isJson = !fields.some(({ at }) => at === '#')
      if (status >= 200 && status <= 299 && isJson) return
      const came = `The answer was ${status}: ${shortened(text)}`
      throw new Failed(`${sentAs(site.write(cart))}\n${came}\nRight would be 200 and a JSON object.`)
    }
  },
  {
    ...COMMON,
    id: 'description-types',
    title: 'Every field that is needed is there, and every field has its type',
    section: 'contract 2.2',
    why: 'The app decodes the description strictly: one field of a wrong type, and there is no checkout.',
    remedy: 'Send "url" always, strings as strings and flags as true or false; a cookie needs a name and a value.',
    run: site =>
      finds(site, ({ at, verdict }, { json }) => {
        const isOfOtherCheck = ['url', 'httpMethod', 'body'].includes(at) && isText(json, at)
        return (verdict === 'refused' && !isOfOtherCheck) || (verdict === 'ignored' && /^cookies\[\d+\]$/.test(at))
      })
  },
  {
    ...COMMON,
    id: 'description-fields',
    title: 'The description holds the fields of the contract and no others',
    section: 'good practice (contract 2.2 lists every field)',
    why: 'What the app does not know it passes over: a field with a mistyped name does nothing, and nobody notices.',
    remedy: 'Leave other fields out, and compare their names with the contract: isHttpOnly, isSecure, expireDate.',
    run: async site => {
      const { json } = await describeBag(site)
      const unknown = (of: Record<string, unknown>, at: '' | 'cookies' | 'headers') =>
        Object.keys(of)
          .filter(name => !FIELDS[at].includes(name))
          .map(name => `${at}${at && '[].'}${name} is no field of a description.`)
      const lists = (['cookies', 'headers'] as const).flatMap(at =>
        entriesOf(json, at).flatMap(entry => unknown(entry, at))
      )
      complain([...unknown(json, ''), ...lists])
    }
  },
  {
    ...COMMON,
    id: 'described-method',
    title: 'The described method is GET or POST',
    section: 'contract 2.2',
    why: 'No web view opens a page with another method.',
    remedy: 'Send "httpMethod": "POST", or leave it out for GET.',
    run: site =>
      finds(site, ({ at, verdict }, { json }) => at === 'httpMethod' && verdict !== 'used' && isText(json, at))
  },
  {
    ...COMMON,
    id: 'get-without-body',
    title: 'A described GET has no body',
    section: 'good practice (a real iOS app cannot send one; contract 2.2 says body of the web request)',
    why: 'iOS refuses to send a GET with a body. The shopper sees an error and no page.',
    remedy: 'Describe a POST, or leave the body out.',
    run: site => finds(site, ({ at, verdict }, { json }) => at === 'body' && verdict === 'refused' && isText(json, at))
  },
  {
    ...COMMON,
    id: 'post-recommended',
    title: 'The described method is the one that the profile names: POST, as the contract recommends',
    section: 'contract 4.1 rule 3 (recommended)',
    why: 'A GET may exceed the longest URL when the bag is large.',
    remedy:
      'Describe a POST with a token in its body. Where GET is meant, say so in the profile: expect.describedMethod.',
    needs: [...READABLE, 'described-method', 'get-without-body'],
    run: async site => {
      const { httpMethod = 'GET' } = (await describeBag(site)).json
      const { describedMethod } = site.profile.expect
      if (httpMethod === describedMethod) return
      throw new Failed(`The method is ${JSON.stringify(httpMethod)}; ${describedMethod} would be right.`)
    }
  },
  {
    ...COMMON,
    id: 'no-content-type-header',
    title: 'The described headers hold no Content-Type',
    section: 'good practice (contract 4.1 rule 2 says that it is ignored)',
    why: 'The app ignores it and sends application/x-www-form-urlencoded. A site that counts on another one cannot read the body.',
    remedy: 'Leave the header out, and read the body as a form.',
    run: async site => {
      const { json } = await describeBag(site)
      const types = entriesOf(json, 'headers').filter(({ name }) => /^content-type$/i.test(String(name)))
      complain(types.map(({ value }) => `There is a header Content-Type: ${value}.`))
    }
  },
  {
    ...COMMON,
    id: 'cookie-dates',
    title: 'The dates of cookies are ones that iOS can read',
    section: 'good practice (a real iOS app reads no others; contract 2.2 says ISO 8601)',
    why: 'iOS reads no fractions of a second, as toISOString writes them. A date that it cannot read means decades: the cookie stays.',
    remedy: 'Write dates as 2026-11-20T10:00:00Z, without fractions.',
    run: site => finds(site, ({ at, verdict }) => at.endsWith('.expireDate') && verdict === 'doubtful')
  }
]
