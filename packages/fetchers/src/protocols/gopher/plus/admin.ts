import { octetsToText } from '@retriever/core'

/** The administrator of an item, and when it was last changed (Gopher+ A2.0). */
export interface Admin {
  /** The administrator as the server writes it: `Ann Admin <ann@example.net>`. */
  readonly admin: string | null
  /**
   * The time in ISO 8601. The server's digits have no zone, so we read them as UTC; UMN and pygopherd write their local
   * time.
   */
  readonly modified: string | null
  /** All other lines, such as Site, Org, Loc, Geog, TZ, Score and Author. */
  readonly fields: Readonly<Record<string, string>>
}

/** Reads lines such as `Mod-Date: Wed Jul 28 17:02:01 1993 <19930728170201>`. Leaves out other lines. */
export function readAdmin(lines: readonly string[]): Admin {
  const fields = new Map<string, string>()
  for (const line of lines) {
    const [, name = '', value = ''] = /^([^:]+):(.*)$/s.exec(line) ?? []
    // Blanks are trimmed after decoding, since the octet 0xA0 may end a letter.
    const field = octetsToText(name).trim()
    if (field !== '') fields.set(field, octetsToText(value).trim())
  }
  const admin = takeField(fields, 'Admin')
  // The example in Gopher+ 2.7 has `Date:`.
  const changed = takeField(fields, 'Mod-Date') ?? takeField(fields, 'Date')
  return {
    admin,
    modified: changed === null ? null : (timeOf(changed)?.toISOString() ?? null),
    fields: Object.fromEntries(fields),
  }
}

function takeField(fields: Map<string, string>, name: string): string | null {
  const value = fields.get(name) ?? null
  fields.delete(name)
  return value
}

/** Reads `<YYYYMMDDhhmmss>`. Returns undefined for text that is no time. */
function timeOf(text: string): Date | undefined {
  const [, year, month, day, hour, minute, second] = /<(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)>/.exec(text) ?? []
  const written = `${year}-${month}-${day}T${hour}:${minute}:${second}.000Z`
  const time = new Date(written)
  // Date reads February 31 as a day in March.
  return !Number.isNaN(time.getTime()) && time.toISOString() === written ? time : undefined
}
