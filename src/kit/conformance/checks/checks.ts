// Every check, in the order in which they run: what a check needs stands before it.
import type { Check } from '../check.ts'
import { describedUrlChecks } from './described-url-checks.ts'
import { descriptionChecks } from './description-checks.ts'
import { historyChecks } from './history-checks.ts'
import { hostileChecks } from './hostile-checks.ts'
import { limitChecks } from './limit-checks.ts'
import { pageChecks } from './page-checks.ts'
import { refusalChecks } from './refusal-checks.ts'
import { repeatChecks } from './repeat-checks.ts'
import { requestChecks } from './request-checks.ts'
import { writingChecks } from './writing-checks.ts'

export const checks: Check[] = [
  ...descriptionChecks,
  ...describedUrlChecks,
  ...pageChecks,
  ...historyChecks,
  ...requestChecks,
  ...writingChecks,
  ...limitChecks,
  ...repeatChecks,
  ...refusalChecks,
  ...hostileChecks
]
