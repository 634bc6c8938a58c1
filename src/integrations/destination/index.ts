// The list of destinations. A new one is a folder next to these, its import and its name here.
import type { Destination } from './destination.ts'
import { hook } from './hook/hook.ts'
import { medusa } from './medusa/medusa.ts'
import { vendure } from './vendure/vendure.ts'
import { woocommerce } from './woocommerce/woocommerce.ts'

export const destinations: Destination[] = [hook, medusa, vendure, woocommerce]
