// The part of the merchant file's schema about where a cart leads: to our own page, or to a destination.
import { Type } from '@sinclair/typebox'
import type { Destination } from '../destination/destination.ts'
import { Section, Whole } from './setting-types.ts'

/** The name of our own page, as `type`. It is no destination: it answers with itself, and needs catalogue and store. */
export const OWN_PAGE = 'page'

/** What a merchant file says about it: our page, one destination, or nothing that is known. */
export type LeadsTo = typeof OWN_PAGE | Destination | undefined

/** The settings that every destination has; its own are beside them. */
export type DestinationSettings = { type: string; timeoutSeconds: number; secretVariable?: string }

const SecretVariable = Type.String({
  pattern: '^[A-Z][A-Z0-9_]*$',
  description: 'the name of the environment variable that holds the secret, such as "ACME_SHOP_SECRET"'
})

/** In seconds: a stop waits 15 for what is in progress, and a connection that makes no progress for 30 is closed. */
const MAX_TIMEOUT = 10

/** The schema of `checkout.destination`; each destination brings its own keys. */
export function destinationSchema(destinations: Destination[], leadsTo: LeadsTo) {
  const names = [OWN_PAGE, ...destinations.map(({ name }) => name)].map(name => JSON.stringify(name)).join(', ')
  const about = `where a cart leads: ${names}`
  const page = Section({ type: Type.Literal(OWN_PAGE, { description: about }) }, 'an object with type', {
    title: `${OWN_PAGE}: our own page`
  })
  const sectionOf = ({ name, title, settings, needsSecret }: Destination) =>
    Section(
      {
        type: Type.Literal(name, { description: about }),
        timeoutSeconds: Whole(
          5,
          1,
          MAX_TIMEOUT,
          `how long the shop may take to answer: whole seconds from 1 to ${MAX_TIMEOUT}`
        ),
        secretVariable: needsSecret ? SecretVariable : Type.Optional(SecretVariable),
        ...settings.properties
      },
      'an object with type and what else src/destination/README.md lists',
      { title: `${name}: ${title}` }
    )
  if (leadsTo === OWN_PAGE) return page
  if (leadsTo) return sectionOf(leadsTo)
  return Type.Union([page, ...destinations.map(sectionOf)], { description: `an object with "type": ${names}` })
}
