/** Returns the elements of a list in lower case, without empty ones: two for `gzip, ,BR` (RFC 9110 5.6.1). */
export function elementsOf(field: string | undefined): string[] {
  const elements = (field ?? '').split(',').map((element) => element.trim().toLowerCase())
  return elements.filter((element) => element !== '')
}
