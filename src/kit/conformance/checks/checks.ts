// Every check, in the order in which they run: dependencies come first.
import type { Check } from '../check.ts'
import { describedUrlChecks, descriptionChecks } from './description-checks.ts'
import { equivalenceChecks } from './equivalence-checks.ts'
import { limitChecks } from './limit-checks.ts'
import { historyChecks, pageChecks } from './page-checks.ts'
import { hostileChecks, refusalChecks, repeatChecks } from './refusal-checks.ts'
import { requestChecks } from './request-checks.ts'

export const checks: Check[] = [
  ...descriptionChecks,
  ...describedUrlChecks,
  ...pageChecks,
  ...historyChecks,
  ...requestChecks,
  ...equivalenceChecks,
  ...limitChecks,
  ...repeatChecks,
  ...refusalChecks,
  ...hostileChecks
]
