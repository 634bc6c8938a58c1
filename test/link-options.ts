// Two options that redirect, for tests of what is the same for all of them: a bag in a query, and one in a path, both with the
// fields of 2B and a currency of their own.
import { Type } from '@sinclair/typebox'
import type { RedirectOption } from '../src/transfer/option.ts'
import { queryGet } from '../src/transfer/query-get/query-get.ts'

const passOn = (query: string) =>
  query
    .split('&')
    .filter(field => field.startsWith('utm_'))
    .join('&')

const settings = Type.Object({ currency: Type.Optional(Type.String({ description: 'an ISO 4217 code' })) })

export const queryLink: RedirectOption = {
  ...queryGet,
  name: 'link',
  title: 'A Link with a Query',
  settings,
  answer: 'redirect',
  passOn: sent => passOn(String(sent))
}

/** The bag is in the path, and `utm_` fields in the query. */
export const pathLink: RedirectOption = {
  ...queryLink,
  name: 'path',
  title: 'A Link with a Path',
  encoding: 'path',
  read: (sent, context) => queryGet.read(Buffer.from(String(sent).replace(/\?.*/s, '')), context),
  request: (cart, baseUrl) => {
    const { url } = queryGet.request(cart, baseUrl)
    return { method: 'GET', url: url.replace(`${baseUrl}?`, `${baseUrl}/`), headers: [] }
  },
  passOn: sent => passOn(String(sent).split(/\?(.*)/s)[1] ?? '')
}
