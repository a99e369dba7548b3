const keys = new WeakMap<object, number>()
let last = 0

/** Numbers the caller's functions, so that the keys of pools tell them apart. */
export function keyOfFunction(given: object | undefined): number | null {
  if (given === undefined) return null
  const key = keys.get(given) ?? ++last
  keys.set(given, key)
  return key
}
