import type { RequestOptions } from '../../../contract/fetcher.ts'
import { givesField } from '../../../kit/request-options.ts'

/**
 * How many octets one request asks for. The maximum of 16 connections then holds 64 MiB for a slow consumer, as much as
 * limits.maxCollected. At 100 Mbit/s a segment takes a third of a second, much longer than the round trip of its
 * request.
 */
export const segmentSize: number = 4 * 1024 * 1024

/** Returns how many connections the caller wants for one body. 1 for ranges, rests and HEAD. */
export function connectionsFor(request: RequestOptions): number {
  const { range, resumeFrom, head } = request
  const isWhole = range === undefined && !givesField(request, 'range') && resumeFrom === undefined
  return isWhole && head !== true ? (request.http?.split ?? 1) : 1
}
