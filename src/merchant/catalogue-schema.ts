// The part of the merchant file's schema about the product feed: where it is, and what is expected of it.
import { type Static, Type } from '@sinclair/typebox'
import { Section, Whole } from './setting-types.ts'

export const CatalogueSchema = Section(
  {
    feed: Type.String({ minLength: 1, description: 'the path of the product feed, relative to this file' }),
    maxShrink: Whole(
      50,
      0,
      100,
      'how many percent of the products in use a changed feed may lack: a whole number from 0 to 100 (any number)'
    )
  },
  'an object with feed'
)

/** The settings of the catalogue, with every default filled in. */
export type CatalogueSettings = Required<Static<typeof CatalogueSchema>>
