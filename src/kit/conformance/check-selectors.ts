// Has the browser read the selectors of a profile before anything is sent: one that it cannot read would end every check.
import type { WebViews } from '../browser/web-view.ts'
import { ProfileError } from './profile.ts'
import type { Profile } from './profile-schema.ts'

/** What stands in for the selectors that are not looked at: an attribute needs none. */
const ANY = { line: 'p', sku: '@id', quantity: '@id' }

/** @throws ProfileError with every selector that cannot be read */
export async function checkSelectors({ page }: Profile, views: WebViews): Promise<void> {
  const problems: string[] = []
  for (const key of ['line', 'sku', 'quantity'] as const) {
    const right = key === 'line' ? 'a CSS selector' : 'a CSS selector, @ and an attribute, or both'
    await views.read('<p></p>', { ...ANY, [key]: page[key] }).catch((error: Error) => {
      // A browser that does not start is no mistake in the profile.
      if (!error.message.includes('is not a valid selector')) throw error
      problems.push(`page.${key}: it is ${JSON.stringify(page[key])}, which the browser cannot read; give ${right}`)
    })
  }
  if (problems.length > 0) throw new ProfileError(problems.join('\n'))
}
