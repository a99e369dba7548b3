import { octetsToText } from '@retriever/core'

/** One of the formats and languages that an item can be had in (Gopher+ A3.0). */
export interface View {
  /** `type/subtype`, lower case; null for names as `GView`. */
  readonly mediaType: string | null
  /** As the server spells it: `De_DE`, `English`. */
  readonly language: string | null
  /** Octets, about: servers count in units of 1024. */
  readonly size: number | null
  /** What is asked for after `+`: type and language in the server's own spelling, one octet a character. */
  readonly name: string
}

/** `Text/plain De_DE: <15k>`: a name, and perhaps a size. Read in steps of which none can match in several ways: a line may have 64 KiB. */
const viewLine = /^([^:<>]+)(.*)$/
const sizePart = /^:?[ \t]*(?:<([^>]*)>.*)?$/
const sizeField = /^[ \t]*(\d{1,12}(?:\.\d{1,12})?)[ \t]*([kKmMbB]?)/

const units: Readonly<Record<string, number>> = { k: 1024, m: 1024 ** 2 }

/** In the server's order, which begins with what it prefers. Lines that are no view are left out. */
export function readViews(lines: readonly string[]): readonly View[] {
  return lines.flatMap((line) => {
    const [, before = '', rest = ''] = viewLine.exec(line) ?? []
    const [type = '', ...languages] = before.trim().split(/ +/)
    const size = octetsIn(rest)
    // A TAB would begin the data flag, CR a line of the server's own.
    if (/^[+!$?]|^$/.test(type) || /[\0-\x1F]/.test(before.trim()) || size === undefined) return []
    const language = languages.join(' ')
    return {
      mediaType: /^[\w.+-]+\/[\w.+-]+$/.test(type) ? type.toLowerCase() : null,
      language: language === '' ? null : octetsToText(language),
      size,
      name: [type, ...languages].join(' '),
    }
  })
}

/** Of `: <15k>`; null where there is none, undefined for what is no size. */
function octetsIn(rest: string): number | null | undefined {
  const part = sizePart.exec(rest)
  if (part === null) return undefined
  const [, size] = part
  if (size === undefined) return null
  const [, figure, unit = ''] = sizeField.exec(size) ?? []
  return figure === undefined ? undefined : Math.round(Number(figure) * (units[unit.toLowerCase()] ?? 1))
}
