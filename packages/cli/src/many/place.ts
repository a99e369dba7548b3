import { createHash } from 'node:crypto'
import { decodeOctets, octetsToText, type Resolution } from '@retriever/core'
import { safeFileName } from '@retriever/fetchers'
import { hashedPlace } from '@retriever/fetchers/internal'
import { itemOf } from '../journal/item.ts'
import type { Layout } from '../options/lists/layout.ts'
import { indexName } from '../saving/index-name.ts'
import { nameFor } from '../saving/save-plan.ts'

/** The place of a file below the folder of -O, with `/` between names. */
export function placeOf(layout: Layout, resolution: Resolution): string {
  if (layout === 'flat') return nameFor(resolution)
  return layout === 'hash' ? hashPlace(resolution) : hostPlace(resolution)
}

/** `ab/cdef0123...f.txt`: a sum of the URL in its normal form, and the extension of its name. */
function hashPlace(resolution: Resolution): string {
  const { id, url } = itemOf(resolution.url, null)
  const sum = createHash('sha256')
    .update(id ?? url)
    .digest('hex')
  return hashedPlace(sum, nameFor(resolution))
}

/** Whether the name of the file is `index`, since the URL ends in `/`. Its suffix is that of what comes. */
export function endsInIndex(layout: Layout, resolution: Resolution): boolean {
  return layout === 'host/path' && hasIndex(resolution)
}

function hasIndex({ locator }: Resolution): boolean {
  const path = pathIn(locator)
  return path === '' || path.endsWith('/')
}

function pathIn({ urlPath }: Resolution['locator']): string {
  // The type code of FTP is no part of the name (RFC 1738 3.2.2).
  return (urlPath ?? '').replace(/;type=[adi]$/i, '')
}

/** `www.example.org_8080/pub/a.txt`. */
function hostPlace(resolution: Resolution): string {
  const { locator, plan } = resolution
  const host = 'host' in plan ? (plan.host ?? '') : ''
  const port = locator.port === null ? '' : `_${locator.port}`
  const path = pathIn(locator)
  const folders = path.split('/').slice(0, -1).map(safeSegment)
  const name = hasIndex(resolution) ? indexName(resolution) : nameFor(resolution)
  const place = host === '' ? locator.scheme : safeSegment(`${host.replace(/[[\]]/g, '').replaceAll(':', '_')}${port}`)
  return [place, ...folders, name].filter((segment) => segment !== '').join('/')
}

/** One segment of a path as a name that is safe on all systems; "" if nothing is left, as of `..`. */
function safeSegment(written: string): string {
  const text = octetsToText(decodeOctets(written)).replaceAll('/', '%2F').replaceAll('\\', '%5C')
  return safeFileName(text) ?? ''
}
