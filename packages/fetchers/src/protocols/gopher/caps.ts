/**
 * Reads the properties of a `caps.txt`, with their keys as they are spelt (`PathDelimeter`). Returns null if the text
 * does not begin with `CAPS`: some servers answer with an error page or a menu instead. The file is a convention, not a
 * standard. Its values are untrusted text.
 */
export function parseCaps(text: string): Readonly<Record<string, string>> | null {
  const [first = '', ...lines] = text.split(/\r\n|\n|\r/)
  if (first.trimEnd() !== 'CAPS') return null
  const properties = lines.flatMap((line) => {
    const [, before = '', value = ''] = /^([^=]+)=(.*)$/.exec(line) ?? []
    const key = before.trim()
    return key === '' || key.startsWith('#') ? [] : [[key, value.trim()] as const]
  })
  return Object.fromEntries(properties)
}
