import leven from 'leven'

/**
 * What was probably meant, ignoring case: the closest name, unless 40 % of the longer one would have to change, or else the
 * only one that begins with what is written.
 */
export function nearestName(written: string, names: string[]): string | undefined {
  const [nearest] = names
    .map(name => ({ name, changes: leven(written.toLowerCase(), name.toLowerCase()) }))
    .filter(({ name, changes }) => changes <= Math.max(written.length, name.length) * 0.4)
    .toSorted((a, b) => a.changes - b.changes)
  const longer = names.filter(name => name.toLowerCase().startsWith(written.toLowerCase()))
  return nearest?.name ?? (written.length > 2 && longer.length === 1 ? longer[0] : undefined)
}
