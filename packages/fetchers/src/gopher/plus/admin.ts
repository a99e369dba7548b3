import { octetsToText } from '@retriever/core'

/** Who answers for an item, and when it was changed (Gopher+ A2.0). */
export interface Admin {
  /** `Ann Admin <ann@example.net>`, as the server writes it. */
  readonly admin: string | null
  /** ISO 8601. The server's digits name no zone and are taken as UTC: UMN's and pygopherd's are those of their own clock. */
  readonly modified: string | null
  /** All other lines: Site, Org, Loc, Geog, TZ, Score, Author and what else there is. */
  readonly fields: Readonly<Record<string, string>>
}

/** Reads lines as `Mod-Date: Wed Jul 28 17:02:01 1993 <19930728170201>`; what is no field is left out. */
export function readAdmin(lines: readonly string[]): Admin {
  const fields = new Map<string, string>()
  for (const line of lines) {
    const [, name = '', value = ''] = /^([^:]+):(.*)$/s.exec(line) ?? []
    // Trimmed as text: among octets, 0xA0 may be the end of a letter.
    const field = octetsToText(name).trim()
    if (field !== '') fields.set(field, octetsToText(value).trim())
  }
  const admin = take(fields, 'Admin')
  // The paper's example in 2.7 has `Date:`.
  const changed = take(fields, 'Mod-Date') ?? take(fields, 'Date')
  return {
    admin,
    modified: changed === null ? null : (timeOf(changed)?.toISOString() ?? null),
    fields: Object.fromEntries(fields),
  }
}

function take(fields: Map<string, string>, name: string): string | null {
  const value = fields.get(name) ?? null
  fields.delete(name)
  return value
}

/** `<YYYYMMDDhhmmss>`; undefined for what is no such time. */
function timeOf(text: string): Date | undefined {
  const [, year, month, day, hour, minute, second] = /<(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)>/.exec(text) ?? []
  const written = `${year}-${month}-${day}T${hour}:${minute}:${second}.000Z`
  const time = new Date(written)
  // February 31 is a day in March for Date: not the one that was written.
  return !Number.isNaN(time.getTime()) && time.toISOString() === written ? time : undefined
}
