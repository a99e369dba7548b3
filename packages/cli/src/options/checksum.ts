import { basename } from 'node:path'
import type { Checksum, HashName } from '@retriever/fetchers/internal'
import { usageError } from '../exit-codes.ts'
import type { Targets } from '../saving/destination.ts'
import { type GivenOptions, get, type OptionRow } from './option.ts'
import { readOptionText } from './option-file.ts'

export type ChecksumOption = 'sha256' | 'checksum'

export const checksumOptions: readonly OptionRow<ChecksumOption>[] = [
  {
    long: 'sha256',
    sent: false,
    help: 'Tell the SHA-256 of each body: in the object of --json, else as a line like that of sha256sum',
    commands: get,
    example: 'retrieve --sha256 -O http://www.example.org/file.tar.gz > SHA256SUMS',
  },
  {
    long: 'checksum',
    sent: false,
    arg: 'SUM',
    help:
      'Save the file only if its sum is right: sha256:HEX, sha512:HEX, the weak sha1:HEX and md5:HEX, or @FILE, a ' +
      'list in the format of sha256sum. One per URL',
    commands: get,
    example: `retrieve --checksum @SHA256SUMS -O http://www.example.org/file.tar.gz`,
  },
]

/** What --sha256 and --checksum ask for. */
export interface HashOptions {
  readonly sha256: boolean
  /**
   * The sum that the body of a URL must have, found by the URL's place in the line or by its names; null if any will
   * do.
   */
  expected(index: number, names: readonly string[]): Checksum | null
  /** The weak functions among those of --checksum. */
  readonly weak: readonly HashName[]
}

/** The hash functions by the length of their sums. */
const byLength: Readonly<Record<number, HashName>> = { 32: 'md5', 40: 'sha1', 64: 'sha256', 128: 'sha512' }

/** The options that do not retrieve a whole body, so that no sum can be taken. */
const excluded = ['range', 'head', 'include', 'part', 'attachments'] as const

type Line = GivenOptions<ChecksumOption | 'continue-at' | (typeof excluded)[number]>

/** Reads --sha256 and --checksum; null if neither is given. Throws `invalid-option` or `file-failed`. */
export function readHashOptions(line: Line, { count, destinations }: Targets): HashOptions | null {
  const sums = line.values('checksum')
  const sha256 = line.has('sha256')
  if (sums.length === 0 && !sha256) return null
  const typed = sums.length > 0 ? '--checksum' : '--sha256'
  const other = excluded.find((name) => line.has(name))
  if (other !== undefined) throw usageError(`${typed} is for whole bodies: leave --${other} out.`)
  if (line.has('continue-at') && destinations.some(({ to }) => to === 'stdout')) {
    throw usageError(`${typed} is for whole bodies: leave -C out, or save the body to a file.`)
  }
  const [first = ''] = sums
  if (sums.length === 1 && first.startsWith('@')) return { sha256, ...listed(first.slice(1)) }
  if (sums.length > 0 && sums.length !== count) {
    const urls = count === 1 ? '1 URL' : `${count} URLs`
    throw usageError(`${urls} and ${sums.length} of --checksum: give one for each URL, or one @FILE for all.`)
  }
  const read = sums.map(readSum)
  return { sha256, expected: (index) => read[index] ?? null, weak: weakOf(read) }
}

function weakOf(sums: readonly Checksum[]): HashName[] {
  const names = sums.map(({ algorithm }) => algorithm)
  return (['sha1', 'md5'] as const).filter((name) => names.includes(name))
}

/** Reads `sha256:HEX` or just `HEX`. */
function readSum(text: string): Checksum {
  const [, name, value = ''] = /^(?:([a-z0-9-]+)[:=])?([0-9a-f]+)$/i.exec(text) ?? []
  const algorithm = byLength[value.length]
  if (algorithm !== undefined && (name ?? algorithm).toLowerCase().replace('-', '') === algorithm) {
    return { algorithm, value }
  }
  const expected = 'sha256:HEX (64 hexadecimal digits), sha512:HEX (128), sha1:HEX (40), md5:HEX (32), or @FILE'
  throw usageError(`--checksum needs ${expected}; not ${JSON.stringify(text)}.`)
}

/**
 * Reads a list of lines `HEX  NAME`, `HEX *NAME` or `SHA256 (NAME) = HEX`. In a line that begins with a backslash, the
 * name has `\n`, `\r` and two backslashes for one. A file with one sum alone applies to any name.
 */
function listed(file: string): Omit<HashOptions, 'sha256'> {
  const sums = new Map<string, Checksum>()
  let only: Checksum | null = null
  for (const line of readOptionText('--checksum', file).split(/\r?\n/)) {
    const [, hex, plain] = /^\\?([0-9a-f]{32,128}) [ *](.+)$/i.exec(line) ?? []
    const [, bracketed, other] = /^\\?[A-Z0-9-]+ \((.+)\) = ([0-9a-f]{32,128})$/i.exec(line) ?? []
    const written = plain ?? bracketed
    const name = line.startsWith('\\') ? written?.replace(/\\([nr\\])/g, unescaped) : written
    const value = hex ?? other ?? (/^[0-9a-f]{32,128}$/i.test(line.trim()) ? line.trim() : null)
    const algorithm = value === null ? undefined : byLength[value.length]
    if (value === null || algorithm === undefined) continue
    if (name === undefined) only = { algorithm, value }
    else sums.set(basename(name), { algorithm, value })
  }
  const all = only === null ? [...sums.values()] : [...sums.values(), only]
  if (all.length === 0) throw usageError(`--checksum @${file} holds no sum in the format of sha256sum.`)
  const expected = (_: number, names: readonly string[]): Checksum => {
    const named = names.map((name) => sums.get(basename(name))).find((sum) => sum !== undefined)
    const found = named ?? only
    if (found !== null) return found
    throw usageError(`--checksum @${file} has no line for ${names[0] ?? 'a body without a name'}.`)
  }
  return { expected, weak: weakOf(all) }
}

function unescaped(_: string, letter: string): string {
  return letter === 'n' ? '\n' : letter === 'r' ? '\r' : letter
}
