import { isUtf8 } from 'node:buffer'
import { decodeMarc8 } from './marc8.ts'

/** A field of a MARC record. It has data (control fields, 001 to 009) or subfields. */
export type MarcField =
  | { readonly tag: string; readonly data: string }
  | {
      readonly tag: string
      /** One character each. */
      readonly indicators: string
      readonly subfields: ReadonlyArray<readonly [code: string, value: string]>
    }

/** A record of MARC (ISO 2709), as text. */
export interface MarcRecord {
  /** 24 characters. */
  readonly leader: string
  readonly fields: readonly MarcField[]
}

/** Octets are no record of ISO 2709. The message says why. */
export class MarcError extends Error {}

const fieldEnd = 0x1e
const recordEnd = 0x1d
const escapeMark = 0x1b
const subfieldMark = '\x1f'

/** The lengths of a leader and of one entry of the directory: a tag, four digits of length, five of the start. */
const leaderSize = 24
const entrySize = 12
/** How many octets all fields may have: starts of five digits and lengths of four can reach no more. */
const maxFields = 99_999 + 9999

/**
 * The charset of a record's texts. It is UTF-8 if the leader says so (MARC 21, position 9) or the texts are, else as
 * given.
 */
type Charset = 'utf-8' | 'marc-8' | 'latin1'

/**
 * Reads a record of ISO 2709. If its charset is not UTF-8, it is MARC-8 if `isMarc21` is true, else it counts as
 * Latin-1. Throws MarcError if a number in the leader or the directory leads out of the record, or if fields overlap.
 */
export function readMarc(octets: Uint8Array, isMarc21: boolean): MarcRecord {
  const all = Buffer.from(octets.buffer, octets.byteOffset, octets.length)
  const leader = all.toString('latin1', 0, leaderSize)
  if (leader.length < leaderSize || !/^\d{5}/.test(leader)) throw new MarcError('it has no leader')
  const base = Number(leader.slice(12, 17))
  if (!/^\d{5}$/.test(leader.slice(12, 17)) || base <= leaderSize || base > all.length) {
    throw new MarcError('the address of its data is wrong')
  }
  const last = all[all.length - 1] === recordEnd ? all.length - 1 : all.length
  const charset = charsetOf(all, isMarc21 && leader[9] !== 'a')
  const fields: MarcField[] = []
  let left = Math.min(last - base, maxFields)
  for (let at = leaderSize; at < base && all[at] !== fieldEnd; at += entrySize) {
    const entry = all.toString('latin1', at, at + entrySize)
    if (at + entrySize > base || !/^[0-9A-Za-z]{3}\d{9}$/.test(entry)) throw new MarcError('its directory is broken')
    const start = base + Number(entry.slice(7))
    const end = start + Number(entry.slice(3, 7))
    if (end > last) throw new MarcError('a field lies outside of it')
    // A directory of a few octets could name one large field a thousand times.
    left -= end - start
    if (left < 0) throw new MarcError('its fields overlap')
    const field = all.subarray(start, end)
    fields.push(readField(entry.slice(0, 3), field.at(-1) === fieldEnd ? field.subarray(0, -1) : field, charset))
  }
  return { leader: leader.replace(/[^\x20-\x7E]/g, ' '), fields }
}

function charsetOf(octets: Buffer, mayBeMarc8: boolean): Charset {
  // The escapes of MARC-8 are ASCII, and so may be everything between them.
  if (isUtf8(octets) && !(mayBeMarc8 && octets.includes(escapeMark))) return 'utf-8'
  return mayBeMarc8 ? 'marc-8' : 'latin1'
}

function readField(tag: string, octets: Buffer, charset: Charset): MarcField {
  const [head = '', ...parts] = octets.toString('latin1').split(subfieldMark)
  if (/^00/.test(tag) || parts.length === 0) return { tag, data: textOf(octets.toString('latin1'), charset) }
  const subfields = parts.map((part) => [part.slice(0, 1), textOf(part.slice(1), charset)] as const)
  return {
    tag,
    indicators: head
      .slice(0, 2)
      .padEnd(2)
      .replace(/[^\x20-\x7E]/g, ' '),
    subfields,
  }
}

function textOf(octets: string, charset: Charset): string {
  if (charset === 'marc-8') return decodeMarc8(octets)
  return charset === 'utf-8' ? Buffer.from(octets, 'latin1').toString('utf8') : octets
}

/** Returns the texts of a subfield in all fields of a tag, in order. */
export function subfieldsOf({ fields }: MarcRecord, tag: string, codes: string): string[] {
  return fields.flatMap((field) => {
    if (field.tag !== tag || !('subfields' in field)) return []
    return field.subfields.filter(([code]) => codes.includes(code)).map(([, value]) => value)
  })
}

/** Returns the control field of a tag. Undefined if there is none. */
export function controlField({ fields }: MarcRecord, tag: string): string | undefined {
  const found = fields.find((field) => field.tag === tag)
  return found !== undefined && 'data' in found ? found.data : undefined
}

/** Writes the record as MARC-in-JSON (Ross Singer's proposal, which pymarc, ruby-marc and others read and write). */
export function marcJson({ leader, fields }: MarcRecord): object {
  return {
    leader,
    fields: fields.map((field) => {
      if ('data' in field) return { [field.tag]: field.data }
      const { tag, indicators, subfields } = field
      return {
        [tag]: {
          ind1: indicators[0],
          ind2: indicators[1],
          subfields: subfields.map(([code, value]) => ({ [code]: value })),
        },
      }
    }),
  }
}
