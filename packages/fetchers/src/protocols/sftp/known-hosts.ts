import { createHash, createHmac } from 'node:crypto'

/** A line of known_hosts that is about one server. */
export interface KnownKey {
  /** The type of the key: `ssh-ed25519`. */
  readonly type: string
  /** The key in Base64. */
  readonly key: string
  /** `@revoked`: the key must never be accepted. `@cert-authority`: it signs the certificates of host keys. */
  readonly marker: string | null
  /**
   * True if the line names the host without its port, which is not 22. Such a key counts only if the server shows it.
   */
  readonly isWithoutPort: boolean
}

/** How a server's key compares with those that are known. */
export type KeyVerdict = 'known' | 'unknown' | 'changed' | 'revoked'

/** Returns the fingerprint as ssh shows it: SHA-256 in Base64 without padding. */
export function fingerprintOf(key: Uint8Array): string {
  return `SHA256:${createHash('sha256').update(key).digest('base64').replace(/=$/, '')}`
}

/** Returns the type that a public key names in its first field (RFC 4253 6.6). */
export function keyType(key: Buffer): string {
  const length = key.length >= 4 ? key.readUInt32BE(0) : 0
  return key.toString('latin1', 4, 4 + Math.min(length, 64)).replace(/[^\w.@-]/g, '?')
}

/** Returns the lines of known_hosts (sshd(8)) for a server. Skips comments and lines with an unknown marker. */
export function knownKeys(lines: readonly string[], host: string, port: number): KnownKey[] {
  const plain = host.toLowerCase()
  const name = port === 22 ? plain : `[${plain}]:${port}`
  return lines.flatMap((line) => {
    const words = line.trim().split(/[ \t]+/)
    const marker = words[0]?.startsWith('@') ? (words.shift() ?? null) : null
    const [hosts = '', type = '', key = ''] = words
    if (hosts.startsWith('#') || key === '' || ![null, '@revoked', '@cert-authority'].includes(marker)) return []
    const isWithoutPort = !isFor(hosts, name)
    return isWithoutPort && (port === 22 || !isFor(hosts, plain)) ? [] : [{ type, key, marker, isWithoutPort }]
  })
}

/** Compares a server's key with the known ones and with the accepted fingerprints. */
export function judge(key: Buffer, known: readonly KnownKey[], accepted: readonly string[]): KeyVerdict {
  const shown = key.toString('base64')
  const same = known.filter((each) => each.key === shown)
  if (same.some(({ marker }) => marker === '@revoked')) return 'revoked'
  if (same.some(({ marker }) => marker === null)) return 'known'
  if (known.some(({ marker, isWithoutPort }) => marker === null && !isWithoutPort)) return 'changed'
  return accepted.some((each) => each.replace(/=$/, '') === fingerprintOf(key)) ? 'known' : 'unknown'
}

/**
 * Whether the first field of a line names the server. It is a hash (`|1|salt|hash`), or patterns separated by commas.
 */
function isFor(hosts: string, name: string): boolean {
  const [, salt, hash] = /^\|1\|([^|]+)\|([^|]+)$/.exec(hosts) ?? []
  if (salt !== undefined && hash !== undefined) {
    return createHmac('sha1', Buffer.from(salt, 'base64')).update(name).digest('base64') === hash
  }
  const patterns = hosts.toLowerCase().split(',')
  if (patterns.some((pattern) => pattern.startsWith('!') && fits(pattern.slice(1), name))) return false
  return patterns.some((pattern) => fits(pattern, name))
}

/** Matches `*` and `?`. It goes back only to the last star, which limits the time. */
function fits(pattern: string, name: string): boolean {
  let at = 0
  let star = -1
  let from = 0
  for (let place = 0; place < name.length; ) {
    if (pattern[at] === '*') {
      star = at++
      from = place
    } else if (at < pattern.length && (pattern[at] === '?' || pattern[at] === name[place])) {
      at++
      place++
    } else if (star >= 0) {
      at = star + 1
      place = ++from
    } else return false
  }
  return /^\**$/.test(pattern.slice(at))
}
