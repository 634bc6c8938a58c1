// The part of the merchant file's schema about the product feed: where it is, and what is expected of it.
import { type Static, Type } from '@sinclair/typebox'
import { Section, Whole } from './setting-types.ts'

export const CatalogueSchema = Section(
  {
    feed: Type.String({
      minLength: 1,
      description: 'the path of the product feed, relative to this file, or its address such as "https://…"'
    }),
    credentialsVariable: Type.Optional(
      Type.String({
        pattern: '^[A-Z][A-Z0-9_]*$',
        description: 'the name of the environment variable that holds user and password, such as "ACME_FEED_LOGIN"'
      })
    ),
    refreshMinutes: Whole(15, 1, 1440, 'how often an address is asked for a newer feed: whole minutes from 1 to 1440'),
    timeoutSeconds: Whole(300, 1, 3600, 'how long fetching a feed may take: whole seconds from 1 to 3600'),
    maxMegabytes: Whole(1024, 1, 65_536, 'how large a feed may be, unpacked: whole megabytes from 1 to 65536'),
    maxShrink: Whole(
      50,
      0,
      100,
      'how many percent of the products in use a changed feed may lack: a whole number from 0 to 100 (any number)'
    )
  },
  'an object with feed and what else config/README.md lists'
)

type CatalogueSection = Static<typeof CatalogueSchema>

/** The settings of the catalogue, with every default filled in. */
export type CatalogueSettings = Required<Omit<CatalogueSection, 'credentialsVariable'>> &
  Pick<CatalogueSection, 'credentialsVariable'>
