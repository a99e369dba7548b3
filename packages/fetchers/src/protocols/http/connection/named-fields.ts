type Fields = readonly (readonly [name: string, value: string])[]

/**
 * The fields by lower-case name, one octet a character. Commas join several values (RFC 9110 5.3). Set-Cookie is left
 * out: cookies are secrets, and no part of this library keeps them.
 */
export type NamedFields = Readonly<Record<string, string>>

export function namedFields(fields: Fields): NamedFields {
  const named: Record<string, string> = {}
  // A loop over pairs makes three iterators' results for each field, which takes as long as all else here.
  fields.forEach((field) => {
    const key = field[0].toLowerCase()
    if (key === 'set-cookie') return
    const value = Object.hasOwn(named, key) ? `${named[key]}, ${field[1]}` : field[1]
    // An assignment would set the prototype.
    if (key === '__proto__') Object.defineProperty(named, key, { value, enumerable: true, writable: true })
    else named[key] = value
  })
  return named
}
