import { readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Mechanism, Resolution } from '@retriever/core'

/** The suffixes of media types by which a URL that ends in `/` often comes. Others have those of their structure. */
const suffixes: Readonly<Record<string, string>> = {
  'text/html': '.html',
  'application/xhtml+xml': '.xhtml',
  'text/gemini': '.gmi',
  'text/plain': '.txt',
  'text/markdown': '.md',
  'text/css': '.css',
  'text/csv': '.csv',
  'text/xml': '.xml',
  'application/xml': '.xml',
  'application/json': '.json',
  'application/ld+json': '.jsonld',
  'application/x-ndjson': '.jsonl',
  'application/pdf': '.pdf',
  'application/zip': '.zip',
  'text/javascript': '.js',
  'image/png': '.png',
  'image/jpeg': '.jpg',
  'image/gif': '.gif',
  'image/webp': '.webp',
  'image/svg+xml': '.svg',
}

/** The suffixes of the types that are most likely, before one has come. */
const likely: Readonly<Partial<Record<Mechanism, string>>> = { http: '.html', gemini: '.gmi', gopher: '.txt' }

/** The name of what a URL gives that ends in `/`, before its media type is known. */
export function indexName({ plan }: Resolution): string {
  return `index${likely[plan.mechanism] ?? ''}`
}

/** The path with the suffix of the media type: `pub/index.json`; the same if the type has none that is known. */
export function indexPath(path: string, mediaType: string | null): string {
  const [, structure] = /\+(json|xml|zip)$/.exec(mediaType ?? '') ?? []
  const suffix = suffixes[mediaType ?? ''] ?? (structure === undefined ? undefined : `.${structure}`)
  return suffix === undefined ? path : join(dirname(path), `index${suffix}`)
}

/** Whether a name is one that indexPath() gives, perhaps with the number of a name that was taken: `index.txt.1`. */
export function isIndexName(name: string): boolean {
  return /^index(?:\.[a-z]{1,8})?(?:\.[1-9]\d*)?$/.test(name)
}

/** The file in the folder of a path that has a name of indexPath(); null if there is none. */
export function findIndex(path: string): string | null {
  try {
    const found = readdirSync(dirname(path)).find(
      (name) => /^index(?:\.[a-z]{1,8})?$/.test(name) && !name.endsWith('.part'),
    )
    return found === undefined ? null : join(dirname(path), found)
  } catch {
    return null
  }
}
