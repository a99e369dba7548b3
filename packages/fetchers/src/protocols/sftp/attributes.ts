import type { Fields } from './packets.ts'

/** The attributes of a file. Null: the server does not tell it (draft-ietf-secsh-filexfer-02 5 has flags for each). */
export interface Attributes {
  readonly mode: number | null
  readonly uid: number | null
  readonly gid: number | null
  readonly size: number | null
  readonly modified: Date | null
}

const flag = { size: 1, ids: 2, mode: 4, times: 8, extended: 0x8000_0000 } as const

/** Reads attributes (draft-ietf-secsh-filexfer-02 5). */
export function readAttributes(fields: Fields): Attributes {
  const flags = fields.number()
  const tells = (bit: number): boolean => (flags & bit) !== 0
  const size = tells(flag.size) ? fields.largeNumber() : null
  const [uid, gid] = tells(flag.ids) ? [fields.number(), fields.number()] : [null, null]
  const mode = tells(flag.mode) ? fields.number() : null
  const [, modified] = tells(flag.times) ? [fields.number(), new Date(fields.number() * 1000)] : [null, null]
  if (tells(flag.extended)) {
    for (let left = fields.number(); left > 0; left--) {
      fields.octets()
      fields.octets()
    }
  }
  return { mode, uid, gid, size, modified }
}

/**
 * Returns the kind of a file by its mode (stat(2)). Null if the server does not tell the mode, or it is none of these.
 */
export function fileKind({ mode }: Attributes): 'file' | 'directory' | 'link' | null {
  const type = (mode ?? 0) & 0o170000
  return type === 0o100000 ? 'file' : type === 0o040000 ? 'directory' : type === 0o120000 ? 'link' : null
}
