import type { FieldLine } from './answer.ts'

/** The fields that belong to one connection (RFC 9110 7.6.1), and those between a client and its proxy (11.7). */
const hopByHop: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authentication-info',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/** The field lines that a proxy passes on: without those of the connection, and without those that Connection names. */
export function endToEnd(lines: readonly FieldLine[]): FieldLine[] {
  const named = lines
    .filter(([name]) => name.toLowerCase() === 'connection')
    .flatMap(([, value]) => value.split(',').map((word) => word.trim().toLowerCase()))
  const dropped = new Set([...hopByHop, ...named.filter((name) => !kept.has(name))])
  return lines.filter(([name]) => !dropped.has(name.toLowerCase()))
}

/** Fields that Connection cannot drop: the server must see the framing and the destination of a message as they are. */
const kept: ReadonlySet<string> = new Set(['host', 'content-length', 'content-type', 'authorization', 'cookie', 'via'])

/** The raw list of node:http as lines. */
export function linesOf(raw: readonly string[]): FieldLine[] {
  return Array.from({ length: raw.length / 2 }, (_, index) => [raw[2 * index] ?? '', raw[2 * index + 1] ?? ''])
}

/** A server's reason phrase; undefined for one that no answer may have (RFC 9112 4), so that the usual one stands. */
export function reasonOf(phrase: string | undefined): string | undefined {
  return /^[\t\x20-\x7E\x80-\xFF]*$/.test(phrase ?? '') ? phrase : undefined
}

/** The field that gives content a file name (RFC 6266), whatever characters it has. */
export function disposition(type: 'inline' | 'attachment', name: string): FieldLine {
  // encodeURIComponent leaves four characters that may not stand in a value of RFC 8187 3.2.1.
  const coded = encodeURIComponent(name.replace(/\p{Surrogate}/gu, '\uFFFD')).replace(/['()*]/g, escaped)
  return ['Content-Disposition', `${type}; filename*=UTF-8''${coded}`]
}

function escaped(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`
}

/** Adds this proxy to Via (RFC 9110 7.6.3), as a line of its own. */
export function viaLine(version: string, pseudonym: string): FieldLine {
  return ['Via', `${version} ${pseudonym}`]
}
