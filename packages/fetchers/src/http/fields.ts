import type { RequestOptions } from '../fetcher.ts'

/** The value of a field that the caller has set himself, however he spells its name. */
export function ownField({ headers = {} }: RequestOptions, name: string): string | undefined {
  return Object.entries(headers).find(([given]) => given.toLowerCase() === name.toLowerCase())?.[1]
}

/** The elements of a list, in lower case: of `Accept-Encoding, ,*`, two (RFC 9110 5.6.1). */
export function elementsOf(field: string | undefined): string[] {
  const elements = (field ?? '').split(',').map((element) => element.trim().toLowerCase())
  return elements.filter((element) => element !== '')
}
