// The browser of a test process: to launch one costs as much as to show three pages.
import t from 'tap'
import type { WebViews } from '../../src/kit/browser/web-view.ts'
import { viewsFor } from './views.ts'

let shared: WebViews | undefined

/** Those of all tests of this process, each view with a new profile. */
export function sharedViews(): WebViews {
  shared ??= viewsFor(t)
  return shared
}
