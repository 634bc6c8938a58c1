// The name that somebody probably meant who wrote another.

/** How much of a name may be wrong. */
const MOST_WRONG = 0.4

/** The name that takes the fewest changes, unless it takes too many. Case does not matter. */
export function nearestName(written: string, names: string[]): string | undefined {
  let nearest: string | undefined
  let fewest = Number.POSITIVE_INFINITY
  for (const name of names) {
    const changes = changesBetween(written.toLowerCase(), name.toLowerCase())
    if (changes > Math.max(written.length, name.length) * MOST_WRONG || changes >= fewest) continue
    nearest = name
    fewest = changes
  }
  return nearest
}

/** How many characters have to be added, left out, replaced or swapped with the next one. */
function changesBetween(a: string, b: string): number {
  let before: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = Number(last[j - 1]) + (a[i - 1] === b[j - 1] ? 0 : 1)
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      const swapped = isSwap ? Number(before[j - 2]) + 1 : replaced
      row.push(Math.min(replaced, swapped, Number(last[j]) + 1, Number(row[j - 1]) + 1))
    }
    before = last
    last = row
  }
  return Number(last[b.length])
}
