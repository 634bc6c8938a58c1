// Long lists in parts, a few requests at a time: one bag must not become hundreds of requests to a shop at once.

/** Requests of one bag that a shop gets at once. */
const AT_ONCE = 4

/** Asks about each part, and stops at the first failure. @returns the answers, in the order of the parts */
export async function askInTurns<Part, Answer>(parts: Part[], ask: (part: Part) => Promise<Answer>): Promise<Answer[]> {
  const answers: Answer[] = []
  for (const some of batchesOf(parts, AT_ONCE)) answers.push(...(await Promise.all(some.map(ask))))
  return answers
}

/** Parts of a list that one request can ask for. */
export function batchesOf<T>(list: T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(list.length / size) }, (_, i) => list.slice(i * size, (i + 1) * size))
}
