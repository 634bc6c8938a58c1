// The list of options. A new one is a folder next to these, its import and its name here.
import { formPost } from './form-post/form-post.ts'
import { jsonDescription } from './json-description/json-description.ts'
import { meta } from './meta/meta.ts'
import type { TransferOption } from './option.ts'
import { permalink } from './permalink/permalink.ts'
import { queryGet } from './query-get/query-get.ts'
import { ucp } from './ucp/ucp.ts'

export const transferOptions: TransferOption[] = [jsonDescription, formPost, queryGet, meta, permalink, ucp]

/** By the first word of a way's name: the merchant file may since have lost the way, or named it otherwise. */
export function optionOfWay(wayName: string): TransferOption | undefined {
  const [optionName] = wayName.split(' ')
  return transferOptions.find(({ name }) => name === optionName)
}
