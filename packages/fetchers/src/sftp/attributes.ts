import type { Stats } from 'ssh2'

/** The attributes of a file; null: the server does not tell it (draft-ietf-secsh-filexfer-02 5 has flags for each). */
export interface Attributes {
  readonly mode: number | null
  readonly size: number | null
  readonly modified: Date | null
}

/** Reads attributes, which ssh2 leaves out if the server does, against its types. */
export function attributesOf({ mode, size, mtime }: Partial<Pick<Stats, 'mode' | 'size' | 'mtime'>>): Attributes {
  return { mode: mode ?? null, size: size ?? null, modified: mtime === undefined ? null : new Date(mtime * 1000) }
}
