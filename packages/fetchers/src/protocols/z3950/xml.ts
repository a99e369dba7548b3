import type { MarcRecord } from './marc.ts'

/** Writes text for XML. Characters that XML 1.0 cannot have become U+FFFD. */
export function xmlText(text: string): string {
  return text
    .replace(/[\0-\x08\x0B\x0C\x0E-\x1F\x7F-\x9F\uFFFE\uFFFF]/g, '\ufffd')
    .replace(/[&<>"]/g, (character) => entities[character] ?? character)
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

export const xmlHead = '<?xml version="1.0" encoding="UTF-8"?>\n'

/** Writes the record as MARCXML (the schema MARC21slim of the Library of Congress). */
export function marcXml({ leader, fields }: MarcRecord): string {
  const lines = fields.map((field) => {
    const tag = `tag="${field.tag}"`
    if ('data' in field) return `  <controlfield ${tag}>${xmlText(field.data)}</controlfield>\n`
    const [first = ' ', second = ' '] = field.indicators
    const subfields = field.subfields.map(
      ([code, value]) => `    <subfield code="${xmlText(code)}">${xmlText(value)}</subfield>\n`,
    )
    const head = `  <datafield ${tag} ind1="${xmlText(first)}" ind2="${xmlText(second)}">\n`
    return `${head}${subfields.join('')}  </datafield>\n`
  })
  const leaderLine = `  <leader>${xmlText(leader)}</leader>\n`
  return `<record xmlns="http://www.loc.gov/MARC21/slim">\n${leaderLine}${lines.join('')}</record>\n`
}
