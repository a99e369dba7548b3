import { octetsToText } from '@retriever/core'
import type { GopherView as View } from '../../../contract/metadata.ts'
import { trimBlanks } from '../../../kit/text/blanks.ts'

export type { View }

/**
 * Matches `Text/plain De_DE: <15k>`: a name, and perhaps a size. A line may have 64 KiB, so it is read in steps, each
 * of which can match in only one way.
 */
const viewLine = /^([^:<>]+)(.*)$/s
const sizePart = /^:?[ \t]*(?:<([^>]*)>.*)?$/
const sizeField = /^[ \t]*(\d{1,12}(?:\.\d{1,12})?)[ \t]*([kKmMbB]?)/

const units: Readonly<Record<string, number>> = { k: 1024, m: 1024 ** 2 }

/** Reads the views in the server's order, which begins with the one it prefers. Leaves out other lines. */
export function readViews(lines: readonly string[]): readonly View[] {
  return lines.flatMap((line) => {
    const [, before = '', rest = ''] = viewLine.exec(line) ?? []
    const [type = '', ...languages] = trimBlanks(before).split(/ +/)
    const size = octetsIn(rest)
    // A TAB would begin the data flag, and a CR another line.
    if (/^[+!$?]|^$/.test(type) || /[\0-\x1F]/.test(trimBlanks(before)) || size === undefined) return []
    const language = languages.join(' ')
    return {
      mediaType: /^[\w.+-]+\/[\w.+-]+$/.test(type) ? type.toLowerCase() : null,
      language: language === '' ? null : octetsToText(language),
      size,
      name: [type, ...languages].join(' '),
    }
  })
}

/** Reads the size in `: <15k>`. Null if there is none, undefined for text that is no size. */
function octetsIn(rest: string): number | null | undefined {
  const part = sizePart.exec(rest)
  if (part === null) return undefined
  const [, size] = part
  if (size === undefined) return null
  const [, figure, unit = ''] = sizeField.exec(size) ?? []
  return figure === undefined ? undefined : Math.round(Number(figure) * (units[unit.toLowerCase()] ?? 1))
}
