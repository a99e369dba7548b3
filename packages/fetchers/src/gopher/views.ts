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

/** `Text/plain De_DE: <15k>`. Neither part can hold a TAB: it would begin the data flag. */
const viewLine =
  /^[ \t]*([^\s:<>+!$?][^\s:<>]*)(?: +([^\s:<>][^\t:<>]*?))?[ \t]*(?::?[ \t]*(?:<[ \t]*(\d{1,12}(?:\.\d+)?)[ \t]*([kKmMbB]?)[^>]*>.*)?)$/

const units: Readonly<Record<string, number>> = { k: 1024, m: 1024 ** 2 }

/** In the server's order, which begins with what it prefers. Lines that are no view are left out. */
export function readViews(lines: readonly string[]): readonly View[] {
  return lines.flatMap((line) => {
    const [, type, language, size, unit = ''] = viewLine.exec(line) ?? []
    if (type === undefined) return []
    return {
      mediaType: /^[\w.+-]+\/[\w.+-]+$/.test(type) ? type.toLowerCase() : null,
      language: language === undefined ? null : octetsToText(language),
      size: size === undefined ? null : Math.round(Number(size) * (units[unit.toLowerCase()] ?? 1)),
      name: language === undefined ? type : `${type} ${language}`,
    }
  })
}
