import leven from 'leven'

/** What was probably meant: the closest name, ignoring case; undefined if 40 % of the longer one would have to change. */
export function nearestName(written: string, names: string[]): string | undefined {
  const [nearest] = names
    .map(name => ({ name, changes: leven(written.toLowerCase(), name.toLowerCase()) }))
    .filter(({ name, changes }) => changes <= Math.max(written.length, name.length) * 0.4)
    .toSorted((a, b) => a.changes - b.changes)
  return nearest?.name
}
