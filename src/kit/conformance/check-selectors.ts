// Has the browser parse the selectors of a profile before anything is sent: an invalid one would break every check.
import type { WebViews } from '../browser/web-view.ts'
import { ProfileError } from './profile.ts'
import type { Profile } from './profile-schema.ts'

/** Stands in for the selectors that are not being checked. */
const VALID = { line: 'p', sku: '@id', quantity: '@id', price: '@id', total: 'p' }

/** @throws ProfileError with every invalid selector */
export async function checkSelectors({ page }: Profile, views: WebViews): Promise<void> {
  const problems: string[] = []
  for (const key of Object.keys(VALID) as (keyof typeof VALID)[]) {
    await views
      .read('<p></p>', { ...VALID, ...(page[key] !== undefined && { [key]: page[key] }) })
      .catch((error: Error) => {
        // A browser that does not start is not a mistake in the profile.
        if (!error.message.includes('is not a valid selector')) throw error
        const right = key === 'line' ? 'a CSS selector' : 'a CSS selector, @ and an attribute, or both'
        problems.push(`page.${key}: it is ${JSON.stringify(page[key])}, which the browser cannot parse; give ${right}`)
      })
  }
  if (problems.length > 0) throw new ProfileError(problems.join('\n'))
}
