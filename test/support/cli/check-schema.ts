import type { Schema } from '../../../packages/cli/src/results/schema.ts'

/** The places where a value breaks a schema. It knows the words that the type Schema has. */
export function breaches(schema: Schema, value: unknown, at = 'result'): string[] {
  const type = typeOf(value)
  if (![schema.type].flat().includes(type)) return [`${at} is of type ${type}`]
  if (schema.enum !== undefined && !schema.enum.includes(String(value))) return [`${at} is ${value}`]
  if (Array.isArray(value)) {
    return value.flatMap((item, index) => (schema.items ? breaches(schema.items, item, `${at}[${index}]`) : []))
  }
  if (typeof value !== 'object' || value === null) return []
  const { properties = {}, required = [], additionalProperties = true } = schema
  const missing = required.filter((name) => !(name in value)).map((name) => `${at}.${name} is missing`)
  const members = Object.entries(value).flatMap(([name, member]) => {
    const known = properties[name]
    if (known !== undefined) return breaches(known, member, `${at}.${name}`)
    return additionalProperties ? [] : [`${at}.${name} is not in the schema`]
  })
  return [...missing, ...members]
}

function typeOf(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}
