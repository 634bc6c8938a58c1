// Every check, in the order in which they run: dependencies come first.
import type { Check } from '../check.ts'
import { describedUrlChecks } from './described-url-checks.ts'
import { descriptionChecks } from './description-checks.ts'
import { equivalenceChecks } from './equivalence-checks.ts'
import { historyChecks } from './history-checks.ts'
import { hostileChecks } from './hostile-checks.ts'
import { limitChecks } from './limit-checks.ts'
import { pageChecks } from './page-checks.ts'
import { refusalChecks } from './refusal-checks.ts'
import { repeatChecks } from './repeat-checks.ts'
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
