import { hasBit, type QueuedUrl, unpackBlock } from '../frontier/block.ts'

/** A URL of a turn. */
export interface TurnUrl extends QueuedUrl {
  readonly block: TakenBlock
  readonly index: number
}

/** A block that belongs to this turn until all of its URLs are recorded. */
export interface TakenBlock {
  readonly number: string
  readonly tries: number
  /** Those that were not recorded yet. */
  readonly left: readonly TurnUrl[]
}

/** `bits`: those of the URLs that were recorded. */
export function takenBlock(number: string, packed: Buffer, bits: Buffer): TakenBlock {
  const { tries, urls } = unpackBlock(packed)
  const left: TurnUrl[] = []
  const block = { number, tries, left }
  for (const [index, url] of urls.entries()) if (!hasBit(bits, index)) left.push({ ...url, block, index })
  return block
}
