import { resolveObjectURL } from 'node:buffer'
import { type ErrorCode, RetrievalError } from '@retriever/core'
import { webResponse } from '../../body/response.ts'
import type { FetchRequest } from './request.ts'

/**
 * The Response for a blob URL, which URL.createObjectURL() of this process made. Like the web's, it answers GET only,
 * with one range at most (Fetch Standard 4.2).
 */
export function blobResponse({ url, method, headers }: FetchRequest): Response {
  const [bare = url] = url.split('#', 1)
  const blob = resolveObjectURL(bare)
  if (blob === undefined) {
    throw failure(bare, 'not-found', 'No Blob has this URL; it was revoked, or belongs to another process.')
  }
  if (method !== 'GET') throw failure(bare, 'server-refused', 'A blob URL answers GET only.')
  const { size, type } = blob
  const field = headers?.get('range') ?? null
  const contentType = type === '' ? {} : { 'content-type': type }
  if (field === null) {
    const fields = { 'content-length': String(size), ...contentType }
    return webResponse(blob.stream(), fields, { url: bare, redirected: false, status: 200, statusText: 'OK' })
  }
  const range = rangeOf(field, size)
  if (range === null) throw failure(bare, 'range-refused', `The Blob has ${size} octets, and no such range.`)
  const [start, end] = range
  const fields = {
    'content-length': String(end - start),
    'content-range': `bytes ${start}-${end - 1}/${size}`,
    ...contentType,
  }
  const facts = { url: bare, redirected: false, status: 206, statusText: 'Partial Content' }
  return webResponse(blob.slice(start, end).stream(), fields, facts)
}

/** The first octet and the one behind the last (RFC 9110 14.1.2); null for a range that is not in the Blob. */
function rangeOf(field: string, size: number): readonly [start: number, end: number] | null {
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/.exec(field) ?? []
  if (first === '' && last === '') return null
  const start = first === '' ? Math.max(0, size - Number(last)) : Number(first)
  const end = first === '' || last === '' ? size : Math.min(Number(last) + 1, size)
  return start < end ? [start, end] : null
}

function failure(url: string, code: ErrorCode, message: string): RetrievalError {
  return new RetrievalError(code, `${url}: ${message}`, { phase: 'request', url })
}
