import { BerError } from '../../wire/framing/ber.ts'
import { readTree, universal } from '../../wire/framing/ber-tree.ts'
import { type Item, type ReceivedRecord, readExternal } from './answers.ts'

type Fragment = Extract<Item, { readonly kind: 'fragment' }>

/**
 * Joins records that came in fragments (level 2 segmentation, Z39.50-1995 3.3.3). Throws BerError if pieces are
 * missing.
 */
export function joinFragments(items: readonly Item[]): Item[] {
  const joined: Item[] = []
  const pieces: Fragment[] = []
  for (const item of items) {
    const isWithin = pieces.length > 0
    if (item.kind !== 'fragment') {
      if (isWithin) throw new BerError('a record breaks off')
      joined.push(item)
      continue
    }
    if ((item.part === 'first') === isWithin) throw new BerError('the pieces of a record are out of order')
    pieces.push(item)
    if (item.part === 'last') joined.push({ kind: 'record', record: recordOf(pieces.splice(0)) })
  }
  if (pieces.length > 0) throw new BerError('a record breaks off')
  return joined
}

function recordOf(pieces: readonly Fragment[]): ReceivedRecord {
  const octets = Buffer.concat(pieces.map((piece) => piece.octets))
  const syntax = pieces[0]?.syntax ?? null
  if (syntax !== null) return { database: null, syntax, octets, tree: undefined }
  const whole = readTree(octets)
  if (whole.tag !== universal.external) throw new BerError('a record is no EXTERNAL')
  return readExternal(whole, null)
}
