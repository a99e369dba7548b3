/** Checks a value. Throws a TypeError that names the option, what was expected, and the value with its type. */
export type Check = (name: string, value: unknown) => void

/** A check for each option. The compiler reports an option without one. */
export type Checks<Options> = { readonly [Name in keyof Options]-?: Check }

/** Checks the names and values of options. `prefix`, such as `faults.`, goes before their names in messages. */
export function checkOptions<Options extends object>(
  where: string,
  given: Options,
  checks: Checks<Options>,
  prefix = '',
): void {
  if (!isObject(given)) throw wrong(where, 'an object', given)
  const byName: Readonly<Record<string, Check>> = { ...checks }
  for (const [name, value] of Object.entries(given)) {
    const check = Object.hasOwn(byName, name) ? byName[name] : undefined
    if (!check) throw new TypeError(`${where}: expected one of ${Object.keys(byName).join(', ')}, got ${name}`)
    if (value !== undefined) check(prefix + name, value)
  }
}

/** Whether the value keeps its members as properties; a list and a Map do not. */
export function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Map)
}

export const flag: Check = (name, value) => {
  if (typeof value !== 'boolean') throw wrong(name, 'true or false', value)
}

export const text: Check = (name, value) => {
  if (typeof value !== 'string') throw wrong(name, 'a string', value)
}

export const count: Check = (name, value) => {
  if (typeof value !== 'number' || !(value >= 0) || !Number.isFinite(value))
    throw wrong(name, 'a number from 0 up', value)
}

export const wholeNumber: Check = (name, value) => {
  if (!Number.isSafeInteger(value) || Number(value) < 0) throw wrong(name, 'an integer from 0 up', value)
}

export function word(...words: readonly unknown[]): Check {
  return (name, value) => {
    if (!words.includes(value)) throw wrong(name, `one of ${words.join(', ')}`, value)
  }
}

export function listOf(...words: readonly string[]): Check {
  return (name, value) => {
    if (!Array.isArray(value) || value.length === 0 || !value.every((item) => words.includes(item))) {
      throw wrong(name, `a list of ${words.join(', ')}`, value)
    }
  }
}

export const texts: Check = (name, value) => {
  if (!Array.isArray(value) || !value.every((item) => typeof item === 'string')) {
    throw wrong(name, 'a list of strings', value)
  }
}

/** Checks users and their passwords. */
export const accounts: Check = (name, value) => {
  if (!isObject(value)) throw wrong(name, 'an object of passwords by user', value)
  // The message does not show the values, since they are passwords.
  for (const [user, password] of Object.entries(value)) {
    if (typeof password !== 'string') {
      throw new TypeError(`${name}.${user}: expected a string, got a value of type ${typeof password}`)
    }
  }
}

export function wrong(name: string, expected: string, value: unknown): TypeError {
  const shown =
    typeof value === 'string' ? value : value instanceof Map ? 'a Map' : (JSON.stringify(value) ?? String(value))
  return new TypeError(`${name}: expected ${expected}, got ${shown} (${typeof value})`)
}
