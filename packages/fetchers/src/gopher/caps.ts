/**
 * The properties of a server's `caps.txt`, by their keys as they are spelt (`PathDelimeter`); null where the text is no such file, which
 * must begin with `CAPS`: servers answer with an error page, or a menu, in its place. The file is convention, not standard; its values
 * are untrusted text.
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
