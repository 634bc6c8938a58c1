// Every check, in the order in which they run: dependencies come first.
import type { Check } from '../check.ts'
import { cartChecks } from './cart-checks.ts'
import { descriptionChecks } from './description-checks.ts'
import { equivalenceChecks } from './equivalence-checks.ts'
import { formChecks } from './form-checks.ts'
import { limitChecks } from './limit-checks.ts'
import { linkChecks } from './link-checks.ts'
import { pageChecks } from './page-checks.ts'
import { privacyChecks } from './privacy-checks.ts'
import { refusalChecks } from './refusal-checks.ts'
import { requestChecks } from './request-checks.ts'

export const checks: Check[] = [
  ...descriptionChecks,
  ...pageChecks,
  ...privacyChecks,
  ...linkChecks,
  ...cartChecks,
  ...requestChecks,
  ...equivalenceChecks,
  ...limitChecks,
  ...formChecks,
  ...refusalChecks
]
