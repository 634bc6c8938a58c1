// Work on one thing, one after the other in the order in which it came: what competes for a row of the database would
// otherwise hold a connection each, and start again whenever another was faster.

export function takeTurns(): <T>(thing: string, work: () => Promise<T>) => Promise<T> {
  const last = new Map<string, Promise<unknown>>()
  return (thing, work) => {
    const turn = (last.get(thing) ?? Promise.resolve()).then(work, work)
    last.set(thing, turn)
    const forget = () => {
      if (last.get(thing) === turn) last.delete(thing)
    }
    turn.then(forget, forget)
    return turn
  }
}
