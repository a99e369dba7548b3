/**
 * The period is prime, so a test notices if content has moved by a block of any usual size. A range can be checked from
 * its offset alone.
 */
const PERIOD = 251
const CHUNK = PERIOD * 1024

const pattern: Uint8Array = Uint8Array.from({ length: CHUNK + PERIOD }, (_, offset) => offset % PERIOD)

/** The octet of `/big` at an offset. */
export function bigOctet(offset: number): number {
  return offset % PERIOD
}

/**
 * `/big` from `start` up to, not including, `end`: views of one small pattern, so that the whole is never in memory.
 */
export function* bigChunks(start: number, end: number): Iterable<Uint8Array> {
  for (let at = start; at < end; at += CHUNK) {
    const phase = at % PERIOD
    yield pattern.subarray(phase, phase + Math.min(CHUNK, end - at))
  }
}
