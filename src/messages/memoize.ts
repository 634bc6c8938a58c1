// Caches the results of a function.

/**
 * A function that works out its result once for each argument. After `max` arguments it starts afresh.
 * @param max not needed where there are only as many arguments as messages, currencies or countries
 */
export function memoize<Key, Value extends {}>(
  make: (key: Key) => Value,
  max = Number.POSITIVE_INFINITY
): (key: Key) => Value {
  const made = new Map<Key, Value>()
  return key => {
    const known = made.get(key)
    if (known !== undefined) return known
    if (made.size === max) made.clear()
    const value = make(key)
    made.set(key, value)
    return value
  }
}
