// What somebody who mistyped a name probably meant.

/** The name that is closest to what was written, ignoring case; undefined if 40 % of the longer one would have to change. */
export function nearestName(written: string, names: string[]): string | undefined {
  const [nearest] = names
    .map(name => ({ name, changes: changesBetween(written.toLowerCase(), name.toLowerCase()) }))
    .filter(({ name, changes }) => changes <= Math.max(written.length, name.length) * 0.4)
    .toSorted((a, b) => a.changes - b.changes)
  return nearest?.name
}

function changesBetween(a: string, b: string): number {
  let last = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = Number(last[j - 1]) + (a[i - 1] === b[j - 1] ? 0 : 1)
      row.push(Math.min(replaced, Number(last[j]) + 1, Number(row[j - 1]) + 1))
    }
    last = row
  }
  return Number(last[b.length])
}
