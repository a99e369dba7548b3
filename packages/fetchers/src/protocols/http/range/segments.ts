import type { RequestOptions } from '../../../contract/fetcher.ts'
import { givesField } from '../../../kit/request-options.ts'

/**
 * The octets of one request. 16 connections, the most there are, then hold 64 MiB for a slow consumer, as many as
 * limits.maxCollected. At 100 Mbit/s a segment takes a third of a second; the round trip of its request is short beside
 * that.
 */
export const segmentSize: number = 4 * 1024 * 1024

/** The number of connections that the caller wants for one body; 1 for ranges, rests and HEAD. */
export function connectionsFor(request: RequestOptions): number {
  const { split = 1, range, resumeFrom, head } = request
  const isWhole = range === undefined && !givesField(request, 'range') && resumeFrom === undefined
  return isWhole && head !== true ? split : 1
}
